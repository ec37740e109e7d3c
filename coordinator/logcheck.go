package coordinator

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// checkEvery is how often the settings of all logs are compared with what they must be, checkAgain how soon when something was wrong, or could not be read.
	checkEvery = time.Minute
	checkAgain = 5 * time.Second
	// goneLooks is how often in a row a stream must be missing to be called gone: a server that opens its store does not know all of them at once. goneAgain is the time between.
	goneLooks = 3
	goneAgain = time.Second
)

// logChecks knows what is wrong with logs. Nothing is written to a log while something is; when it is found to be right again, writes go on.
type logChecks struct {
	mu       sync.Mutex             // guards the fields below
	settings map[string]*wire.Error // by group, those of the map: a setting that could lose what is written
	setBack  map[string]setBack     // by group: the log gave a place again that it had given before
	due      map[string]time.Time   // by group: when it is looked at again
	missed   map[string]int         // by group: how often in a row there was no stream
	lacking  map[string]string      // by group: what the log has lost that members have applied; it is written to all the same
	sync     syncState              // of the NATS server
}

// setBack is a log that was found to be shorter than what it had acknowledged.
type setBack struct {
	seen uint64 // it had acknowledged so far
	err  *wire.Error
}

// wrong gives why nothing may be written to a group's log, or nil.
func (k *logChecks) wrong(group string) *wire.Error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if back, found := k.setBack[group]; found {
		return back.err
	}
	return k.settings[group]
}

// findings gives all that is wrong, in the order of groups.
func (k *logChecks) findings() []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	by := make(map[string]string)
	maps.Copy(by, k.lacking)
	for group, err := range k.settings {
		by[group] = err.Message
	}
	for group, back := range k.setBack {
		by[group] = back.err.Message
	}
	all := make([]string, 0, len(by))
	for _, group := range slices.SortedFunc(maps.Keys(by), placement.CompareGroups) {
		all = append(all, by[group])
	}
	return all
}

// setting notes what is wrong with a log's settings, nil for nothing, and tells whether that is news.
func (k *logChecks) setting(group string, err *wire.Error) (news bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, known := k.settings[group]
	if err == nil {
		delete(k.settings, group)
		return known
	}
	if k.settings == nil {
		k.settings = make(map[string]*wire.Error)
	}
	k.settings[group] = err
	return !known
}

// isDue tells whether a log is to be looked at.
func (k *logChecks) isDue(group string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return !time.Now().Before(k.due[group])
}

// again says in how long a log is to be looked at again.
func (k *logChecks) again(group string, in time.Duration) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.due == nil {
		k.due = make(map[string]time.Time)
	}
	k.due[group] = time.Now().Add(in)
}

// doubt has a log looked at soon.
func (k *logChecks) doubt(group string) { k.again(group, 0) }

// misses counts a look that found no stream.
func (k *logChecks) misses(group string) int {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.missed == nil {
		k.missed = make(map[string]int)
	}
	k.missed[group]++
	return k.missed[group]
}

// found forgets such looks.
func (k *logChecks) found(group string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.missed, group)
}

// lacks notes what a log has lost, "" for nothing, and tells whether that is news.
func (k *logChecks) lacks(group, what string) (news bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if what == k.lacking[group] {
		return false
	}
	if k.lacking == nil {
		k.lacking = make(map[string]string)
	}
	k.lacking[group] = what
	if what == "" {
		delete(k.lacking, group)
	}
	return what != ""
}

// wasSetBack notes a log that was set back.
func (k *logChecks) wasSetBack(group string, seen uint64, err *wire.Error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.setBack == nil {
		k.setBack = make(map[string]setBack)
	}
	k.setBack[group] = setBack{seen, err}
}

// restored forgets that logs were set back which a member that serves has followed beyond what had been acknowledged: members compare the log with all that they applied, and
// end where it differs. It gives their groups.
func (k *logChecks) restored(beyond func(group string, seen uint64) bool) []string {
	k.mu.Lock()
	defer k.mu.Unlock()
	var groups []string
	for group, back := range k.setBack {
		if beyond(group, back.seen) {
			groups = append(groups, group)
			delete(k.setBack, group)
		}
	}
	return groups
}

