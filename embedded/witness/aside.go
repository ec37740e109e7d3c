package witness

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// Aside is an operation that is set aside, since no member could apply it.
type Aside struct {
	wire.Place
	ID         string
	Value      uint64 // 0 of a delete, and where only a member tells of it
	Superseded bool   // a later operation on the id was done
}

// asides is what a log sets aside: its records name operations, wherever they stand.
type asides struct {
	named map[wire.Place]bool
	now   []Aside // in the order of the log
	ever  []Aside
}

func newAsides() asides { return asides{named: make(map[wire.Place]bool)} }

// learn takes the operation that a record sets aside, if it does.
func (a *asides) learn(seq uint64, r *wire.Record) error {
	if len(r.Ops) != 1 || r.Ops[0].Kind != wire.KindQuarantine {
		return nil
	}
	q, err := wire.DecodeQuarantine(r.Ops[0].Body)
	if err != nil {
		return err
	}
	if q.Seq >= seq {
		return fmt.Errorf("it sets operation %s aside, which stands behind it", q.Place)
	}
	a.named[q.Place] = true
	return nil
}

func (a *asides) put(o Aside) {
	a.now, a.ever = append(a.now, o), append(a.ever, o)
}

func (a *asides) supersede(id string) {
	for i := range a.now {
		a.now[i].Superseded = a.now[i].Superseded || a.now[i].ID == id
	}
}

// take takes out an operation that is tried again. It gives the outcome when that is decided by it; else the operation is to be done.
func (a *asides) take(at wire.Place) (outcome string) {
	i := slices.IndexFunc(a.now, func(o Aside) bool { return o.Place == at })
	if i < 0 {
		return "not_found"
	}
	superseded := a.now[i].Superseded
	a.now = slices.Delete(a.now, i, i+1)
	if superseded {
		return "version_conflict"
	}
	return ""
}

// Asides gives the operations that the log has set aside at any time, of all groups.
func (l *Log) Asides() []Aside {
	var all []Aside
	for _, group := range slices.Sorted(maps.Keys(l.Groups)) {
		all = append(all, l.Groups[group].asides.ever...)
	}
	return all
}

// withoutAsides gives the history with the puts that were stored, and set aside later, as unknown: they took no effect while it lasted.
func (h History) withoutAsides(log *Log) History {
	aside := make(map[uint64]bool)
	for _, o := range log.Asides() {
		aside[o.Value] = true
	}
	if len(aside) == 0 {
		return h
	}
	h = slices.Clone(h)
	for i := range h {
		if e := &h[i]; e.Kind == Put && e.Result == OK && e.Outcome == "" && !e.Visible && aside[e.Value] {
			e.Result = Unknown
		}
	}
	return h
}

// Requeued is an operation that was set aside, and what a coordinator answered when it was tried again.
type Requeued struct {
	Group string
	Aside
	Reply *wire.RequeueBody
}

// asideTimeout bounds the work on all that is set aside, asideLag the time in which every member has applied what was tried again.
const (
	asideTimeout = 2 * time.Minute
	asideLag     = 20 * time.Second
)

var errAside = errors.New("operations are set aside")

// requeueAll tries all again that is set aside in the end, and gives what is left.
func (w *Witness) requeueAll(ctx context.Context) (tried []Requeued, left []wire.QuarantinedBody, err error) {
	ctx, cancel := context.WithTimeout(ctx, asideTimeout)
	defer cancel()
	listed, err := w.listAside(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, o := range listed {
		r := Requeued{Group: o.Group, Aside: Aside{Place: wire.Place{Seq: o.Seq, Op: o.Operation}, ID: o.ID, Superseded: o.Superseded}}
		if r.Reply, err = w.o.Clients[0].Requeue(ctx, r.Group, r.Place); err != nil {
			return tried, nil, fmt.Errorf("try operation %s of %s again: %w", r.Place, r.Group, err)
		}
		tried = append(tried, r)
	}
	left, err = w.awaitNoAside(ctx)
	return tried, left, err
}

// awaitNoAside gives what is still listed when members have had the time to apply what was tried again: whoever is asked may be behind.
func (w *Witness) awaitNoAside(ctx context.Context) (left []wire.QuarantinedBody, err error) {
	soon, cancel := context.WithTimeout(ctx, asideLag)
	defer cancel()
	_ = Retry(soon, func() error { // what is left tells
		if left, err = w.listAside(ctx); err == nil && len(left) > 0 {
			return errAside
		}
		return nil
	})
	return left, err
}

// listAside asks what is set aside until every group has said it.
func (w *Witness) listAside(ctx context.Context) (listed []wire.QuarantinedBody, err error) {
	err = Retry(ctx, func() error {
		q, err := w.o.Clients[0].Quarantine(ctx)
		if err != nil {
			return fmt.Errorf("ask what is set aside: %w", err)
		}
		if len(q.Unanswered) > 0 {
			return fmt.Errorf("groups %v do not say what is set aside", q.Unanswered)
		}
		listed = q.Operations
		return nil
	})
	return listed, err
}
