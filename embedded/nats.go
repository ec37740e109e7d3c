package embedded

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/shard"
)

// natsStart bounds how long the server may take to open its store.
const natsStart = time.Minute

// DefaultNATSPort is where NATS clients look for a server.
const DefaultNATSPort = 4222

// NATSOptions say where a NATS server listens, and with whom it works.
type NATSOptions struct {
	// Listen lets other processes connect; else the server is reached from inside this process only.
	Listen bool
	// Host is the address to listen on; "": 127.0.0.1.
	Host string
	// Port to listen on; 0: any free one.
	Port int
	// Cluster joins the server to others; nil: it is alone.
	Cluster *NATSCluster
}

// NATSCluster is a server's place among others, which together keep streams of several replicas.
type NATSCluster struct {
	// Name of this server, which no other of the cluster has and which it keeps: replicas are assigned to it.
	Name string
	// Port on which the others reach it, at the host on which it listens.
	Port int
	// Routes are where servers of the cluster are reached, as in nats://10.0.0.2:6222; its own may be among them.
	Routes []*url.URL
}

// natsClusterName is the name of a cluster of our servers; servers of another do not join it.
const natsClusterName = "jetseek"

// NATS is a NATS server with JetStream in this process. It syncs every message to disk before it acknowledges it: without that, acknowledged writes are lost
// with the power.
type NATS struct {
	srv     *server.Server
	listens bool
	lock    *flock.Flock // nil when someone else holds the folder
	store   *store       // nil in a cluster, where others have what this one could not write
	unwatch func()       // ends the watch over store
}

// OpenNATS runs only the server, on a data folder as [Open] has it, which it makes if absent and locks. The caller must Close it.
func OpenNATS(dir string, o NATSOptions) (*NATS, error) {
	lock, err := shard.LockFolder(dir)
	if err != nil {
		return nil, err
	}
	s, err := startNATS(filepath.Join(dir, "nats"), o)
	if err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	s.lock = lock
	return s, nil
}

func startNATS(dir string, o NATSOptions) (*NATS, error) {
	opts := &server.Options{
		ServerName: "jetseek", DontListen: !o.Listen, Host: cmp.Or(o.Host, "127.0.0.1"), Port: o.Port,
		JetStream: true, StoreDir: dir, SyncAlways: true,
		NoSigs: true, NoLog: true, PingInterval: 10 * time.Second, MaxPingsOut: 2,
	}
	if c := o.Cluster; c != nil {
		if err := checkFree(opts.Host, c.Port); err != nil {
			return nil, fmt.Errorf("start NATS for others of its cluster: %w", err)
		}
		opts.ServerName, opts.Routes = c.Name, c.Routes
		opts.Cluster = server.ClusterOpts{Name: natsClusterName, Host: opts.Host, Port: c.Port}
	}
	if o.Listen {
		if err := checkFree(opts.Host, o.Port); err != nil {
			return nil, fmt.Errorf("start NATS: %w", err)
		}
		if o.Port == 0 {
			opts.Port = server.RANDOM_PORT
		}
	}
	srv, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("start NATS: %w", err)
	}
	s := &NATS{srv: srv, listens: o.Listen, unwatch: func() {}}
	if o.Cluster == nil {
		s.store = &store{srv: srv, dir: dir}
		srv.SetLogger(s.store, false, false)
	}
	srv.Start()
	if !srv.ReadyForConnections(natsStart) {
		srv.Shutdown()
		return nil, fmt.Errorf("start NATS: not ready after %s: is the port %d in use?", natsStart, o.Port)
	}
	if s.store != nil {
		ctx, cancel := context.WithCancel(context.Background())
		var watch sync.WaitGroup
		watch.Go(func() { s.store.watch(ctx) }) // ends with Close
		s.unwatch = func() {
			cancel()
			watch.Wait()
		}
	}
	return s, nil
}

// checkFree tells at once that a port is taken; the server itself would keep silent and never be ready.
func checkFree(host string, port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

// URL is where clients connect. A server that does not listen reports an address all the same, which is not to be shown: it has none.
func (s *NATS) URL() string {
	if !s.listens {
		return ""
	}
	return s.srv.ClientURL()
}

// Done is closed when the server has ended, by Close or by itself.
func (s *NATS) Done() <-chan struct{} {
	done := make(chan struct{})
	go func() { // ends with the server
		s.srv.WaitForShutdown()
		close(done)
	}()
	return done
}

// Close ends the server; what it stored stays. A second call does nothing.
func (s *NATS) Close() error {
	s.unwatch()
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
	if s.lock == nil {
		return nil
	}
	return s.lock.Close()
}

// wrapper stands in a new connection to the server.
type wrapper func(net.Conn) (net.Conn, error)

// connect opens a connection, through a wrapper if there is one. Publishes while it is down fail at once instead of being kept: what they say is old when
// the connection comes back. A server that is not there now is an error at once, which whoever opens the system can act on.
func (db *DB) connect(name string, through wrapper) (*nats.Conn, error) {
	options := []nats.Option{
		nats.Name("jetseek " + name), nats.MaxReconnects(-1), nats.ReconnectWait(50 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			db.opts.Log.Warn("NATS", "connection", name, "error", err)
		}),
	}
	if db.nats != nil {
		options = append(options, nats.InProcessServer(dialer{db.nats.srv, through}))
	} else {
		options = append(options, db.opts.NATSOptions...)
	}
	conn, err := nats.Connect(db.opts.NATSURL, options...)
	if err != nil {
		return nil, fmt.Errorf("connect %s to NATS: %w", name, err)
	}
	return conn, nil
}

// dialer gives connections to the server in this process.
type dialer struct {
	srv     *server.Server
	through wrapper // nil: as they are
}

// InProcessConn makes dialer the connection provider of nats.go.
func (d dialer) InProcessConn() (net.Conn, error) {
	conn, err := d.srv.InProcessConn()
	if err != nil || d.through == nil {
		return conn, err
	}
	return d.through(conn)
}
