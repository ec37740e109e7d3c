package coordinator

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nuid"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Wait levels of a write.
const (
	waitApplied = "applied" // answer when every member that may serve has applied it
	waitDurable = "durable" // answer when it is stored and its outcome decided
	waitNone    = "none"    // answer at once
)

// Budgets of writes.
const (
	defaultWriteTimeout  = 5 * time.Second
	defaultDeleteTimeout = 20 * time.Second // a verified delete beside a dead member takes 15.7 s
	mostTimeout          = 10 * time.Minute
)

// writeParams are a write's parameters; over NATS they are headers.
type writeParams struct {
	id        string
	hasID     bool
	wait      string
	timeout   time.Duration
	ifVersion int64
	requestID string // "": none
	report    bool   // the reply tells what each member had to do with it
}

// readWriteParams takes the parameters from a request's headers.
func readWriteParams(h nats.Header, timeout time.Duration) (writeParams, error) {
	p := writeParams{wait: waitApplied, timeout: timeout, ifVersion: wire.NoCondition}
	var err error
	if p.id, p.hasID, err = wire.IDFrom(h); err != nil {
		return p, err
	}
	if v, ok := header(h, wire.HeaderWait); ok {
		if v != waitApplied && v != waitDurable && v != waitNone {
			return p, fault.New(fault.BadRequest, "wait is applied, durable or none, not %s", fault.Quote(v))
		}
		p.wait = v
	}
	if v, ok := header(h, wire.HeaderTimeoutMs); ok {
		d, err := parseTimeout(v)
		if err != nil {
			return p, err
		}
		p.timeout = d
	}
	if v, ok := header(h, wire.HeaderBudgetMs); ok {
		d, err := parseTimeout(v)
		if err != nil {
			return p, err
		}
		p.timeout = min(p.timeout, d)
	}
	if v, ok := header(h, wire.HeaderIfVersion); ok {
		n, err := strconv.ParseInt(v, 10, 64)
		if err != nil || n < 0 {
			return p, fault.New(fault.BadRequest, "if_version is a whole number from 0, not %s", fault.Quote(v))
		}
		p.ifVersion = n
	}
	if v, ok := header(h, wire.HeaderRequestID); ok {
		if err := wire.CheckRequestID(v); err != nil {
			return p, err
		}
		p.requestID = v
	}
	if v, ok := header(h, wire.HeaderReport); ok {
		if p.report, err = strconv.ParseBool(v); err != nil {
			return p, fault.New(fault.BadRequest, "report is true or false, not %s", fault.Quote(v))
		}
	}
	return p, nil
}

// key gives the request key of a line of the request, 0 in one of a single write; "" without a request id.
func (p *writeParams) key(line int) string {
	if p.requestID == "" {
		return ""
	}
	return wire.RequestKey(p.requestID, line)
}

func header(h nats.Header, key string) (string, bool) {
	v, ok := h[key]
	if !ok || len(v) == 0 {
		return "", false
	}
	return v[0], true
}

func parseTimeout(s string) (time.Duration, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 1 || n > mostTimeout.Milliseconds() {
		return 0, fault.New(fault.BadRequest, "timeout_ms is a whole number from 1 to %d, not %s", mostTimeout.Milliseconds(), fault.Quote(s))
	}
	return time.Duration(n) * time.Millisecond, nil
}

// index writes one document.
func (c *Coordinator) index(ctx context.Context, name string, body []byte, p writeParams) (*wire.WriteReply, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	for round := 1; ; round++ {
		drafts, coll, err := c.prepare(ctx, name, []draft{{body: body, id: p.id, hasID: p.hasID, key: p.key(0)}})
		if err != nil {
			return nil, err
		}
		if drafts[0].err != nil {
			return nil, drafts[0].err
		}
		op := wire.Op{Kind: wire.KindPut, ID: drafts[0].line.ID, RequestKey: p.key(0), Body: body, IfVersion: p.ifVersion}
		if err := c.spill(ctx, coll, &op); err != nil {
			return nil, err
		}
		reply, err := c.writeOne(ctx, coll, op, p)
		if round == mostRounds || !c.recreated(ctx, coll, err) {
			return reply, err
		}
	}
}

// chooseID settles which of the body's id and the request's holds; with neither, one is made: of the request key where there is one, so that a repeat
// means the same document.
func chooseID(inBody string, d *draft, collection schema.Incarnation) (string, error) {
	switch {
	case d.hasID && inBody != "" && d.id != inBody:
		return "", fault.New(fault.BadRequest, "the body's id %s and the parameter's %s differ: send one", fault.Quote(inBody), fault.Quote(d.id))
	case d.hasID:
		return d.id, schema.CheckID(d.id)
	case inBody != "":
		return inBody, nil
	case d.key != "":
		return madeID(collection, d.key), nil
	}
	return nuid.Next(), nil
}

