package subjects

import (
	"strconv"
	"strings"
)

// Call tells where in a coordinator's inbox a reply belongs: a call (one query of a client), its round, and the slot of the request within the round.
type Call struct {
	ID    uint64
	Round uint32
	Slot  uint32
}

// ReplySubject is the reply subject of one request under a coordinator's inbox: "{inbox}.{call}.{round}.{slot}", the call in hex.
func ReplySubject(inbox string, c Call) string {
	b := make([]byte, 0, len(inbox)+40)
	b = append(append(b, inbox...), '.')
	b = append(strconv.AppendUint(b, c.ID, 16), '.')
	b = append(strconv.AppendUint(b, uint64(c.Round), 10), '.')
	return string(strconv.AppendUint(b, uint64(c.Slot), 10))
}

// ParseReply reads what [ReplySubject] made, and gives false for any other subject.
func ParseReply(inbox, subject string) (Call, bool) {
	rest, ok := strings.CutPrefix(subject, inbox+".")
	if !ok {
		return Call{}, false
	}
	call, rest, ok1 := strings.Cut(rest, ".")
	round, slot, ok2 := strings.Cut(rest, ".")
	if !ok1 || !ok2 {
		return Call{}, false
	}
	id, err1 := strconv.ParseUint(call, 16, 64)
	r, err2 := strconv.ParseUint(round, 10, 32)
	s, err3 := strconv.ParseUint(slot, 10, 32)
	if err1 != nil || err2 != nil || err3 != nil {
		return Call{}, false
	}
	return Call{ID: id, Round: uint32(r), Slot: uint32(s)}, true
}

// ReportSubject is where outcomes go under a coordinator's inbox.
func ReportSubject(inbox string) string { return inbox + ".report" }
