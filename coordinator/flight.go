package coordinator

import (
	"slices"
	"sync"
	"time"

	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Times of a verified delete (the lease protocol; L stands in each table entry).
const (
	leaseMargin = 200 * time.Millisecond // added to every wait
	// seenLeases is how many leases of one incarnation are remembered with the time at which they were first heard of.
	seenLeases = 16
	// seenIncarnations is how many incarnations of a group are remembered before those not heard of for forgetIncarnation are dropped.
	seenIncarnations  = 256
	forgetIncarnation = 10 * time.Minute
	// flightLife is how long a message is followed after its publish, whoever waits for it: longer than any lease lasts.
	flightLife = 60 * time.Second
	// flightsPerGroup bounds the messages that are followed at a time in a group; beyond it writes are refused as overloaded.
	flightsPerGroup = 4096
)

// incarnation names one life of a member.
type incarnation struct {
	member string
	number uint64
}

// holder is who must not be able to serve an older snapshot before a write is visible: an incarnation with a lease before it in the log.
type holder struct {
	who   incarnation
	until time.Duration // on the tracker's clock: from here on its lease has certainly run out
}

// flight is one message on its way: published, stored, decided, visible. Its outcomes are the same whichever member reports them, since apply reads nothing
// but the log.
type flight struct {
	group   string
	counter uint64 // names the message in reports, before its sequence is known

	stored  chan struct{} // closed when the log has it
	decided chan struct{} // closed when a member has reported its outcomes
	visible chan struct{} // closed when every member that may serve has applied it
	// committed is closed when a commit record stands behind it though no member has reported: own, which is set before, was the group's ownership.
	committed chan struct{}
	own       *wire.Own
	failed    chan struct{} // closed when the log certainly refused it; refused says why, and is set before
	refused   *wire.Error

	// guarded by the tracker
	launched time.Duration
	seq      uint64
	storedAt time.Duration
	acked    map[incarnation]time.Duration // when this coordinator heard of it
	outcomes []outcome.Outcome
	holders  []holder    // set when decided
	expiry   *time.Timer // ends the following, whatever comes
	leases   *time.Timer // nil, or set to the moment at which the last holder's lease has run out
}

// tracker follows what every member has applied, from watermarks and reports, and tells when a message is visible.
type tracker struct {
	now     func() time.Duration // monotonic
	metrics *metrics

	mu   sync.Mutex // guards everything below, and the flights
	byID map[string]*groupTrack
}

// groupTrack is what is known of one group.
type groupTrack struct {
	members map[string]memberTrack      // newest incarnation of each
	seen    map[incarnation][]seenLease // by g ascending, the newest seenLeases
	flights map[uint64]*flight          // by counter
	changed chan struct{}               // closed at the next watermark
}

// memberTrack is what a member's watermarks say.
type memberTrack struct {
	incarnation uint64
	mark        wire.Watermark
	heard       time.Duration
}

type seenLease struct {
	g  uint64
	at time.Duration // when this coordinator first heard of g, or of a newer one
}

func newTracker(now func() time.Duration) *tracker {
	return &tracker{now: now, metrics: newMetrics(), byID: make(map[string]*groupTrack)}
}

func (t *tracker) group(name string) *groupTrack {
	g := t.byID[name]
	if g == nil {
		g = &groupTrack{members: make(map[string]memberTrack), seen: make(map[incarnation][]seenLease), flights: make(map[uint64]*flight), changed: make(chan struct{})}
		t.byID[name] = g
	}
	return g
}

// launch begins to follow a message before it is published, so that no report of it can come too early. It gives nil when too many are followed.
func (t *tracker) launch(group string, counter uint64) *flight {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.group(group)
	if len(g.flights) >= flightsPerGroup {
		return nil
	}
	f := &flight{group: group, counter: counter, launched: t.now(), stored: make(chan struct{}), decided: make(chan struct{}), visible: make(chan struct{}),
		committed: make(chan struct{}), failed: make(chan struct{}), acked: make(map[incarnation]time.Duration)}
	g.flights[counter] = f
	f.expiry = time.AfterFunc(flightLife, func() { t.abandon(f) })
	return f
}

// abandon stops following a message that was not stored, or that has not become visible in all this time.
func (t *tracker) abandon(f *flight) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.land(t.group(f.group), f)
}

