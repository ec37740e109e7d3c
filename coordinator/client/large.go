package client

import (
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/goccy/go-json"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/registry"
	"github.com/jetseek/jetseek/subjects/wire"
)

// What does not fit a message goes another way: a bulk is split at its lines, and a document, or a line that is too large by itself, is put into the
// cluster's object store, from where the coordinator reads it.

// objects is the cluster's object store, opened when it is first needed.
type objects struct {
	mu    sync.Mutex // guards store
	store *registry.Uploads
}

func (c *Client) openObjects(ctx context.Context) (*registry.Uploads, error) {
	c.objects.mu.Lock()
	defer c.objects.mu.Unlock()
	if c.objects.store != nil {
		return c.objects.store, nil
	}
	js, err := jetstream.New(c.nc)
	if err != nil {
		return nil, err
	}
	store, err := registry.OpenUploads(ctx, js, c.names, registry.Options{Bind: true})
	if err != nil {
		return nil, err
	}
	c.objects.store = store
	return store, nil
}

// largestBody is how large the body of a request may be that is split or goes through the object store; 0: it can do neither.
func (c *Client) largestBody(r Request) int {
	if r.Header.Get(wire.HeaderObject) != "" {
		return 0 // its body is on that way already, so what is too large are its headers
	}
	switch id, _ := ops.Write.Parse(c.names, r.Subject); id {
	case ops.Index:
		return wire.MaxDocumentBytes
	case ops.Bulk:
		return wire.MaxBulkBytes
	}
	return 0
}

// doLarge does a write whose body does not fit a message.
func (c *Client) doLarge(ctx context.Context, r Request) (Reply, error) {
	limit := c.largestBody(r)
	switch {
	case limit == 0:
		return Reply{}, r.unsent(fault.TooLarge, "", "a body of %d bytes with its headers does not fit a message of this NATS server, which takes at most %d (max_payload)", len(r.Body), c.nc.MaxPayload())
	case len(r.Body) > limit:
		return Reply{}, r.unsent(fault.TooLarge, "", "a body of %d bytes: the limit is %d", len(r.Body), limit)
	case limit == wire.MaxBulkBytes:
		return c.splitBulk(ctx, r)
	}
	return c.doObject(ctx, r)
}

// removeTime bounds the removal of an object that was not asked for, for which a caller waits whose own time may be over.
const removeTime = time.Second

// doObject does a write with its body in the object store. The coordinator removes the object; should it not have come to that, this does.
func (c *Client) doObject(ctx context.Context, r Request) (Reply, error) {
	store, err := c.openObjects(ctx)
	if errors.Is(err, subjects.ErrAsset) { // an older cluster, or no coordinator has come up yet
		return Reply{}, r.unsent(fault.TooLarge, "", "%d bytes do not fit a message of this NATS server, which takes at most %d (max_payload), and there is no object store to take them", len(r.Body), c.nc.MaxPayload())
	}
	if err != nil {
		return Reply{}, r.unsent(fault.Unavailable, ReasonNoNATS, "the object store, which takes what does not fit a message, cannot be opened: %v", err)
	}
	name := nuid.Next()
	if err := store.Put(ctx, name, r.Body); err != nil {
		return Reply{}, r.unsent(fault.Unavailable, ReasonNoNATS, "the body could not be put into the object store: %v", err)
	}
	small := r.with(wire.HeaderObject, name)
	small.Body = nil
	reply, err := c.Do(ctx, small)
	if err != nil {
		removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
		defer cancel()
		_ = store.Remove(removing, name) // nobody may have taken it; what is left takes room and does no other harm
	}
	return reply, err
}

// with gives the request with one more header.
func (r Request) with(name, value string) Request {
	r.Header = maps.Clone(r.Header)
	if r.Header == nil {
		r.Header = nats.Header{}
	}
	r.Header.Set(name, value)
	return r
}

