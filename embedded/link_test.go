package embedded

import (
	"errors"
	"net"
	"sync"
)

// errCut is what a new dial over a cut link gives.
var errCut = errors.New("the link is cut")

// link stands in a member's connections, so that a test can cut them. A cut link is silent, as a network that drops packets is: what is written is taken
// and kept, as by the kernel, what was sent does not arrive, and nothing is closed. Writes never block: the NATS client holds its lock over
// them, and who waits for a lock stops virtual time.
type link struct {
	mu    sync.Mutex // guards what follows
	up    chan struct{}
	conns []*linked
}

func newLink() *link {
	up := make(chan struct{})
	close(up)
	return &link{up: up}
}

// cut makes the link silent until mend.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.up = make(chan struct{})
}

// mend lets everything through that was kept.
func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		_, _ = c.Conn.Write(c.kept) // a connection that was closed meanwhile has nobody to tell
		c.kept = nil
	}
	close(l.up)
}

func (l *link) wrap(conn net.Conn) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !isUp(l.up) {
		return nil, errors.Join(errCut, conn.Close())
	}
	c := &linked{Conn: conn, link: l, closed: make(chan struct{})}
	l.conns = append(l.conns, c)
	return c, nil
}

func isUp(up chan struct{}) bool {
	select {
	case <-up:
		return true
	default:
		return false
	}
}

// linked is a connection over a link.
type linked struct {
	net.Conn
	link   *link
	kept   []byte // what was written while the link was cut; guarded by the link
	once   sync.Once
	closed chan struct{}
}

// Read gives what arrived, once the link is up.
func (c *linked) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		return n, err
	}
	c.link.mu.Lock()
	up := c.link.up
	c.link.mu.Unlock()
	select {
	case <-up:
		return n, nil
	case <-c.closed:
		return 0, net.ErrClosed
	}
}

// Write sends, or keeps what is written while the link is cut.
func (c *linked) Write(b []byte) (int, error) {
	if c.keep(b) {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *linked) keep(b []byte) bool {
	c.link.mu.Lock()
	defer c.link.mu.Unlock()
	if isUp(c.link.up) {
		return false
	}
	c.kept = append(c.kept, b...)
	return true
}

// Close ends the connection and lets go whoever waits in it.
func (c *linked) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
