package coordinator

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Measures of the auditor.
const (
	// auditedDeletes is how many verified deletes are remembered; the oldest goes for the newest.
	auditedDeletes = 4096
	// auditEvery is how often every member is asked; auditRest how often when nothing was deleted for auditBusy.
	auditEvery = time.Second
	auditRest  = 15 * time.Second
	auditBusy  = 10 * time.Minute
	// auditIDs is how many documents a member is asked for at a time: the newest, and as many of the others in turn.
	auditIDs = 32
	// auditTimeout bounds one round; a member that does not answer serves nothing either.
	auditTimeout = 2 * time.Second
)

// auditor asks all members, all the time, for documents whose delete was verified. None may ever have one: the promise is checked where it would be broken, by
// other code than that which keeps it.
type auditor struct {
	mu      sync.Mutex        // guards the fields below
	deleted []deletion        // a ring of up to auditedDeletes
	next    int               // place of the next one
	turn    int               // of the older ones
	newest  time.Time         // when the last came
	served  map[string]uint64 // by member: documents found that should be gone; members are those of the map
}

// deletion is one verified delete.
type deletion struct {
	group      string
	collection schema.Incarnation
	wire.Deletion
}

// note remembers a delete of which the caller is told that it is verified. One that repeats an earlier delete proves nothing: the document may have been written between the two.
func (a *auditor) note(group string, op *wire.Op, out outcome.Outcome, seq uint64) {
	if op.Kind != wire.KindDelete || out.Repeated || out.Code != outcome.Deleted && out.Code != outcome.NotFound {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.newest = time.Now()
	d := deletion{group: group, collection: op.Collection, Deletion: wire.Deletion{ID: strings.Clone(op.ID), Seq: seq}} // that of a line would keep the whole bulk
	if len(a.deleted) < auditedDeletes {
		a.deleted = append(a.deleted, d)
		return
	}
	a.deleted[a.next] = d
	a.next = (a.next + 1) % auditedDeletes
}

// question is what the members of one group are asked of one collection.
type question struct {
	group      string
	collection schema.Incarnation
}

// choose gives what is asked in a round: the newest deletes and some of the others, by whom they concern.
func (a *auditor) choose() map[question][]wire.Deletion {
	a.mu.Lock()
	defer a.mu.Unlock()
	asked := make(map[question][]wire.Deletion)
	take := func(i int) {
		d := a.deleted[i]
		to := question{d.group, d.collection}
		if len(asked[to]) < wire.MaxHas {
			asked[to] = append(asked[to], d.Deletion)
		}
	}
	n := len(a.deleted)
	for i := range min(n, auditIDs) {
		take((a.next + n - 1 - i) % n)
	}
	for range min(max(n-auditIDs, 0), auditIDs) {
		take(a.turn % n)
		a.turn++
	}
	return asked
}

// pause is the time to the next round.
func (a *auditor) pause() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if time.Since(a.newest) > auditBusy {
		return auditRest
	}
	return auditEvery
}

// found notes documents that a member would serve and should not.
func (a *auditor) found(member string, n int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.served == nil {
		a.served = make(map[string]uint64)
	}
	a.served[member] += uint64(n)
}

// servedBy is how often this auditor found a deleted document at a member.
func (a *auditor) servedBy(member string) uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.served[member]
}

// total is how often this auditor found a deleted document.
func (a *auditor) total() (n uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, served := range a.served {
		n += served
	}
	return n
}

// DeletedServed is how often this coordinator found that a member would serve a document whose delete was verified. It must stay 0.
func (c *Coordinator) DeletedServed() uint64 { return c.auditor.total() }

// audit runs the auditor until ctx ends.
func (c *Coordinator) audit(ctx context.Context) error {
	for {
		timer := time.NewTimer(c.auditor.pause())
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C:
		}
		if asked := c.auditor.choose(); len(asked) > 0 && c.conn.IsConnected() {
			c.auditOnce(ctx, c.view.View(), asked)
		}
	}
}

// auditOnce asks every declared member of the groups. A refusal is as good as an answer without the documents: who refuses serves nothing.
func (c *Coordinator) auditOnce(ctx context.Context, v *registry.View, asked map[question][]wire.Deletion) {
	if v.Map == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, auditTimeout)
	defer cancel()
	t := &trip{op: wire.OpHas}
	for to, deleted := range asked {
		g, ok := v.Map.Group(to.group)
		if !ok {
			continue
		}
		head := wire.Head{Collection: to.collection, SchemaVersion: math.MaxUint64, Epoch: g.OwnEpoch} // of schemas an id knows nothing
		for _, id := range g.Members {
			_, node, ok := subjects.SplitMember(id)
			if !ok {
				continue
			}
			t.targets = append(t.targets, &target{group: to.group, members: []string{node}, head: head,
				encode: func(h wire.Head) []byte {
					return wire.AppendHasRequest(nil, &wire.HasRequest{Head: h, Deleted: deleted})
				},
				accept: func(data []byte) *wire.Error { return c.judge(id, deleted, data) },
			})
		}
	}
	if len(t.targets) > 0 {
		c.scatter(ctx, t)
	}
}

// judge looks at a member's answer.
func (c *Coordinator) judge(member string, deleted []wire.Deletion, data []byte) *wire.Error {
	reply, err := decodeReply(data, wire.DecodeHasReply, func(r *wire.HasReply) *wire.Frame { return &r.Frame })
	if err != nil {
		return err
	}
	if len(reply.Births) != len(deleted) {
		return unavailable("malformed", "member %s was asked for %d documents and spoke of %d", member, len(deleted), len(reply.Births))
	}
	c.metrics.audited.Add(float64(len(deleted)))
	n := 0
	for i, d := range deleted {
		if d.Outlived(reply.Births[i]) {
			n++
			c.log.Error("a member would serve a document whose delete was verified", "member", member, "id", d.ID, "deleted", d.Seq, "born", reply.Births[i], "snapshot", reply.Seq)
		}
	}
	if n > 0 {
		group, _, _ := subjects.SplitMember(member)
		c.metrics.deletedServed.WithLabelValues(group).Add(float64(n))
		c.auditor.found(member, n)
	}
	return nil
}

// alarm is what is to be said of a member that would have served deleted documents so many times.
func alarm(member string, times uint64) string {
	return fmt.Sprintf("member %s would have served documents whose delete was verified, %d times: end it, keep its folder for those who look for the cause, and let it start from an empty one", member, times)
}
