package client

import (
	"context"
	"errors"
	"sync"

	"github.com/nats-io/nats.go"
)

// errLost ends the calls that wait when the connection is lost: their replies have no way back, and nats.go would let them wait for their deadline.
var errLost = errors.New("the connection to NATS was lost")

// link follows whether a connection is up.
type link struct {
	mu   sync.Mutex         // guards both below
	up   context.Context    // ends when the connection is lost; made anew when it is back
	lose context.CancelFunc // ends up
}

// follow starts to follow nc; its goroutine ends when nc is closed.
func follow(nc *nats.Conn) *link {
	l := &link{}
	l.up, l.lose = context.WithCancel(context.Background())
	changes := nc.StatusChanged(nats.CONNECTED, nats.RECONNECTING, nats.DISCONNECTED, nats.CLOSED)
	if !nc.IsConnected() {
		l.lose()
	}
	if nc.IsClosed() {
		nc.RemoveStatusListener(changes)
		return l
	}
	go l.run(changes)
	return l
}

func (l *link) run(changes <-chan nats.Status) {
	for status := range changes {
		l.mu.Lock()
		if status != nats.CONNECTED {
			l.lose()
		} else if l.up.Err() != nil {
			l.up, l.lose = context.WithCancel(context.Background())
		}
		l.mu.Unlock()
		if status == nats.CLOSED {
			return
		}
	}
}

// bind gives a context that also ends, with errLost as its cause, when the connection is lost. It is false when the connection is down now.
func (l *link) bind(ctx context.Context) (bound context.Context, release func(), ok bool) {
	l.mu.Lock()
	up := l.up
	l.mu.Unlock()
	if up.Err() != nil {
		return nil, nil, false
	}
	bound, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(up, func() { cancel(errLost) })
	return bound, func() {
		stop()
		cancel(nil)
	}, true
}