// madeID is a function of the collection and the request key: 26 characters for half of a SHA-256.
func madeID(collection schema.Incarnation, key string) string {
	sum := sha256.Sum256(append(binary.LittleEndian.AppendUint64(nil, uint64(collection)), key...))
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(sum[:16]))
}

// remove deletes one document.
func (c *Coordinator) remove(ctx context.Context, name, id string, p writeParams) (*wire.WriteReply, error) {
	if err := schema.CheckID(id); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	for round := 1; ; round++ {
		coll, err := c.collection(ctx, name)
		if err != nil {
			return nil, markNotDurable(err)
		}
		reply, err := c.writeOne(ctx, coll, wire.Op{Kind: wire.KindDelete, ID: id, RequestKey: p.key(0), IfVersion: p.ifVersion}, p)
		if round == mostRounds || !c.recreated(ctx, coll, err) {
			return reply, err
		}
	}
}

// writeOne sends one operation to the group that owns its id and waits as asked, until ctx ends. An operation that a move has overtaken is sent to the new owner.
func (c *Coordinator) writeOne(ctx context.Context, coll *collection, op wire.Op, p writeParams) (*wire.WriteReply, error) {
	for {
		group, w, err := c.place(ctx, coll, op)
		if err != nil {
			return nil, notDurable(wire.FromError(err))
		}
		if err := c.packer(group).submit([]*write{w}); err != nil {
			return nil, notDurable(err)
		}
		if p.wait == waitNone {
			return &wire.WriteReply{ID: op.ID, Group: group, Behind: []string{}, Members: len(c.declared(group))}, nil
		}
		reply, moved, err := c.await(ctx, group, w, p)
		if err != nil {
			return nil, err
		}
		if !moved {
			return reply, nil
		}
		if err := c.awaitNewOwner(ctx, group, w.op.Slot); err != nil {
			return nil, err
		}
	}
}

// place fills in what an operation needs on its way and names its group.
func (c *Coordinator) place(ctx context.Context, coll *collection, op wire.Op) (string, *write, error) {
	m, err := c.mapForWrite()
	if err != nil {
		return "", nil, err
	}
	op.Slot = placement.Slot(op.ID)
	op.Collection = coll.Incarnation
	op.SchemaVersion = coll.Version
	deadline, _ := ctx.Deadline()
	return m.Owner(op.Slot).Name, newWrite(op, coll.record(), deadline), nil
}

// await waits for one write as far as its level asks and the budget allows. moved tells that the group did not own the slot any more.
func (c *Coordinator) await(ctx context.Context, group string, w *write, p writeParams) (reply *wire.WriteReply, moved bool, err error) {
	out, werr := c.outcomeOf(ctx, group, w, p.wait)
	if werr != nil {
		return nil, false, werr
	}
	if out.Code == outcome.WrongOwner {
		return nil, true, nil
	}
	if e := refusal(w.op, out); e != nil {
		return nil, false, e
	}
	if p.wait == waitApplied {
		select {
		case <-w.flight.visible:
		case <-w.flight.failed: // a member has reported it, and the acknowledgement shows that the log was set back
			return nil, false, w.flight.refused
		case <-ctx.Done(): // durable, and visible later: said as it is
		}
	}
	return c.reply(group, w, out, p), false, nil
}

// outcomeOf waits until a write is stored and decided: by a member's report, which tells the outcome, or by a commit record, after which it is [undecided] but for its
// ownership. The record counts at once where no more is waited for than durability, else at the end of the budget. Its errors say what is known of its durability.
func (c *Coordinator) outcomeOf(ctx context.Context, group string, w *write, wait string) (outcome.Outcome, *wire.Error) {
	if err := c.awaitPacked(ctx, group, w); err != nil {
		return outcome.Outcome{}, err
	}
	var committed chan struct{}
	if wait == waitDurable {
		committed = w.flight.committed
	}
	select {
	case <-w.flight.decided:
	case <-committed:
	case <-w.flight.failed:
		return outcome.Outcome{}, w.flight.refused
	case <-ctx.Done():
	}
	switch {
	case isClosed(w.flight.decided):
		return c.outcomeAt(w)
	case isClosed(w.flight.committed) && !w.flight.own.Has(w.op.Slot):
		return outcome.Outcome{Code: outcome.WrongOwner}, nil
	case isClosed(w.flight.committed):
		return outcome.Outcome{Code: undecided}, nil
	}
	message := "the log of group %s did not acknowledge the write in time; it may still land: read the document, or write again"
	if isClosed(w.flight.stored) {
		message = "the log of group %s has stored the write, and no member has applied it in time; it may still land: read the document, or write again"
	}
	return outcome.Outcome{}, withDurable(wire.FromError(fault.New(fault.Deadline, message, group)), wire.DurableUnknown)
}

