package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"
)

// process is a part of a cluster that runs until it is told to end: what shard and coordinator have in common.
type process struct {
	cli   *cli.Context
	at    *connection
	seen  *observer
	log   *slog.Logger
	conns []*nats.Conn

	ending atomic.Bool // connections are closed by us
	closed chan error  // has room for one error; the first counts
}

func newProcess(c *cli.Context) (*process, error) {
	at, err := readConnection(c)
	if err != nil {
		return nil, err
	}
	seen, err := newObserver(c)
	if err != nil {
		return nil, err
	}
	return &process{cli: c, at: at, seen: seen, log: seen.log, closed: make(chan error, 1)}, nil
}

// connect opens a connection that lasts as long as the process: it waits for a server that is not there yet, and finds it again when it was away. Publishes
// while it is down fail at once instead of being kept: what they say is old when it is back.
func (p *process) connect(name string) (*nats.Conn, error) {
	nc, err := p.at.open(name,
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(20*time.Millisecond, 20*time.Millisecond),
		nats.ReconnectBufSize(-1), nats.IgnoreAuthErrorAbort(), nats.PingInterval(10*time.Second), nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			p.log.Warn("NATS", "connection", name, "error", err)
		}),
		nats.ClosedHandler(func(nc *nats.Conn) {
			if p.ending.Load() {
				return
			}
			select {
			case p.closed <- fmt.Errorf("the connection %s to NATS was closed for good: %w", name, nc.LastError()):
			default: // another has said so
			}
		}))
	if err != nil {
		return nil, err
	}
	p.conns = append(p.conns, nc)
	return nc, nil
}

// awaitNATS waits until NATS is there, and says once that it waits.
func (p *process) awaitNATS(ctx context.Context) error {
	nc := p.conns[0]
	up := nc.StatusChanged(nats.CONNECTED)
	defer nc.RemoveStatusListener(up)
	if nc.IsConnected() {
		return nil
	}
	sayWaiting(p.cli, p.at)
	select {
	case <-up:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// run runs the parts until the context ends or one of them fails, and closes the connections when all have ended. Ready waits until the process can do
// its work, and gives what stands in its ready line; nothing when it never will.
func (p *process) run(ready func(context.Context) (string, error), parts ...func(context.Context) error) error {
	defer p.close()
	g, ctx := errgroup.WithContext(p.cli.Context)
	for _, part := range parts {
		g.Go(func() error { return part(ctx) })
	}
	g.Go(func() error { return p.seen.run(ctx) })
	g.Go(func() error { // ends with the process, or ends it
		select {
		case err := <-p.closed:
			return err
		case <-ctx.Done():
			return nil
		}
	})
	g.Go(func() error {
		if err := p.awaitNATS(ctx); err != nil {
			return nil // it ends
		}
		line, err := ready(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil && line != "" {
			say(p.cli, "jetseek ready %s", line)
		}
		return err
	})
	err := g.Wait()
	if p.cli.Context.Err() != nil && (err == nil || errors.Is(err, context.Canceled)) {
		return nil
	}
	return err
}

func (p *process) close() {
	p.ending.Store(true)
	for _, nc := range p.conns {
		nc.Close()
	}
}

// natsWord is the word about NATS of a ready line.
func (p *process) natsWord() string { return "nats=" + p.conns[0].ConnectedUrlRedacted() }

// redacted is a list of URLs without their passwords and tokens.
func redacted(urls string) string {
	var shown []string
	for one := range strings.SplitSeq(urls, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		switch {
		case err != nil:
			one = "(an address that cannot be read)"
		case u.User != nil:
			one = u.Scheme + "://…@" + u.Host
		}
		shown = append(shown, one)
	}
	return strings.Join(shown, ",")
}

// assetFlags say what becomes of streams and buckets.
func assetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "assets", Value: "make", EnvVars: []string{variable("assets")},
			Usage: "streams and bucket: `make` those that are missing, or bind to those that others have made, without changing them"},
		&cli.IntFlag{Name: "replicas", Value: 1, EnvVars: []string{variable("replicas")}, Usage: "`NUMBER` of NATS servers that hold each stream and bucket that is made: 1, 3 or 5"},
	}
}

// readAssets gives the two flags, checked.
func readAssets(c *cli.Context) (bind bool, replicas int, err error) {
	switch c.String("assets") {
	case "make":
	case "bind":
		bind = true
	default:
		return false, 0, usageError{fmt.Errorf("--assets %q: want make or bind", c.String("assets"))}
	}
	replicas, err = readReplicas(c)
	return bind, replicas, err
}

func readReplicas(c *cli.Context) (int, error) {
	switch n := c.Int("replicas"); n {
	case 1, 3, 5:
		return n, nil
	default:
		return 0, usageError{fmt.Errorf("--replicas %d: want 1, 3 or 5", n)}
	}
}

// variable is the environment variable of a flag.
func variable(flag string) string {
	return "JETSEEK_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
