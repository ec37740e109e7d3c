package embedded

import (
	"errors"
	"net"
	"sync"
)

// errCut is what a connection over a cut link gives to a new dial.
var errCut = errors.New("the link is cut")

// link stands in a member's connections, so that a test can cut them. A cut link is silent: what is written waits and what was sent does not arrive, as with a
// network that drops packets; nothing is closed.
type link struct {
	mu   sync.Mutex    // guards open
	open chan struct{} // closed while the link is up
}

func newLink() *link {
	up := make(chan struct{})
	close(up)
	return &link{open: up}
}

// cut makes the link silent until mend.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = make(chan struct{})
}

// mend lets everything through that waited.
func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.open)
}

func (l *link) state() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

func (l *link) wrap(conn net.Conn) (net.Conn, error) {
	select {
	case <-l.state():
		return &linked{Conn: conn, link: l, closed: make(chan struct{})}, nil
	default:
		return nil, errors.Join(errCut, conn.Close())
	}
}

// linked is a connection over a link.
type linked struct {
	net.Conn
	link   *link
	once   sync.Once
	closed chan struct{}
}

func (c *linked) pass() error {
	select {
	case <-c.link.state():
		return nil
	case <-c.closed:
		return net.ErrClosed
	}
}

// Read gives what arrived, once the link is up.
func (c *linked) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err != nil {
		return n, err
	}
	return n, c.pass()
}

// Write sends once the link is up.
func (c *linked) Write(b []byte) (int, error) {
	if err := c.pass(); err != nil {
		return 0, err
	}
	return c.Conn.Write(b)
}

// Close ends the connection and lets go whoever waits in it.
func (c *linked) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}