// splitBulk sends a bulk piece by piece, in order, and joins the replies. A piece that fails as a whole makes its lines fail; the others stand.
func (c *Client) splitBulk(ctx context.Context, r Request) (Reply, error) {
	var sum *wire.BulkReply
	line := 1
	for rest := r.Body; len(rest) > 0; {
		piece, lines := cutLines(rest, int(c.MaxRequest()))
		rest = rest[len(piece):]
		part := r.with(wire.HeaderFirstLine, strconv.Itoa(line))
		part.Body = piece
		reply, err := c.doPiece(ctx, part)
		if err != nil {
			if sum == nil && len(rest) == 0 {
				return Reply{}, err
			}
			reply = failedLines(piece, line, err)
		}
		sum = joinBulk(sum, reply)
		line += lines
	}
	body, err := json.Marshal(sum)
	if err != nil {
		return Reply{}, err
	}
	status := 200
	if sum.Stands() && !sum.Visible {
		status = 202
	}
	return Reply{Status: status, Header: nats.Header{}, Body: body}, nil
}

// doPiece sends one piece, through the object store if it is one line that is too large.
func (c *Client) doPiece(ctx context.Context, r Request) (*wire.BulkReply, error) {
	do := c.Do
	if int64(len(r.Body)) > c.MaxRequest() {
		do = c.doObject
	}
	reply, err := do(ctx, r)
	if err == nil {
		err = reply.Err()
	}
	if err != nil {
		return nil, err
	}
	out := new(wire.BulkReply)
	return out, json.Unmarshal(reply.Body, out)
}

// cutLines gives whole lines from the front, at most limit bytes of them but one at least, and how many.
func cutLines(body []byte, limit int) (piece []byte, lines int) {
	if len(body) <= limit {
		return body, bytes.Count(body, []byte("\n")) + 1
	}
	end := bytes.LastIndexByte(body[:limit], '\n') + 1
	if end == 0 {
		if end = bytes.IndexByte(body, '\n') + 1; end == 0 {
			end = len(body)
		}
	}
	return body[:end], bytes.Count(body[:end], []byte("\n"))
}

// failedLines says of every line of a piece that it failed.
func failedLines(piece []byte, first int, cause error) *wire.BulkReply {
	e := wire.FromError(cause)
	r := &wire.BulkReply{Behind: []string{}, Seq: map[string]uint64{}, Errors: []wire.LineError{}}
	for line := range bytes.SplitSeq(piece, []byte("\n")) {
		if len(bytes.TrimSpace(line)) > 0 {
			r.Fail(wire.LineError{Line: first, Code: e.Code, Message: e.Message, Durable: e.Durable})
		}
		first++
	}
	return r
}

// joinBulk adds up the replies of two pieces of one bulk, the second of which came behind the first.
func joinBulk(a, b *wire.BulkReply) *wire.BulkReply {
	if a == nil {
		return b
	}
	a.OK = a.OK && b.OK
	if !a.Stands() {
		a.Durable, a.Visible = b.Durable, b.Visible
	} else if b.Stands() {
		a.Durable, a.Visible = a.Durable && b.Durable, a.Visible && b.Visible
	}
	a.Indexed += b.Indexed
	a.Deleted += b.Deleted
	a.NotFound += b.NotFound
	a.Undecided += b.Undecided
	a.Repeated += b.Repeated
	for _, lines := range b.RepeatedLines {
		a.Repeat(lines)
	}
	a.TookMs += b.TookMs
	if b.Groups > a.Groups { // the pieces of a bulk touch the same groups, or nearly
		a.Groups, a.Members, a.MembersOK = b.Groups, b.Members, b.MembersOK
	}
	if a.Seq == nil {
		a.Seq = map[string]uint64{}
	}
	for group, seq := range b.Seq {
		a.Seq[group] = max(a.Seq[group], seq)
	}
	if a.Report == nil {
		a.Report = b.Report
	} else {
		maps.Copy(a.Report, b.Report)
	}
	a.Behind = append(a.Behind, b.Behind...)
	slices.Sort(a.Behind)
	a.Behind = slices.Compact(a.Behind)
	for _, e := range b.Errors {
		a.Fail(e)
	}
	a.Failed += b.Failed - len(b.Errors) // those that b does not name
	return a
}
