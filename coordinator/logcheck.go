package coordinator

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// checkEvery is how often the settings of a log that is written to are compared with what they must be, checkAgain how soon when they could not be read.
	checkEvery = time.Minute
	checkAgain = 5 * time.Second
)

// logState is what a packer knows to be wrong with its log; used by its run alone.
type logState struct {
	due       time.Time   // of the next check
	settings  *wire.Error // as of the last check
	rewritten *wire.Error // for good
}

// wrong gives why nothing may be written to the log, or nil.
func (p *packer) wrong(ctx context.Context) *wire.Error {
	if p.log.rewritten != nil {
		return p.log.rewritten
	}
	if now := time.Now(); !now.Before(p.log.due) {
		p.log.due = now.Add(p.checkSettings(ctx))
	}
	return p.log.settings
}

// checkSettings compares the stream with what a log must be, and gives when to look again.
func (p *packer) checkSettings(ctx context.Context) time.Duration {
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	stream, err := p.c.js.Stream(ctx, p.c.names.Stream(p.group))
	if err != nil {
		p.c.log.Debug("the settings of a log could not be read", "group", p.group, "error", err)
		return checkAgain // what was known stands: a write finds out by itself whether the log takes it
	}
	err = p.c.names.CheckStream(p.group, stream.CachedInfo().Config)
	if err == nil {
		p.log.settings = nil
		return checkEvery
	}
	if p.log.settings == nil {
		p.c.log.Error("a log is not kept as it must be: nothing is written to it", "group", p.group, "error", err)
	}
	p.log.settings = unavailable(reasonLogSettings, "the log of group %s is not kept as it must be, so that writes could be lost: %v; change the stream's settings", p.group, err)
	return checkAgain
}

// setBack takes an acknowledgement that names a place which the log had given to another message: NATS has lost what it had acknowledged. What this message became is
// not known, and no other follows it.
func (p *packer) setBack(f *flight, seq, seen uint64) {
	p.log.rewritten = unavailable(reasonLogRewritten, "the log of group %s stored a message as number %d after %d had been acknowledged: NATS has lost what it had stored. Nothing "+
		"more is written to it: restore the stream from a backup or a healthy replica, then start members and coordinators again", p.group, seq, seen)
	p.c.log.Error("a log was set back", "group", p.group, "stored", seq, "acknowledged", seen)
	f.refused = withDurable(p.log.rewritten, wire.DurableUnknown)
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
