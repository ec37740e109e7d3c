package client

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// errLost ends the calls that wait when the connection is lost: their replies have no way back, and nats.go would let them wait for their deadline.
var errLost = errors.New("the connection to NATS was lost")

// errNoConnection says that the connection was down for longer than a call waits for it.
var errNoConnection = errors.New("no connection to NATS")

// link follows whether a connection is up.
type link struct {
	mu   sync.Mutex         // guards the fields below
	up   context.Context    // ends when the connection is lost; made anew when it is back
	lose context.CancelFunc // ends up
	lost time.Time          // when up ended; zero when the connection was closed, and will not be back
	back chan struct{}      // closed when the connection is back; made anew when it is lost
}

// follow starts to follow nc; its goroutine ends when nc is closed.
func follow(nc *nats.Conn) *link {
	l := &link{back: make(chan struct{})}
	l.up, l.lose = context.WithCancel(context.Background())
	changes := nc.StatusChanged(nats.CONNECTED, nats.RECONNECTING, nats.DISCONNECTED, nats.CLOSED)
	if !nc.IsConnected() {
		l.lost = time.Now()
		l.lose()
	}
	if nc.IsClosed() {
		l.lost = time.Time{}
		nc.RemoveStatusListener(changes)
		return l
	}
	go l.run(changes)
	return l
}

func (l *link) run(changes <-chan nats.Status) {
	for status := range changes {
		l.mu.Lock()
		switch isUp := l.up.Err() == nil; {
		case status == nats.CONNECTED && !isUp:
			l.up, l.lose = context.WithCancel(context.Background())
			close(l.back)
		case status != nats.CONNECTED && isUp:
			l.lost, l.back = time.Now(), make(chan struct{})
			l.lose()
		}
		if status == nats.CLOSED {
			l.lost = time.Time{}
		}
		l.mu.Unlock()
		if status == nats.CLOSED {
			return
		}
	}
}

// state gives what ends when the connection is lost; where that has ended, back is closed when the connection is there again, and it was lost at a time.
func (l *link) state() (up context.Context, back <-chan struct{}, lost time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.up, l.back, l.lost
}
