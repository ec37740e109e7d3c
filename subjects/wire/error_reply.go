package wire

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nats-io/nats.go"
)

// Headers by which a NATS service marks a reply as an error.
const (
	HeaderServiceError     = "Nats-Service-Error"
	HeaderServiceErrorCode = "Nats-Service-Error-Code"
)

// headerTextBytes bounds an error's message in a header.
const headerTextBytes = 1 << 10

// ErrorReply makes the reply that says an error to people and programs: its body is {"error":{…}}, its headers are those of the NATS services framework.
func ErrorReply(to string, e *Error) (*nats.Msg, error) {
	body, err := e.MarshalJSON()
	if err != nil {
		return nil, err
	}
	status := strconv.Itoa(e.Status())
	reply := nats.NewMsg(to)
	reply.Header.Set(HeaderStatus, status)
	reply.Header.Set(HeaderServiceError, headerText(e.Message))
	reply.Header.Set(HeaderServiceErrorCode, status)
	reply.Data = body
	return reply, nil
}

// headerText makes of a message what may stand in a header: controls become blanks, and it is cut short; the body has all of it.
func headerText(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == utf8.RuneError {
			return ' '
		}
		return r
	}, cut(s, headerTextBytes))
}
