package coordinator

import (
	"context"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// walkWindow is how long the first of some walks waits for others that begin with the same snapshots.
	walkWindow = 5 * time.Millisecond
	// holdEvery is how long after members were told to keep a walk's snapshots they are told so again: a third of how long they do.
	holdEvery = 20 * time.Second
)

// walks begin and go on through the logs: nothing of one is kept here, so any coordinator gives any page.
type walks struct {
	beginning singleflight.Group // of one key: walks that begin together

	mu     sync.Mutex // guards secret
	secret []byte     // nil: not read yet
}

// walk is what a page of a walk knows beside its search.
type walk struct {
	*wire.Cursor
	first bool
}

// openWalk gives the walk that a search begins or goes on with, and the search that its page is of. A walk that cannot be planned writes nothing.
func (c *Coordinator) openWalk(ctx context.Context, name string, raw []byte, body *wire.SearchBody) (*walk, *wire.SearchBody, error) {
	limit := publishTry
	if body.TimeoutMs > 0 {
		limit = min(limit, timeout(body))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if body.Cursor != wire.CursorStart {
		return c.continueWalk(ctx, name, body)
	}
	if len(raw) > wire.MaxWalkBytes {
		return nil, nil, fault.New(fault.TooLarge, "a search of %d bytes cannot be walked through: its cursors hold it, and at most %d bytes", len(raw), wire.MaxWalkBytes)
	}
	coll, err := c.collection(ctx, name)
	if err != nil {
		return nil, nil, err
	}
	if _, err := planSearch(coll, body); err != nil {
		return nil, nil, err
	}
	groups, err := c.beginWalk(ctx)
	if err != nil {
		return nil, nil, err
	}
	return &walk{Cursor: &wire.Cursor{Collection: coll.Incarnation, Name: name, Groups: groups, HeldMs: time.Now().UnixMilli(), Body: raw}, first: true}, body, nil
}

// continueWalk reads a cursor, and has members keep the walk's snapshots for longer when it is time. Aggregations and facets are of the first page alone.
func (c *Coordinator) continueWalk(ctx context.Context, name string, body *wire.SearchBody) (*walk, *wire.SearchBody, error) {
	secret, err := c.cursorSecret(ctx)
	if err != nil {
		return nil, nil, err
	}
	cursor, err := wire.OpenCursor(secret, body.Cursor)
	if err != nil {
		return nil, nil, fault.New(fault.BadRequest, "%v", err)
	}
	if cursor.Name != name {
		return nil, nil, fault.New(fault.BadRequest, "the cursor is of collection %s", fault.Quote(cursor.Name))
	}
	page, err := wire.DecodeSearch(cursor.Body)
	if err != nil {
		return nil, nil, err
	}
	page.Aggs, page.Facets = nil, nil
	if body.TimeoutMs > 0 {
		page.TimeoutMs = body.TimeoutMs
	}
	if now := time.Now().UnixMilli(); now-cursor.HeldMs >= holdEvery.Milliseconds() || now < cursor.HeldMs {
		if _, err := c.pin(ctx, cursor.Groups); err == nil { // else the next page tries again
			cursor.HeldMs = now
		}
	}
	return &walk{Cursor: cursor}, page, nil
}

// beginWalk has every member keep its snapshot at one place of its group's log, and gives these places. Walks that begin together share them.
func (c *Coordinator) beginWalk(ctx context.Context) ([]wire.GroupSeq, error) {
	begun := c.walks.beginning.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(c.ended, walkWindow+publishTry)
		defer cancel()
		select {
		case <-ctx.Done():
		case <-time.After(walkWindow):
		}
		c.walks.beginning.Forget("") // who comes from here on may have seen a write that the pins stand before
		m := c.view.View().Map
		if m == nil {
			return nil, unavailable(reasonNoMap, "no collection was created yet")
		}
		groups := make([]wire.GroupSeq, len(m.Groups))
		for i, g := range m.Groups {
			groups[i].Group = g.Name
		}
		return c.pin(ctx, groups)
	})
	select {
	case <-ctx.Done():
		return nil, fault.New(fault.Deadline, "the walk could not begin in time")
	case r := <-begun:
		if r.Err != nil {
			return nil, r.Err
		}
		return r.Val.([]wire.GroupSeq), nil
	}
}

