package sim

import (
	"errors"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// errDown is what a dial over a link gives that refuses.
var errDown = errors.New("the link is down")

// Link stands in the connections of one process to the server. Each direction can be cut, then it is silent as a network is that drops packets: what is written
// is taken and kept, and arrives when the direction is mended; nothing is closed. Each can be slow. Connections can be broken, and refused.
// Writes never block: the NATS client holds its lock over them, and who waits for a lock stops virtual time.
type Link struct {
	mu      sync.Mutex // guards what follows
	refuses bool
	in, out direction
	conns   map[*conn]bool
}

// direction is one way over a link, as the process sees it.
type direction struct {
	open  chan struct{} // closed while it is open
	delay time.Duration
}

func newLink() *Link {
	open := make(chan struct{})
	close(open)
	return &Link{in: direction{open: open}, out: direction{open: open}, conns: make(map[*conn]bool)}
}

// cut makes directions silent, in and out as the process sees them.
func (l *Link) cut(in, out bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if in && isOpen(l.in.open) {
		l.in.open = make(chan struct{})
	}
	if out && isOpen(l.out.open) {
		l.out.open = make(chan struct{})
	}
}

// mend opens both directions.
func (l *Link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range []direction{l.in, l.out} {
		if !isOpen(d.open) {
			close(d.open)
		}
	}
}

// slow lets everything take a while, in and out; 0 ends it.
func (l *Link) slow(in, out time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.in.delay, l.out.delay = in, out
}

// down breaks all connections, losing what is on its way, and refuses new ones until up.
func (l *Link) down() {
	l.mu.Lock()
	l.refuses = true
	conns := l.conns
	l.conns = make(map[*conn]bool)
	l.mu.Unlock()
	for c := range conns {
		_ = c.Close() // the other side has nobody to tell
	}
}

func (l *Link) up() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refuses = false
}

func isOpen(c chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// state gives how one direction is.
func (l *Link) state(in bool) direction {
	l.mu.Lock()
	defer l.mu.Unlock()
	if in {
		return l.in
	}
	return l.out
}

// wrap puts the link into a new connection.
func (l *Link) wrap(inner net.Conn) (net.Conn, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refuses || !isOpen(l.in.open) || !isOpen(l.out.open) {
		return nil, errors.Join(errDown, inner.Close())
	}
	c := &conn{Conn: inner, link: l, closed: make(chan struct{}), in: newLane(), out: newLane()}
	l.conns[c] = true
	go c.receive() // these two end with Close
	go c.send()
	return c, nil
}

// conn is a connection over a link, with a lane for each direction.
type conn struct {
	net.Conn
	link    *Link
	in, out *lane
	once    sync.Once
	closed  chan struct{}
	opening atomic.Bool // the NATS client shakes hands, and holds its lock meanwhile: nothing waits
}

// laneBytes bounds what waits in a direction; a connection that has more waiting breaks.
const laneBytes = 64 << 20

// lane is what is on its way in one direction.
type lane struct {
	mu    sync.Mutex // guards what follows
	queue []parcel
	bytes int
	wake  chan struct{} // capacity 1: there is something
}

type parcel struct {
	data []byte
	due  time.Time
	err  error // the end
}

func newLane() *lane { return &lane{wake: make(chan struct{}, 1)} }

// put takes a parcel; false when too much waits.
func (l *lane) put(p parcel) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bytes += len(p.data); l.bytes > laneBytes {
		return false
	}
	l.queue = append(l.queue, p)
	select {
	case l.wake <- struct{}{}:
	default:
	}
	return true
}

func (l *lane) first() (parcel, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.queue) == 0 {
		return parcel{}, false
	}
	return l.queue[0], true
}

// took drops n bytes of the first parcel, and the parcel when it is used up.
func (l *lane) took(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bytes -= n
	if l.queue[0].data = l.queue[0].data[n:]; len(l.queue[0].data) == 0 {
		l.queue = l.queue[1:]
	}
}

// next waits until something has arrived.
func (c *conn) next(l *lane, in bool) (parcel, error) {
	for {
		p, ok := l.first()
		if !ok {
			select {
			case <-l.wake:
			case <-c.closed:
				return parcel{}, net.ErrClosed
			}
			continue
		}
		if errors.Is(p.err, os.ErrDeadlineExceeded) || c.opening.Load() {
			return p, nil // no message, or one that takes no time
		}
		open := c.link.state(in).open
		if !isOpen(open) {
			select {
			case <-open:
			case <-c.closed:
				return parcel{}, net.ErrClosed
			}
			continue
		}
		if wait := time.Until(p.due); wait > 0 {
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
			case <-c.closed:
				timer.Stop()
				return parcel{}, net.ErrClosed
			}
			continue
		}
		return p, nil
	}
}

// receive takes what the server sends.
func (c *conn) receive() {
	buffer := make([]byte, 32<<10)
	for {
		n, err := c.Conn.Read(buffer)
		due := time.Now().Add(c.link.state(true).delay)
		if n > 0 && !c.in.put(parcel{data: append([]byte(nil), buffer[:n]...), due: due}) {
			_ = c.Close()
			return
		}
		if err != nil {
			c.in.put(parcel{due: due, err: err})
			return
		}
	}
}

// send gives the server what the process has written.
func (c *conn) send() {
	for {
		p, err := c.next(c.out, false)
		if err != nil {
			return
		}
		if _, err := c.Conn.Write(p.data); err != nil {
			return // whoever reads is told
		}
		c.out.took(len(p.data))
	}
}

// Read gives what has arrived.
func (c *conn) Read(b []byte) (int, error) {
	p, err := c.next(c.in, true)
	if err != nil {
		return 0, err
	}
	if p.err != nil {
		return 0, p.err
	}
	n := copy(b, p.data)
	c.in.took(n)
	return n, nil
}

// Write takes what is to be sent.
func (c *conn) Write(b []byte) (int, error) {
	select {
	case <-c.closed:
		return 0, net.ErrClosed
	default:
	}
	if !c.out.put(parcel{data: append([]byte(nil), b...), due: time.Now().Add(c.link.state(false).delay)}) {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return len(b), nil
}

// SetWriteDeadline does nothing: writes never block.
func (c *conn) SetWriteDeadline(time.Time) error { return nil }

// SetDeadline bounds reads; the NATS client calls it around its handshake alone.
func (c *conn) SetDeadline(t time.Time) error {
	c.opening.Store(!t.IsZero())
	return c.Conn.SetReadDeadline(t)
}

// Close ends the connection; what is on its way is lost.
func (c *conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.link.mu.Lock()
		delete(c.link.conns, c)
		c.link.mu.Unlock()
	})
	return c.Conn.Close()
}
