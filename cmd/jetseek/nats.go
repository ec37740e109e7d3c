package main

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/embedded"
	"github.com/jetseek/jetseek/subjects"
)

func natsCommand() *cli.Command {
	return &cli.Command{
		Name:  "nats",
		Usage: "run only the embedded NATS server, with JetStream that syncs every message to disk",
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "nats-port", Value: embedded.DefaultNATSPort, EnvVars: []string{variable("nats-port")}, Usage: "listen on `PORT`; 0 takes a free one"},
			&cli.StringFlag{Name: "nats-host", Value: "127.0.0.1", EnvVars: []string{variable("nats-host")}, Usage: "listen on `ADDRESS`"},
			&cli.BoolFlag{Name: "insecure", EnvVars: []string{variable("insecure")}, Usage: "let NATS listen beyond this machine, although there are no users and no TLS yet"},
			&cli.StringFlag{Name: "name", EnvVars: []string{variable("nats-name")}, Usage: "`NAME` of this server among those of a cluster, which it keeps"},
			&cli.IntFlag{Name: "cluster-port", EnvVars: []string{variable("cluster-port")}, Usage: "be reached by the other servers of a cluster on `PORT`"},
			&cli.StringFlag{Name: "routes", EnvVars: []string{variable("routes")}, Usage: "`LIST` of servers of the cluster, as in 10.0.0.1:6222,10.0.0.2:6222; this one may be among them"},
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
	cluster, err := readNATSCluster(c)
	if err != nil {
		return err
	}
	server, err := embedded.OpenNATS(c.String("data"), embedded.NATSOptions{Listen: true, Host: host, Port: port, Cluster: cluster})
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("%w; --nats-port 0 takes a free port for clients", err)
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

// readNATSCluster reads the place of a server in a cluster; nil: it is alone.
func readNATSCluster(c *cli.Context) (*embedded.NATSCluster, error) {
	name, port, routes := c.String("name"), c.Int("cluster-port"), c.String("routes")
	if name == "" && !c.IsSet("cluster-port") && routes == "" {
		return nil, nil
	}
	cluster := &embedded.NATSCluster{Name: name, Port: port}
	switch {
	case subjects.ValidNode(name) != nil:
		return nil, usageError{fmt.Errorf("--name %q: a server of a cluster has a name of letters, digits, - and _, which no other has", name)}
	case port < 1 || port > 65535:
		return nil, usageError{fmt.Errorf("--cluster-port %d: want 1 to 65535: the other servers reach this one there", port)}
	case routes == "":
		return nil, usageError{errors.New("--routes is missing: name servers of the cluster, as in --routes 10.0.0.1:6222,10.0.0.2:6222")}
	}
	for at := range strings.SplitSeq(routes, ",") {
		if _, _, err := net.SplitHostPort(at); err != nil {
			return nil, usageError{fmt.Errorf("--routes %q: want HOST:PORT: %w", at, err)}
		}
		cluster.Routes = append(cluster.Routes, &url.URL{Scheme: "nats", Host: at})
	}
	return cluster, nil
}
