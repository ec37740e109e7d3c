package bridge

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Limits of a server, each against clients that take their time or too much.
const (
	headerTimeout  = 5 * time.Second
	requestTimeout = 30 * time.Second
	replyTimeout   = requestTimeout + slack
	idleTimeout    = 60 * time.Second
	maxHeaderBytes = 16 << 10
	maxConns       = 4096
	// drainTimeout bounds the end: what was accepted is answered within it or cut off.
	drainTimeout = 15 * time.Second
)

// CheckAddress tells whether HTTP may listen on an address, host:port. Without keys and TLS that is a loopback address, unless insecure is said.
func CheckAddress(address string, insecure bool) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("address %q: want host:port, as in 127.0.0.1:7700", address)
	}
	if insecure || host == "localhost" {
		return nil
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return nil
	}
	return fmt.Errorf("address %q is open to others, and there are no keys and no TLS yet: use 127.0.0.1, or say --insecure", address)
}

// Listen opens a listener on an address that [CheckAddress] accepts. Port 0 takes a free one.
func Listen(address string, insecure bool) (net.Listener, error) {
	if err := CheckAddress(address, insecure); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("listen for HTTP: %w", err)
	}
	return l, nil
}

// Server serves HTTP on one listener.
type Server struct {
	listener net.Listener
	http     *http.Server
}

// NewServer makes a server that owns the listener; on a loopback address it serves only requests for this machine by name. log may be nil.
func NewServer(l net.Listener, h http.Handler, log *slog.Logger) *Server {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	if isLoopback(l.Addr()) {
		h = onlyLocalHosts(h)
	}
	return &Server{
		listener: capped(l, maxConns),
		http: &http.Server{
			Handler:           h,
			ReadHeaderTimeout: headerTimeout,
			ReadTimeout:       requestTimeout,
			WriteTimeout:      replyTimeout,
			IdleTimeout:       idleTimeout,
			MaxHeaderBytes:    maxHeaderBytes,
			ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		},
	}
}

// Addr is where the server listens, host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Run serves until ctx ends, then answers what it has accepted and returns nil. Any other end is an error. It must be called once.
func (s *Server) Run(ctx context.Context) error {
	ended := make(chan error, 1) // one sender
	go func() { ended <- s.http.Serve(s.listener) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve HTTP: %w", err)
	case <-ctx.Done():
	}
	draining, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainTimeout)
	defer cancel()
	err := s.http.Shutdown(draining)
	if errors.Is(err, context.DeadlineExceeded) {
		err = s.http.Close()
	}
	<-ended
	if err != nil {
		return fmt.Errorf("end HTTP: %w", err)
	}
	return nil
}
