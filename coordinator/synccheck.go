package coordinator

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// varzBytes bounds what is read of a monitoring's answer.
const varzBytes = 1 << 20

// syncState is what is known of whether the NATS server syncs every message before it acknowledges it.
type syncState struct {
	known    bool
	always   bool
	interval time.Duration // between syncs, unless always
	why      string        // it is not known
}

// String is what status shows.
func (s syncState) String() string {
	switch {
	case !s.known:
		return "unknown: " + s.why
	case s.always:
		return "always"
	}
	return "every " + s.interval.String()
}

// syncs tells whether the server syncs every message, as far as it is known.
func (k *logChecks) syncs() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.sync.String()
}

// checkSync asks the NATS server's monitoring how it syncs, and gives when to ask again.
func (c *Coordinator) checkSync(ctx context.Context) time.Duration {
	now := syncState{known: c.synced, always: c.synced, why: "the server's monitoring address was not given (--nats-monitor)"}
	pause := checkEvery
	if !c.synced && c.monitor != "" {
		var err error
		if now, err = readSync(ctx, c.monitor); err != nil {
			c.log.Warn("how NATS syncs could not be read", "error", err)
			now.why, pause = err.Error(), checkAgain
		}
	}
	if now.known && !now.always {
		pause = checkAgain
	}
	c.checks.mu.Lock()
	defer c.checks.mu.Unlock()
	c.checks.sync = now
	return pause
}

// readSync reads how a NATS server syncs from its monitoring, http://host:8222.
func readSync(ctx context.Context, monitor string) (syncState, error) {
	ctx, cancel := context.WithTimeout(ctx, publishTry)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(monitor, "/")+"/varz", nil)
	if err != nil {
		return syncState{}, fmt.Errorf("monitoring address: %w", err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return syncState{}, fmt.Errorf("read the server's monitoring: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return syncState{}, fmt.Errorf("read the server's monitoring: %s", resp.Status)
	}
	var body struct {
		JetStream struct {
			Config *struct {
				SyncAlways   bool          `json:"sync_always"`
				SyncInterval time.Duration `json:"sync_interval"`
			} `json:"config"`
		} `json:"jetstream"`
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, varzBytes)).Decode(&body); err != nil {
		return syncState{}, fmt.Errorf("read the server's monitoring: %w", err)
	}
	if body.JetStream.Config == nil {
		return syncState{}, fmt.Errorf("the server at %s has no JetStream", monitor)
	}
	return syncState{known: true, always: body.JetStream.Config.SyncAlways, interval: body.JetStream.Config.SyncInterval}, nil
}
