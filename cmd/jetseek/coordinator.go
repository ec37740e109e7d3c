package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/coordinator"
	"github.com/jetseek/jetseek/coordinator/bridge"
	"github.com/jetseek/jetseek/coordinator/client"
)

func coordinatorCommand() *cli.Command {
	return &cli.Command{
		Name:  "coordinator",
		Usage: "run a coordinator and HTTP, which own no documents; any number may run",
		Flags: slices.Concat(httpFlags(), []cli.Flag{
			&cli.IntFlag{Name: "expect-groups", Value: 1, EnvVars: []string{variable("expect-groups")},
				Usage: "create no collection before `NUMBER` groups serve: those that then do are the cluster's"},
			&cli.StringFlag{Name: "nats-monitor", EnvVars: []string{variable("nats-monitor")},
				Usage: "read at `URL`, the NATS server's monitoring (http://host:8222), whether it syncs every message; nothing is written while it does not"},
		}, keyFlags(), assetFlags(), connectionFlags(), observeFlags()),
		OnUsageError: badUsage,
		Action:       runCoordinator,
	}
}

// httpFlags are the flags of every command that serves HTTP.
func httpFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "http", Value: "127.0.0.1:7700", EnvVars: []string{variable("http")}, Usage: "serve HTTP on `HOST:PORT`; port 0 takes a free one"},
		&cli.BoolFlag{Name: "insecure", EnvVars: []string{variable("insecure")}, Usage: "let HTTP listen beyond this machine, although there are no keys and no TLS yet"},
	}
}

func runCoordinator(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	expect := c.Int("expect-groups")
	if expect < 1 {
		return usageError{fmt.Errorf("--expect-groups %d: at least 1", expect)}
	}
	bind, replicas, err := readAssets(c)
	if err != nil {
		return err
	}
	if err := bridge.CheckAddress(c.String("http"), c.Bool("insecure")); err != nil {
		return usageError{fmt.Errorf("--http: %w", err)}
	}
	keys, err := readKeys(c)
	if err != nil {
		return err
	}
	p, err := newProcess(c)
	if err != nil {
		return err
	}
	listener, err := bridge.Listen(c.String("http"), c.Bool("insecure"))
	if err != nil {
		return fmt.Errorf("%w; choose another with --http, port 0 takes a free one", err)
	}
	co, door, err := p.coordinate(coordinator.Options{Names: p.at.names, ExpectGroups: expect, Keys: keys, Bind: bind, Replicas: replicas, Monitor: c.String("nats-monitor"),
		Log: p.log, Slow: p.seen.slow, Metrics: p.seen.registry})
	if err != nil {
		p.close()
		_ = listener.Close() // what matters is why it did not open
		return err
	}
	server := bridge.NewServer(listener, bridge.Measured(bridge.NewHandler(door, p.log), p.seen.registry), p.log)
	takes := make(chan struct{}) // closed when requests are taken
	return p.run(func(ctx context.Context) (string, error) {
		select {
		case <-takes:
			return "http=" + server.Addr() + " " + p.natsWord(), nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	},
		func(ctx context.Context) error { return co.Run(ctx, func() { close(takes) }) },
		server.Run) // from the start: while NATS is away, it says so
}

// coordinate makes a coordinator with its two connections, and the client behind HTTP with its own.
func (p *process) coordinate(o coordinator.Options) (*coordinator.Coordinator, *client.Client, error) {
	var err error
	if o.Conn, err = p.connect("coordinator"); err != nil {
		return nil, nil, err
	}
	if o.LogConn, err = p.connect("coordinator/log"); err != nil {
		return nil, nil, err
	}
	nc, err := p.connect("http")
	if err != nil {
		return nil, nil, err
	}
	door, err := client.New(nc, client.Options{Prefix: p.at.prefix})
	if err != nil {
		return nil, nil, err
	}
	co, err := coordinator.New(o)
	return co, door, err
}
