package coordinator

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// bulkLines bounds the lines of one bulk.
const bulkLines = 100_000

// bulkLine is one operation of a bulk on its way.
type bulkLine struct {
	number int
	text   []byte // as it was sent
	op     wire.Op
	group  string
	write  *write
	out    outcome.Outcome
	stored bool // it is undecided, and a commit record stands behind it
	err    *wire.Error
}

// bulk applies a body of NDJSON. A bad line fails alone, with its number; lines are numbered from 1, blank ones counted.
func (c *Coordinator) bulk(ctx context.Context, name string, body []byte, first int, p writeParams) (*wire.BulkReply, error) {
	began := time.Now()
	if p.ifVersion != wire.NoCondition || p.hasID {
		return nil, fault.New(fault.BadRequest, `a bulk takes no id and no if_version of its own: put "_if_version" into its lines`)
	}
	lines, err := cutBulk(body, first)
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		l.op.RequestKey = p.key(l.number)
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	due := lines
	for round := 1; len(due) > 0; round++ {
		coll, err := c.prepareBulk(ctx, name, due)
		if err != nil {
			return nil, err
		}
		if err := c.sendBulk(ctx, coll, due, p.wait); err != nil {
			return nil, err
		}
		due = slices.DeleteFunc(slices.Clone(due), func(l *bulkLine) bool { return l.err == nil || l.write == nil || l.err.Code != fault.NoCollection })
		if len(due) == 0 || round == mostRounds || !c.recreated(ctx, coll, due[0].err) {
			break
		}
		for _, l := range due {
			l.write, l.err = nil, nil
		}
	}
	reply := c.bulkReply(lines, p.report)
	reply.TookMs = milliseconds(time.Since(began))
	return reply, nil
}

// firstLine reads the number of a body's first line; 1 unless the bulk was split.
func firstLine(h nats.Header) (int, error) {
	v, ok := header(h, wire.HeaderFirstLine)
	if !ok {
		return 1, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		return 0, fault.New(fault.BadRequest, "%s is a whole number from 1, not %s", wire.HeaderFirstLine, fault.Quote(v))
	}
	return n, nil
}

// cutBulk cuts a body, whose first line has the given number, into lines.
func cutBulk(body []byte, first int) ([]*bulkLine, error) {
	var lines []*bulkLine
	for number := first; len(body) > 0; number++ {
		line, rest, _ := bytes.Cut(body, []byte("\n"))
		body = rest
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if len(lines) == bulkLines {
			return nil, fault.New(fault.LimitExceeded, "a bulk of more than %d lines: send several", bulkLines)
		}
		lines = append(lines, &bulkLine{number: number, text: line})
	}
	if len(lines) == 0 {
		return nil, fault.New(fault.BadRequest, "a bulk without a line: send one JSON object a line")
	}
	return lines, nil
}

// prepareBulk makes operations of the lines that are due, their documents checked against the schema, which grows by the fields that they add. A line that is no
// operation, or whose document is refused, keeps its error.
func (c *Coordinator) prepareBulk(ctx context.Context, name string, due []*bulkLine) (*collection, error) {
	drafts := make([]draft, len(due))
	for i, l := range due {
		drafts[i] = draft{body: l.text, key: l.op.RequestKey, line: true}
	}
	checked, coll, err := c.prepare(ctx, name, drafts)
	if err != nil {
		return nil, err
	}
	for i, l := range due {
		line := &checked[i].line
		l.op.Kind, l.op.ID, l.op.IfVersion, l.op.Body = wire.KindPut, line.ID, line.IfVersion, line.Body
		if checked[i].err != nil {
			l.err = wire.FromError(checked[i].err)
			continue
		}
		if line.Delete {
			l.op.Kind = wire.KindDelete
			continue
		}
		if err := c.spill(ctx, coll, &l.op); err != nil {
			l.err = wire.FromError(err)
		}
	}
	return coll, nil
}

// sendBulk hands the lines to the logs of their groups and waits as asked. Lines whose slot has moved are sent again to the new owner.
func (c *Coordinator) sendBulk(ctx context.Context, coll *collection, lines []*bulkLine, wait string) error {
	due := slices.DeleteFunc(slices.Clone(lines), func(l *bulkLine) bool { return l.err != nil })
	if coll.Collection == nil { // the default one, and no line stands that would make it
		for _, l := range due {
			l.err = wire.FromError(noCollection(defaultCollection))
		}
		return nil
	}
	for len(due) > 0 {
		if err := c.submitBulk(ctx, coll, due); err != nil {
			return err
		}
		if wait == waitNone {
			return nil
		}
		c.awaitBulk(ctx, due, wait)
		due = slices.DeleteFunc(due, func(l *bulkLine) bool { return l.err != nil || l.out.Code != outcome.WrongOwner })
		if len(due) == 0 {
			break
		}
		if err := c.awaitNewOwner(ctx, due[0].group, due[0].op.Slot); err != nil {
			for _, l := range due {
				l.err = wire.FromError(err)
			}
			break
		}
	}
	return nil
}