// pin writes a pin into the log of each group: of the snapshot at the given sequence, or, where that is 0, at the pin's own place. It gives the pins' places.
func (c *Coordinator) pin(ctx context.Context, groups []wire.GroupSeq) ([]wire.GroupSeq, error) {
	places := slices.Clone(groups)
	g, ctx := errgroup.WithContext(ctx)
	for i := range groups {
		g.Go(func() (err error) {
			op := wire.Op{Kind: wire.KindPin, IfVersion: wire.NoCondition, Body: wire.AppendPin(nil, &wire.Pin{At: groups[i].Seq})}
			places[i].Seq, err = c.tell(ctx, groups[i].Group, op)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, unavailable(reasonLogRefused, "the snapshots of the walk cannot be kept: %v", err)
	}
	return places, nil
}

// cursorSecret gives what cursors are sealed with: one secret in the cluster.
func (c *Coordinator) cursorSecret(ctx context.Context) ([]byte, error) {
	c.walks.mu.Lock()
	secret := c.walks.secret
	c.walks.mu.Unlock()
	if secret != nil {
		return secret, nil
	}
	secret, err := c.registry.CursorSecret(ctx)
	if err != nil {
		return nil, unavailable(reasonNoNATS, "the secret of cursors cannot be read: %v", err)
	}
	c.walks.mu.Lock()
	defer c.walks.mu.Unlock()
	c.walks.secret = secret
	return secret, nil
}

// onWalk makes the plan that of a page: one place more than the page has is asked for, to know whether another page follows, and later pages count nothing.
func (p *plan) onWalk(w *walk) error {
	if p.coll.Incarnation != w.Collection {
		return fault.New(fault.CursorExpired, "collection %s was dropped since the walk began, and made again", p.coll.Name)
	}
	p.walk = w
	p.limit++
	if !w.first {
		p.countTo = 1
	}
	return nil
}

// after gives the place that candidates must come after; nil: all are taken.
func (p *plan) after() *query.Candidate {
	if p.walk == nil || p.walk.first {
		return nil
	}
	return &p.walk.After
}

// snapshot gives the snapshot of a group that all requests are of; 0 when the search is no walk.
func (p *plan) snapshot(group string) uint64 {
	if p.walk == nil {
		return 0
	}
	seq, _ := p.walk.Seq(group)
	return seq
}

// walkError is the error of a page for which a group is missing: there is none without it, for what it had would be passed over.
func (a *answered) walkError(failed *wire.Error) error {
	switch {
	case isRequestFault(failed):
		return failed
	case failed.Reason == wire.ReasonPinLost && a.plan.walk.first:
		return fault.New(fault.Overloaded, "too many walks have begun within a minute, so no more snapshots are kept: try again in a while, or page with from")
	case failed.Reason == wire.ReasonPinLost:
		return fault.New(fault.CursorExpired, "the walk's snapshot is gone: it is kept for a minute after a page, and not over a restart. Begin again")
	case failed.Reason == reasonNoMember && !a.plan.walk.first: // it may be back with its snapshot, or without
		return unavailable(reasonNoMember, "the page cannot be given: %s. The walk goes on when a member that keeps its snapshot is back within a minute; else begin again", failed.Message)
	}
	return failed
}

// cursor gives the token of the page behind, "" when the snapshot has no place there.
func (a *answered) cursor(ctx context.Context, c *Coordinator, total wire.Total) (string, error) {
	found := 0
	for _, part := range a.parts {
		found += len(part.result.Candidates)
	}
	if found-a.page.Duplicates <= len(a.page.Page) {
		return "", nil
	}
	secret, err := c.cursorSecret(ctx)
	if err != nil {
		return "", err
	}
	next := *a.plan.walk.Cursor
	next.Total, next.After = total, a.page.Page[len(a.page.Page)-1]
	return wire.SealCursor(secret, &next), nil
}
