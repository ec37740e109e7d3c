package sim

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsServer is the JetStream that all use. No lock is held while it starts or ends: who waits for a lock stops virtual time.
type natsServer struct {
	dir     string
	current atomic.Pointer[server.Server] // nil: down

	mu    sync.Mutex // guards conns
	conns []net.Conn // the clients' ends
}

var errServerDown = errors.New("the server is down")

func (s *natsServer) start() error {
	srv, err := server.NewServer(&server.Options{
		ServerName: "sim", DontListen: true, JetStream: true, StoreDir: s.dir, NoSigs: true, NoLog: true, PingInterval: 10 * time.Second, MaxPingsOut: 2,
	})
	if err != nil {
		return fmt.Errorf("start the server: %w", err)
	}
	srv.Start()
	if !srv.ReadyForConnections(time.Minute) {
		return errors.New("the server is not ready after a minute")
	}
	s.current.Store(srv)
	return nil
}

// stop ends the server; what it stored stays. Its connections go first, and what they had asked for is done: while it ends it sleeps over a lock that requests
// want.
func (s *natsServer) stop() {
	srv := s.current.Swap(nil)
	if srv == nil {
		return
	}
	s.mu.Lock()
	conns := s.conns
	s.conns = nil
	s.mu.Unlock()
	for _, c := range conns {
		_ = c.Close() // many have ended before
	}
	synctest.Wait()
	srv.Shutdown()
	srv.WaitForShutdown()
}

// InProcessConn dials the server.
func (s *natsServer) InProcessConn() (net.Conn, error) {
	srv := s.current.Load()
	if srv == nil {
		return nil, errServerDown
	}
	conn, err := srv.InProcessConn()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conns = append(s.conns, conn)
	return conn, nil
}