func (c *Coordinator) outcomeAt(w *write) (outcome.Outcome, *wire.Error) {
	v := c.tracker.verdictOf(w.flight, nil)
	if w.index >= len(v.outcomes) {
		return outcome.Outcome{}, withDurable(unavailable("internal", "a member reported %d outcomes for a message with more operations", len(v.outcomes)), wire.DurableUnknown)
	}
	return v.outcomes[w.index], nil
}

// awaitPacked waits until a write is part of a message. A write whose time is over is taken back from the queue.
func (c *Coordinator) awaitPacked(ctx context.Context, group string, w *write) *wire.Error {
	select {
	case <-w.packed:
	case <-ctx.Done():
		if !isClosed(w.packed) {
			c.packer(group).expire()
		}
		<-w.packed // by now it is, or it is being packed: this does not wait for anything remote
	}
	return w.err
}

// undecided is the outcome of a write that is stored in the log of the group that owned its slot, while no member has told more.
const undecided outcome.Code = 0

// refusal is the error of an outcome that is no success and no conflict.
func refusal(op wire.Op, out outcome.Outcome) *wire.Error {
	switch out.Code {
	case outcome.Rejected:
		return withDurable(wire.FromError(fault.New(fault.BadDocument, "the members could not apply the operation on %s: it is passed over; if it is set aside, GET /_quarantine lists it", fault.Quote(op.ID))), wire.IsDurable)
	case outcome.NoCollection:
		return withDurable(wire.FromError(fault.New(fault.NoCollection, "the collection was dropped meanwhile")), wire.IsDurable)
	case outcome.KeyConflict:
		return withDurable(wire.FromError(fault.New(fault.BadRequest, "the request id was used before for another write than that of %s: choose a new one (key_conflict)", fault.Quote(op.ID))), wire.IsDurable)
	}
	return nil
}

// reply tells how far a decided write has come.
func (c *Coordinator) reply(group string, w *write, out outcome.Outcome, p writeParams) *wire.WriteReply {
	declared := c.declared(group)
	v := c.tracker.verdictOf(w.flight, declared)
	r := &wire.WriteReply{
		OK: len(v.behind) == 0, ID: w.op.ID, Outcome: out.Code.String(), Version: out.Version, Group: group, Seq: v.seq,
		Durable: true, Visible: v.visible, Members: len(declared), MembersOK: len(v.ok), Behind: nonNil(v.behind), Repeated: out.Repeated,
	}
	if w.op.Kind == wire.KindDelete {
		gone := v.visible && (out.Code == outcome.Deleted || out.Code == outcome.NotFound) // of a conflict nothing is
		r.Verified = &gone
	}
	if v.visible {
		c.auditor.note(group, &w.op, out, v.seq)
	}
	if p.report {
		r.Report = c.tracker.reportOf(w.flight, declared, c.start)
	}
	if out.Code == outcome.VersionConflict {
		r.Error = &wire.ErrorInfo{Code: fault.VersionConflict, Message: conflict("if_version", w.op, out), Durable: wire.IsDurable}
	}
	return r
}

// conflict says why an operation under a condition, which the user knows by a name, was not done.
func conflict(condition string, op wire.Op, out outcome.Outcome) string {
	if out.Repeated {
		return fmt.Sprintf("the first write under this request id found %s at version %d, which it did not expect: read it, and choose a new request id to try again", fault.Quote(op.ID), out.Version)
	}
	return fmt.Sprintf("%s is %d, and the version of %s is %d: read it and try again", condition, op.IfVersion, fault.Quote(op.ID), out.Version)
}

// writeStatus is the HTTP status of a write reply: 202 unless the caller waited until the write was visible.
func writeStatus(r *wire.WriteReply, wait string) int {
	switch {
	case r.Error != nil:
		return r.Error.Code.Status()
	case !r.Visible || wait != waitApplied:
		return 202
	case r.Outcome == outcome.Created.String():
		return 201
	}
	return 200
}

// awaitNewOwner waits until the map names another owner of the slot.
func (c *Coordinator) awaitNewOwner(ctx context.Context, old string, slot uint16) error {
	_, err := c.view.Wait(ctx, func(v *registry.View) bool { return v.Map != nil && v.Map.Owner(slot).Name != old })
	if err != nil {
		return notDurable(unavailable(reasonMoved, "group %s does not own the document's slot and no other group does yet: try again", old))
	}
	return nil
}

func nonNil(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
