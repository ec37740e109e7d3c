//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded/witness"
	"github.com/jetseek/jetseek/subjects"
)

// Times of a run beside the plan's.
const (
	startTimeout  = 90 * time.Second
	lateWrites    = 7 * time.Second // after the last client: what coordinators still offer to the log
	settleTimeout = 90 * time.Second
	gatherTimeout = 3 * time.Minute
)

// Cluster is the processes of one run, and a witness of them. It is used once.
type Cluster struct {
	plan      *Plan
	dir       string
	urls      string
	processes []*process // servers, nodes, coordinators: started in this order, ended in the other
	conns     []*nats.Conn
	witness   *witness.Witness

	mu    sync.Mutex // guards notes
	notes []string
}

func (c *Cluster) note(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.notes = append(c.notes, fmt.Sprintf("%.3f s: ", c.witness.Now().Seconds())+fmt.Sprintf(format, args...))
}

// openCluster starts all processes and creates the collection. Whatever it gives must be closed.
func openCluster(ctx context.Context, plan *Plan, bin, dir string) (*Cluster, error) {
	c := &Cluster{plan: plan, dir: dir}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := os.MkdirAll(filepath.Join(dir, "log"), 0o750); err != nil {
		return c, err
	}
	if err := c.define(ctx, bin); err != nil {
		return c, err
	}
	for _, p := range c.processes {
		if err := p.start(); err != nil {
			return c, err
		}
	}
	var doors []*client.Client
	for range len(plan.Clients) {
		nc, err := c.connect(ctx)
		if err != nil {
			return c, err
		}
		door, err := client.New(nc, client.Options{})
		if err != nil {
			return c, err
		}
		doors = append(doors, door)
	}
	nc, err := c.connect(ctx)
	if err != nil {
		return c, err
	}
	c.witness = witness.New(witness.Options{Conn: nc, Groups: plan.groups(), Members: plan.memberIDs(), Clients: doors, Seed: plan.Seed})
	return c, c.witness.Open(ctx)
}

// define makes the processes with their disks and arguments.
func (c *Cluster) define(ctx context.Context, bin string) error {
	ports, err := freePorts(2 * c.plan.Servers)
	if err != nil {
		return err
	}
	clientPorts, routePorts := ports[:c.plan.Servers], ports[c.plan.Servers:]
	c.urls = strings.Join(addresses("nats://", clientPorts), ",")
	add := func(name string, keeps bool, args ...string) error {
		var d *disk
		if keeps {
			if d, err = newDisk(ctx, c.plan.Disk, c.dir, name); err != nil {
				return fmt.Errorf("make a disk for %s: %w", name, err)
			}
			args = append(args, "--data", d.dir)
		}
		c.processes = append(c.processes, newProcess(bin, c.dir, name, d, args...))
		return nil
	}
	for i, name := range c.plan.servers() {
		args := []string{"nats", "--nats-port", strconv.Itoa(clientPorts[i])}
		if c.plan.Servers > 1 {
			args = append(args, "--name", name, "--cluster-port", strconv.Itoa(routePorts[i]), "--routes", strings.Join(addresses("", routePorts), ","))
		}
		if err := add(name, true, args...); err != nil {
			return err
		}
	}
	reach := []string{"--nats", c.urls, "--replicas", strconv.Itoa(c.plan.Servers)}
	for i, name := range c.plan.nodes() {
		args := append([]string{"shard", "--node", name, "--groups", strings.Join(c.plan.groupsOf(i), ","), "--lease", c.plan.Lease.String()}, reach...)
		if err := add(name, true, args...); err != nil {
			return err
		}
	}
	for _, name := range c.plan.coordinators() {
		args := append([]string{"coordinator", "--http", "127.0.0.1:0", "--expect-groups", strconv.Itoa(c.plan.Groups)}, reach...)
		if err := add(name, false, args...); err != nil {
			return err
		}
	}
	return nil
}

func addresses(scheme string, ports []int) []string {
	all := make([]string, len(ports))
	for i, port := range ports {
		all[i] = fmt.Sprintf("%s127.0.0.1:%d", scheme, port)
	}
	return all
}

// freePorts gives ports that nobody listens on now. They are those of servers that are started again, which have to keep theirs.
func freePorts(n int) ([]int, error) {
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		defer l.Close() // when all are chosen
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports, nil
}

// connect opens a connection that lasts as long as the run.
func (c *Cluster) connect(ctx context.Context) (*nats.Conn, error) {
	nc, err := nats.Connect(c.urls, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond), nats.ReconnectJitter(0, 0),
		nats.ReconnectBufSize(-1), nats.Timeout(time.Second), nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, err
	}
	c.conns = append(c.conns, nc)
	return nc, witness.Retry(ctx, func() error {
		if !nc.IsConnected() {
			return errors.New("NATS is not there")
		}
		return nil
	})
}

// find gives processes by name.
func (c *Cluster) find(name string) *process {
	i := slices.IndexFunc(c.processes, func(p *process) bool { return p.name == name })
	if i < 0 {
		panic(fmt.Sprintf("no process %q", name))
	}
	return c.processes[i]
}

// leader gives the server that leads the log of the first group, "" when there is none now.
func (c *Cluster) leader(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	js, err := jetstream.New(c.conns[len(c.conns)-1])
	if err != nil {
		return ""
	}
	stream, err := js.Stream(ctx, subjects.Names{}.Stream(c.plan.groups()[0]))
	if err != nil || stream.CachedInfo().Cluster == nil {
		return ""
	}
	return stream.CachedInfo().Cluster.Leader
}

// settle waits until all is well again.
func (c *Cluster) settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	return c.witness.Settle(ctx)
}

// close ends everything: connections, coordinators, nodes, servers, disks.
func (c *Cluster) close() error {
	for _, nc := range c.conns {
		nc.Close()
	}
	var errs []error
	for _, p := range slices.Backward(c.processes) {
		p.kill()
		if p.disk != nil {
			errs = append(errs, p.disk.close(context.Background()))
		}
	}
	return errors.Join(errs...)
}
