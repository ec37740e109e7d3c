package main

import (
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/embedded"
)

func natsCommand() *cli.Command {
	return &cli.Command{
		Name:  "nats",
		Usage: "run only the embedded NATS server, with JetStream that syncs every message to disk",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "nats-port", Value: embedded.DefaultNATSPort, EnvVars: []string{variable("nats-port")}, Usage: "listen on `PORT`; 0 takes a free one"},
			&cli.StringFlag{Name: "nats-host", Value: "127.0.0.1", EnvVars: []string{variable("nats-host")}, Usage: "listen on `ADDRESS`"},
			&cli.BoolFlag{Name: "insecure", EnvVars: []string{variable("insecure")}, Usage: "let NATS listen beyond this machine, although there are no users and no TLS yet"},
			&cli.StringFlag{Name: "data", Value: filepath.Join(".jetseek", "nats"), EnvVars: []string{variable("data")}, Usage: "keep streams in `DIR`"},
		},
		OnUsageError: badUsage,
		Action:       runNATS,
	}
}

func runNATS(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	port, host := c.Int("nats-port"), c.String("nats-host")
	switch ip := net.ParseIP(host); {
	case port < 0 || port > 65535:
		return usageError{fmt.Errorf("--nats-port %d: want 0 to 65535", port)}
	case ip == nil:
		return usageError{fmt.Errorf("--nats-host %q: want an IP address, as in 127.0.0.1", host)}
	case !ip.IsLoopback() && !c.Bool("insecure"):
		return usageError{fmt.Errorf("--nats-host %s is open to others, and there are no users and no TLS yet: use 127.0.0.1, or say --insecure", host)}
	case c.String("data") == "":
		return usageError{fmt.Errorf("--data is empty: name a folder")}
	}
	server, err := embedded.OpenNATS(c.String("data"), embedded.NATSOptions{Listen: true, Host: host, Port: port})
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w; --nats-port 0 takes a free port", err)
	}
	if err != nil {
		return err
	}
	say(c, "jetseek ready nats=%s", server.URL())
	select {
	case <-c.Context.Done():
		return server.Close()
	case <-server.Done():
		return errors.Join(errors.New("the NATS server has ended by itself"), server.Close())
	}
}
