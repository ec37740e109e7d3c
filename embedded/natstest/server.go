// Package natstest runs a NATS server with JetStream inside a test's process. It may import nothing of the project; tests of every package may
// import it.
package natstest

import (
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// readyTimeout bounds how long a server may take to start: it is about 10 ms when the machine is idle.
const readyTimeout = 30 * time.Second

// Server is a server that ends with its test. Connections are made in process; they find the server again after [Server.Restart].
type Server struct {
	t    testing.TB
	opts *server.Options

	mu      sync.Mutex // guards current
	current *server.Server
}

// Option changes how a server is started.
type Option func(*server.Options)

// Listen lets the server listen on a free port of the loopback address, for what cannot connect in process.
func Listen() Option {
	return func(o *server.Options) { o.DontListen, o.Host, o.Port = false, "127.0.0.1", server.RANDOM_PORT }
}

// SyncAlways makes the server sync every message to disk before it acknowledges it, as deployments do. Tests that are not about loss of power do
// without.
func SyncAlways() Option { return func(o *server.Options) { o.SyncAlways = true } }

// MaxPayload bounds messages to a number of bytes; the server's default is 1 MiB.
func MaxPayload(bytes int32) Option { return func(o *server.Options) { o.MaxPayload = bytes } }

// Users lets in only the users of a configuration, which may say nothing but its authorization block.
func Users(t testing.TB, configuration string) Option {
	t.Helper()
	file := filepath.Join(t.TempDir(), "nats.conf")
	if err := os.WriteFile(file, []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	read, err := server.ProcessConfigFile(file)
	if err != nil {
		t.Fatalf("nats-server does not take the configuration: %v", err)
	}
	return func(o *server.Options) { o.Users = read.Users }
}

// Start starts a server whose JetStream lives in a directory of the test.
func Start(t testing.TB, options ...Option) *Server {
	t.Helper()
	opts := &server.Options{DontListen: true, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}
	for _, o := range options {
		o(opts)
	}
	s := &Server{t: t, opts: opts}
	s.start()
	t.Cleanup(s.Stop)
	return s
}

// Conn connects in process, until the test t ends. Options come after those of the package, which reconnect at once and for ever.
func (s *Server) Conn(t testing.TB, options ...nats.Option) *nats.Conn {
	t.Helper()
	all := append([]nats.Option{nats.InProcessServer(s), nats.MaxReconnects(-1), nats.ReconnectWait(5 * time.Millisecond), nats.ReconnectJitter(0, 0)},
		options...)
	nc, err := nats.Connect("", all...)
	if err != nil {
		t.Fatalf("connect in process: %v", err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// JetStream gives a JetStream context over a connection of its own.
func (s *Server) JetStream(t testing.TB) jetstream.JetStream {
	t.Helper()
	js, err := jetstream.New(s.Conn(t))
	if err != nil {
		t.Fatalf("jetstream: %v", err)
	}
	return js
}

// Store is the directory of JetStream, for tests that damage its files while the server is stopped.
func (s *Server) Store() string { return s.opts.StoreDir }

// URL gives the address of a server that was started with [Listen].
func (s *Server) URL() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current.ClientURL()
}

// Stop stops the server and waits for its end; what it stored stays. Stopping twice is stopping once.
func (s *Server) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current.Shutdown()
	s.current.WaitForShutdown()
}

// Restart stops the server and starts it over the same store.
func (s *Server) Restart() {
	s.t.Helper()
	s.Stop()
	s.start()
}

// InProcessConn makes [Server] the connection provider of nats.go.
func (s *Server) InProcessConn() (net.Conn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current.InProcessConn()
}

func (s *Server) start() {
	s.t.Helper()
	srv, err := server.NewServer(s.opts.Clone())
	if err != nil {
		s.t.Fatalf("nats-server: %v", err)
	}
	s.mu.Lock()
	s.current = srv
	s.mu.Unlock()
	srv.Start()
	if !srv.ReadyForConnections(readyTimeout) {
		s.t.Fatalf("nats-server is not ready after %s", readyTimeout)
	}
}