func (t *tracker) land(g *groupTrack, f *flight) {
	f.expiry.Stop()
	if f.leases != nil {
		f.leases.Stop()
	}
	delete(g.flights, f.counter)
}

// storedAs takes the log's acknowledgement.
func (t *tracker) storedAs(f *flight, seq uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.group(f.group)
	t.store(g, f, seq)
	t.evaluate(g, f)
}

// store notes the sequence of a message, from its PubAck or, if that was lost, from a report; watermarks that came before it may have acknowledged it.
func (t *tracker) store(g *groupTrack, f *flight, seq uint64) {
	if f.seq != 0 {
		return
	}
	f.seq, f.storedAt = seq, t.now()
	for id, m := range g.members {
		if m.mark.Applied >= seq {
			f.ack(incarnation{id, m.incarnation}, f.storedAt)
		}
	}
	close(f.stored)
	t.metrics.waited(untilStored, f.storedAt-f.launched)
}

// committed takes a commit record that was stored at seq, guarded by the ownership entry at owned: of the messages between the two, those that no member has
// reported are decided as far as ownership goes.
func (t *tracker) committed(group string, owned uint64, own *wire.Own, seq uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, f := range t.group(group).flights {
		if owned < f.seq && f.seq < seq && f.outcomes == nil && !isClosed(f.committed) {
			f.own = own
			close(f.committed)
		}
	}
}

// follows tells whether a message is still followed.
func (t *tracker) follows(f *flight) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.group(f.group).flights[f.counter] == f
}

// patience is how much longer a report of a stored message may take before a commit record stands in for it: none when no member of the group is heard of.
func (t *tracker) patience(f *flight) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, m := range t.group(f.group).members {
		if now-m.heard < downAfter {
			return f.storedAt + commitAfter - now
		}
	}
	return 0
}

// report takes a member's report of a message of ours.
func (t *tracker) report(r *wire.Report) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.group(r.Group)
	defer t.learn(g, r.Leases) // leases that are news are heard of now, for the holders too
	f := g.flights[r.Counter]
	if f == nil {
		return
	}
	t.store(g, f, r.Seq)
	if f.outcomes == nil {
		f.outcomes = r.Outcomes
		f.holders = t.holdersOf(g, f, r.Leases)
		close(f.decided)
		t.metrics.waited(untilDecided, t.now()-f.launched)
		t.metrics.decided(f.outcomes)
	}
	f.ack(incarnation{r.Member, r.Incarnation}, t.now())
	t.evaluate(g, f)
}

// watermark takes a member's watermark.
func (t *tracker) watermark(w *wire.Watermark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.group(w.Group)
	t.learn(g, w.Leases)
	before := g.members[w.Member]
	if before.incarnation == w.Incarnation && before.mark.Applied > w.Applied {
		w.Applied = before.mark.Applied // a watermark never falls: an older message overtook a newer one
	}
	g.members[w.Member] = memberTrack{incarnation: w.Incarnation, mark: *w, heard: t.now()}
	for _, f := range g.flights {
		if f.seq != 0 && w.Applied >= f.seq {
			f.ack(incarnation{w.Member, w.Incarnation}, t.now())
			t.evaluate(g, f)
		}
	}
	close(g.changed)
	g.changed = make(chan struct{})
}

