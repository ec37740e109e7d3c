package bridge

import (
	"net"
	"sync"
)

// cappedListener accepts at most cap(free) connections at a time; the rest wait in the kernel's queue.
type cappedListener struct {
	net.Listener
	free chan struct{} // one token a connection that is open
	once sync.Once
	done chan struct{}
}

func capped(l net.Listener, most int) *cappedListener {
	return &cappedListener{Listener: l, free: make(chan struct{}, most), done: make(chan struct{})}
}

func (l *cappedListener) Accept() (net.Conn, error) {
	select {
	case l.free <- struct{}{}:
	case <-l.done:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &cappedConn{Conn: conn, release: func() { <-l.free }}, nil
}

func (l *cappedListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

// cappedConn gives its token back once.
type cappedConn struct {
	net.Conn
	once    sync.Once
	release func()
}

func (c *cappedConn) Close() error {
	c.once.Do(c.release)
	return c.Conn.Close()
}