// checkLogs compares all logs with what they must be, at once and each minute, and sooner while something is wrong, until ctx ends.
func (c *Coordinator) checkLogs(ctx context.Context) error {
	look := time.NewTicker(time.Second)
	defer look.Stop()
	var syncDue time.Time
	for {
		if now := time.Now(); !now.Before(syncDue) {
			syncDue = now.Add(c.checkSync(ctx))
		}
		for _, group := range c.logged() {
			if c.checks.isDue(group) {
				c.checkSettings(ctx, group)
			}
		}
		for _, group := range c.checks.restored(c.tracker.servedBeyond) {
			c.log.Info("a log that was set back holds all that it had acknowledged again: it is written to", "group", group)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
}

// logged gives the groups of the map: the logs that are written to.
func (c *Coordinator) logged() []string {
	m := c.view.View().Map
	if m == nil {
		return nil
	}
	names := make([]string, len(m.Groups))
	for i, g := range m.Groups {
		names[i] = g.Name
	}
	return names
}

// checkSettings compares a stream with what a log must be, and notes when to look again.
func (c *Coordinator) checkSettings(ctx context.Context, group string) {
	c.checks.again(group, c.lookAt(ctx, group))
}

func (c *Coordinator) lookAt(ctx context.Context, group string) (again time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	stream, err := c.js.Stream(ctx, c.names.Stream(group))
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		if c.checks.misses(group) < goneLooks {
			return goneAgain
		}
		gone := unavailable(reasonLogRewritten, "the log of group %s is gone: there is no stream %s. Its members keep what they have applied: restore the stream from a backup, and those that run go on", group, c.names.Stream(group))
		if c.checks.setting(group, gone) {
			c.log.Error("a log is gone", "group", group, "stream", c.names.Stream(group))
		}
		return checkAgain
	}
	if err != nil {
		c.log.Debug("the settings of a log could not be read", "group", group, "error", err)
		return checkAgain // what was known stands: a write finds out by itself whether the log takes it
	}
	c.checks.found(group)
	c.checkWhole(group, stream.CachedInfo().State)
	err = c.names.CheckStream(group, stream.CachedInfo().Config)
	if err == nil {
		err = c.checks.unsynced()
	}
	if err == nil {
		if c.checks.setting(group, nil) {
			c.log.Info("a log is kept as it must be again: it is written to", "group", group)
		}
		return checkEvery
	}
	found := unavailable(reasonLogSettings, "the log of group %s is not kept as it must be, so that writes could be lost: %v; change the settings", group, err)
	if c.checks.setting(group, found) {
		c.log.Error("a log is not kept as it must be: nothing is written to it", "group", group, "error", err)
	}
	return checkAgain
}

// checkWhole looks whether a log holds all that was ever written to it: nothing is removed from it. Members that had applied what it lacks go on, and so do writes.
func (c *Coordinator) checkWhole(group string, state jetstream.StreamState) {
	what := ""
	switch {
	case state.FirstSeq > 1:
		what = fmt.Sprintf("the log of group %s begins at message %d: what was before it was purged, and only members that have applied it hold it. Keep their data folders; a member "+
			"without its data needs a copy of one of them, or the stream from a backup", group, state.FirstSeq)
	case state.NumDeleted > 0:
		what = fmt.Sprintf("the log of group %s has lost %d messages in its midst, and only members that have applied them hold them. Keep their data folders; restore the stream from a backup "+
			"or a healthy replica", group, state.NumDeleted)
	}
	if c.checks.lacks(group, what) {
		c.log.Error("a log has lost messages that it had acknowledged", "group", group, "first", state.FirstSeq, "deleted", state.NumDeleted)
	}
}

// wrong gives why nothing may be written to the log, or nil. The first write to a log has its settings checked.
func (p *packer) wrong(ctx context.Context) *wire.Error {
	if e := p.c.storesNothing(); e != nil {
		return e
	}
	if !p.checked {
		p.checked = true
		p.c.checkSettings(ctx, p.group)
	}
	if e := p.c.checks.wrong(p.group); e != nil {
		return e
	}
	return p.c.otherKeys(p.group)
}

// storesNothing tells that the NATS server of this process has failed to write to its disk, or nil.
func (c *Coordinator) storesNothing() *wire.Error {
	if c.storeFailed == nil {
		return nil
	}
	reason := c.storeFailed()
	if reason == "" {
		return nil
	}
	return unavailable(reasonLogFull, "NATS stores nothing: %s; make room on its disk, then it goes on by itself", reason)
}

// setBack takes an acknowledgement that names a place which the log had given to another message: NATS has lost what it had acknowledged. What this message became is
// not known, and no other follows it.
func (p *packer) setBack(f *flight, seq, seen uint64) {
	rewritten := unavailable(reasonLogRewritten, "the log of group %s stored a message as number %d after %d had been acknowledged: NATS has lost what it had stored. Nothing "+
		"more is written to it: restore the stream from a backup or a healthy replica, then start its members again; to go on with what it has now, "+
		"start members with empty data folders, then all coordinators again", p.group, seq, seen)
	p.c.checks.wasSetBack(p.group, seen, rewritten)
	p.c.log.Error("a log was set back", "group", p.group, "stored", seq, "acknowledged", seen)
	f.refused = withDurable(rewritten, wire.DurableUnknown)
	close(f.failed)
	p.c.tracker.abandon(f)
}

// highest is the highest sequence that a group's log is known to have held.
func (t *tracker) highest(group string) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	g, top := t.group(group), uint64(0)
	for _, m := range g.members {
		top = max(top, m.mark.Applied)
	}
	return top
}

// servedBeyond tells whether a member that serves, and was heard just now, has applied more of a group's log than up to a sequence.
func (t *tracker) servedBeyond(group string, seq uint64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	for _, m := range t.group(group).members {
		if now-m.heard < silentAfter && m.mark.State == "serving" && m.mark.Applied > seq {
			return true
		}
	}
	return false
}

// isFull tells whether a log refused a message since it has no room: of the stream, of the account, or of the server's disk.
func isFull(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return false
	}
	switch api.ErrorCode {
	case 10023, 10047, 10077: // insufficient resources, storage exceeded, store failed: maximum bytes exceeded or no space left
		return true
	}
	return false
}

// unsynced is the error of a NATS server that is known not to sync every message.
func (k *logChecks) unsynced() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.sync.known && !k.sync.always {
		return fmt.Errorf("the NATS server syncs every %s, and what it acknowledged meanwhile is lost with the power: set sync_interval: always", k.sync.interval)
	}
	return nil
}
