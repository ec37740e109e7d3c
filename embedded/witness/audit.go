package witness

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// Times of the auditors.
const (
	auditors     = 3                      // of a member
	auditEvery   = 150 * time.Millisecond // unless options say otherwise
	auditTimeout = 2 * time.Second
	auditRecent  = 12 // of a group's newest verified deletes are looked at, the newest most
)

// audit reads documents that were deleted from one member all the time, past every coordinator, as one with an old map would.
func (w *Witness) audit(ctx context.Context, number int, member string, rng *rand.Rand) {
	group, _, _ := strings.Cut(member, "/")
	for Pause(ctx, cmp.Or(w.o.AuditEvery, auditEvery)) {
		if deleted, ok := w.rec.deleted(group, rng.IntN(1+rng.IntN(auditRecent))); ok {
			if e := w.readAt(ctx, number, member, deleted.ID); ctx.Err() == nil {
				w.rec.add(e)
			}
		}
	}
}

// readAt reads one document from one member.
func (w *Witness) readAt(ctx context.Context, number int, member, id string) Event {
	group, node, _ := strings.Cut(member, "/")
	e := Event{Client: number, Kind: Audit, ID: id, Group: group, Member: member, IfVersion: NoCondition, Start: w.rec.now()}
	doc, seq, err := w.askMember(ctx, group, node, id)
	e.End = w.rec.now()
	if err != nil {
		e.Result, e.Error = Failed, err.Error()
		return e
	}
	e.Result, e.Seq = OK, seq
	if doc.Found {
		e.Version, e.Value = doc.Version, valueOf(doc.Source)
	}
	return e
}

func (w *Witness) askMember(ctx context.Context, group, node, id string) (wire.Doc, uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, auditTimeout)
	defer cancel()
	head := wire.Head{Collection: w.incarnation, SchemaVersion: 1 << 30, Epoch: 1, BudgetMs: uint32(auditTimeout.Milliseconds())}
	msg, err := w.o.Conn.RequestWithContext(ctx, w.o.Names.Member(group, node, wire.OpGet), wire.AppendGetRequest(nil, &wire.GetRequest{Head: head, ID: id}))
	if err != nil {
		return wire.Doc{}, 0, err
	}
	if wire.IsError(msg.Data) {
		refused, err := wire.DecodeError(msg.Data)
		if err != nil {
			return wire.Doc{}, 0, err
		}
		return wire.Doc{}, 0, refused
	}
	reply, err := wire.DecodeGetReply(msg.Data)
	if err != nil {
		return wire.Doc{}, 0, err
	}
	if reply.Err != nil {
		return wire.Doc{}, 0, fmt.Errorf("%s/%s: %w", group, node, reply.Err)
	}
	return reply.Doc, reply.Seq, nil
}