// submitBulk queues the lines at their groups, those of a group in order and together.
func (c *Coordinator) submitBulk(ctx context.Context, coll *collection, lines []*bulkLine) error {
	m, err := c.mapForWrite()
	if err != nil {
		return notDurable(wire.FromError(err))
	}
	deadline, _ := ctx.Deadline()
	record := coll.record()
	byGroup := make(map[string][]*bulkLine)
	for _, l := range lines {
		l.op.Slot = placement.Slot(l.op.ID)
		l.op.Collection, l.op.SchemaVersion = coll.Incarnation, coll.Version
		l.group = m.Owner(l.op.Slot).Name
		l.write = newWrite(l.op, record, deadline)
		byGroup[l.group] = append(byGroup[l.group], l)
	}
	for group, lines := range byGroup {
		writes := make([]*write, len(lines))
		for i, l := range lines {
			writes[i] = l.write
		}
		if err := c.packer(group).submit(writes); err != nil {
			for _, l := range lines {
				l.err = notDurable(err)
			}
		}
	}
	return nil
}

// awaitBulk waits for the outcome of every line and, at level applied, until the lines that stand are visible.
func (c *Coordinator) awaitBulk(ctx context.Context, lines []*bulkLine, wait string) {
	for _, l := range lines {
		if l.err != nil {
			continue
		}
		l.out, l.err = c.outcomeOf(ctx, l.group, l.write, wait)
		l.stored = l.err == nil && l.out.Code == undecided
		switch {
		case l.stored && wait == waitApplied:
			l.err = withDurable(unavailable(reasonNoMember, "the log of group %s has stored the line, and no member has applied it in time", l.group), wire.IsDurable)
		case l.err == nil:
			l.err = lineRefusal(l)
		}
	}
	if wait != waitApplied {
		return
	}
	for _, l := range lines {
		if l.err != nil {
			continue
		}
		select {
		case <-l.write.flight.visible:
		case <-l.write.flight.failed: // as for a single write
			l.err = l.write.flight.refused
		case <-ctx.Done():
			return
		}
	}
}

func lineRefusal(l *bulkLine) *wire.Error {
	if l.out.Code == outcome.VersionConflict {
		return withDurable(wire.FromError(fault.New(fault.VersionConflict, "%s", conflict("_if_version", l.op, l.out))), wire.IsDurable)
	}
	return refusal(l.op, l.out)
}

// bulkReply counts what became of the lines. Its flags speak of the lines that stand.
func (c *Coordinator) bulkReply(lines []*bulkLine, report bool) *wire.BulkReply {
	r := &wire.BulkReply{Durable: true, Visible: true, Behind: []string{}, Seq: map[string]uint64{}, Errors: []wire.LineError{}}
	flights := make(map[*flight]string)
	for _, l := range lines {
		if l.out.Repeated {
			r.Repeated++
			r.Repeat(wire.LineRange{From: l.number, To: l.number})
		}
		if l.err != nil {
			r.Fail(wire.LineError{Line: l.number, ID: l.op.ID, Code: l.err.Code, Message: l.err.Message, Durable: l.err.Durable})
			continue
		}
		switch l.out.Code {
		case outcome.Created, outcome.Updated:
			r.Indexed++
		case outcome.Deleted:
			r.Deleted++
		case outcome.NotFound:
			r.NotFound++
		default:
			r.Undecided++
			r.Visible = false
			if !l.stored { // wait=none: nothing is known yet
				r.Durable = false
				continue
			}
		}
		flights[l.write.flight] = l.group
		if isClosed(l.write.flight.visible) {
			c.auditor.note(l.group, &l.op, l.out, c.tracker.seqOf(l.write.flight))
		}
	}
	if !r.Stands() {
		r.Durable, r.Visible = false, false
	}
	c.countMembers(r, flights, report)
	r.OK = r.Failed == 0 && r.Durable && len(r.Behind) == 0
	return r
}

// countMembers fills in the groups that the bulk touched, and which of their declared members have applied all of it.
func (c *Coordinator) countMembers(r *wire.BulkReply, flights map[*flight]string, report bool) {
	last := make(map[string]*flight)
	for f, group := range flights {
		v := c.tracker.verdictOf(f, nil)
		r.Visible = r.Visible && v.visible
		if v.seq > r.Seq[group] {
			r.Seq[group] = v.seq
			last[group] = f
		}
	}
	r.Groups = len(last)
	if report {
		r.Report = make(map[string][]wire.Acknowledged, len(last))
	}
	for group, f := range last {
		declared := c.declared(group)
		v := c.tracker.verdictOf(f, declared)
		r.Members += len(declared)
		r.MembersOK += len(v.ok)
		r.Behind = append(r.Behind, v.behind...)
		if report {
			r.Report[group] = c.tracker.reportOf(f, declared, c.start)
		}
	}
	slices.SortFunc(r.Behind, cmp.Compare)
}

// bulkStatus is the HTTP status of a bulk reply: 202 unless the caller waited and all that stands is visible.
func bulkStatus(r *wire.BulkReply, wait string) int {
	if wait != waitApplied || r.Stands() && !r.Visible {
		return 202
	}
	return 200
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
