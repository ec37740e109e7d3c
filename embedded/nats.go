package embedded

import (
	"fmt"
	"net"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// natsStart bounds how long the server may take to open its store.
const natsStart = time.Minute

// natsServer is the embedded NATS server.
type natsServer struct {
	srv     *server.Server
	listens bool
}

// startNATS starts a server whose JetStream syncs every message before it acknowledges it: without that, acknowledged writes are lost with the power.
func startNATS(dir string, o Options) (*natsServer, error) {
	opts := &server.Options{
		ServerName: "jetseek", DontListen: !o.Listen, Host: "127.0.0.1", Port: o.NATSPort,
		JetStream: true, StoreDir: dir, SyncAlways: true,
		NoSigs: true, NoLog: true, PingInterval: 10 * time.Second, MaxPingsOut: 2,
	}
	if o.Listen && o.NATSPort == 0 {
		opts.Port = server.RANDOM_PORT
	}
	srv, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("start NATS: %w", err)
	}
	srv.Start()
	if !srv.ReadyForConnections(natsStart) {
		srv.Shutdown()
		return nil, fmt.Errorf("start NATS: not ready after %s: is the port %d in use?", natsStart, o.NATSPort)
	}
	return &natsServer{srv: srv, listens: o.Listen}, nil
}

// url is where clients connect. A server that does not listen reports an address all the same, which is not to be shown.
func (s *natsServer) url() string {
	if !s.listens {
		return ""
	}
	return s.srv.ClientURL()
}

func (s *natsServer) stop() {
	s.srv.Shutdown()
	s.srv.WaitForShutdown()
}

// wrapper stands in a new connection to the server.
type wrapper func(net.Conn) (net.Conn, error)

// connect opens a connection, through a wrapper if there is one. Publishes while it is down fail at once instead of being kept: what they say is old when
// the connection comes back.
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
		options = append(options, nats.RetryOnFailedConnect(true))
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