// learn notes when leases were first heard of.
func (t *tracker) learn(g *groupTrack, table []wire.LeaseEntry) {
	now := t.now()
	if len(g.seen) >= seenIncarnations {
		for who, known := range g.seen {
			if now-known[len(known)-1].at > forgetIncarnation {
				delete(g.seen, who) // if it is met again it counts as heard of just then, which only waits longer
			}
		}
	}
	for _, e := range table {
		who := incarnation{e.Member, e.Incarnation}
		known := g.seen[who]
		if n := len(known); n > 0 && known[n-1].g >= e.G {
			continue
		}
		if len(known) == seenLeases {
			known = slices.Delete(known, 0, 1)
		}
		g.seen[who] = append(known, seenLease{g: e.G, at: now})
	}
}

// holdersOf gives who must be waited for, from the lease table before the message, and until when. Lease g was sent before it was heard of, and before the message
// that follows it in the log was acknowledged; the holder stops L later by its own clock.
func (t *tracker) holdersOf(g *groupTrack, f *flight, table []wire.LeaseEntry) []holder {
	now := t.now()
	holders := make([]holder, 0, len(table))
	for _, e := range table {
		who := incarnation{e.Member, e.Incarnation}
		holders = append(holders, holder{who: who, until: endOf(e, min(f.storedAt, g.heardOf(who, e.G, now)))})
	}
	return holders
}

// endOf gives when a lease that was sent at a moment, or before it, has certainly run out.
func endOf(e wire.LeaseEntry, sent time.Duration) time.Duration {
	length := time.Duration(e.DurationMs) * time.Millisecond
	return sent + length + length*leaseDrift/100 + leaseMargin
}

// ack notes that an incarnation has applied the message; its first word counts.
func (f *flight) ack(who incarnation, now time.Duration) {
	if _, known := f.acked[who]; !known {
		f.acked[who] = now
	}
}

// evaluate closes visible when it holds, and else sets the timer to the moment at which it will if nobody acknowledges.
func (t *tracker) evaluate(g *groupTrack, f *flight) {
	if f.outcomes == nil || isClosed(f.visible) {
		return
	}
	now, latest := t.now(), time.Duration(0)
	for _, h := range f.holders {
		if _, acked := f.acked[h.who]; !acked && now < h.until {
			latest = max(latest, h.until)
		}
	}
	if latest == 0 {
		close(f.visible)
		t.metrics.waited(untilVisible, now-f.launched)
		t.land(g, f)
		return
	}
	if f.leases != nil {
		f.leases.Stop()
	}
	f.leases = time.AfterFunc(latest-now, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.evaluate(g, f)
	})
}

// verdict is what is known of a flight at one moment.
type verdict struct {
	seq      uint64
	outcomes []outcome.Outcome // nil until decided
	visible  bool
	ok       []string // declared members that have applied it
	behind   []string // the others
}

// verdictOf tells how far a message has come, among the declared members of its group.
func (t *tracker) verdictOf(f *flight, declared []string) verdict {
	t.mu.Lock()
	defer t.mu.Unlock()
	v := verdict{seq: f.seq, outcomes: f.outcomes, visible: isClosed(f.visible)}
	g := t.group(f.group)
	for _, id := range declared {
		m := g.members[id]
		if f.seq != 0 && (m.mark.Applied >= f.seq || f.ackedBy(id)) {
			v.ok = append(v.ok, id)
		} else {
			v.behind = append(v.behind, id)
		}
	}
	return v
}

// seqOf is the place of a message in the log; 0 while it is not known.
func (t *tracker) seqOf(f *flight) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return f.seq
}

// ackedBy tells whether some incarnation of a member has applied the message.
func (f *flight) ackedBy(member string) bool {
	for who := range f.acked {
		if who.member == member {
			return true
		}
	}
	return false
}

// marks gives the latest watermark of every member heard of in a group, and how long ago it was heard.
func (t *tracker) marks(group string) map[string]heard {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	all := make(map[string]heard)
	for id, m := range t.group(group).members {
		all[id] = heard{mark: m.mark, ago: now - m.heard}
	}
	return all
}

type heard struct {
	mark wire.Watermark
	ago  time.Duration
}

func isClosed(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
