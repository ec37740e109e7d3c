package sim

import (
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// natsServer is the JetStream that all use. No lock is held while it starts or ends: who waits for a lock stops virtual time.
type natsServer struct {
	dir     string
	current atomic.Pointer[server.Server] // nil: down
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

// stop ends the server in order; what it stored stays.
func (s *natsServer) stop() {
	if srv := s.current.Swap(nil); srv != nil {
		srv.Shutdown()
		srv.WaitForShutdown()
	}
}

// InProcessConn dials the server.
func (s *natsServer) InProcessConn() (net.Conn, error) {
	if srv := s.current.Load(); srv != nil {
		return srv.InProcessConn()
	}
	return nil, errServerDown
}
