package client

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// inTurn answers the first request with the first answer, and so on; a nil one is silence, as of a coordinator that was killed.
func inTurn(answers ...func(*nats.Msg) *nats.Msg) func(*nats.Msg) *nats.Msg {
	next := new(atomic.Int32)
	return func(m *nats.Msg) *nats.Msg {
		i := int(next.Add(1)) - 1
		if i >= len(answers) || answers[i] == nil {
			return nil
		}
		return answers[i](m)
	}
}

func lasting(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// A coordinator is killed while it has a request: a read, and a write that has a request id, is answered by another; any other write is sent once.
func TestRequestsOfADeadCoordinatorAreSentAgain(t *testing.T) {
	found := success("200", `{"id":"a","version":3}`)
	for _, call := range []struct {
		name  string
		made  bool // the client makes request ids
		do    func(ctx context.Context, c *Client) (uint64, error)
		again bool
	}{
		{"read", false, func(ctx context.Context, c *Client) (uint64, error) {
			r, err := c.Get(ctx, "books", "a")
			if err != nil {
				return 0, err
			}
			return r.Version, nil
		}, true},
		{"write", false, index(""), false},
		{"write with a request id", false, index("mine"), true},
		{"write with a made request id", true, index(""), true},
	} {
		t.Run(call.name, func(t *testing.T) {
			s := natstest.Start(t)
			asked := coordinator(t, s, inTurn(nil, found))
			c, err := New(s.Conn(t), Options{RequestIDs: call.made})
			if err != nil {
				t.Fatal(err)
			}
			version, err := call.do(lasting(t, 600*time.Millisecond), c)
			first := <-asked
			if !call.again {
				var e *wire.Error
				if !errors.As(err, &e) || e.Code != fault.Deadline || e.Durable != wire.DurableUnknown || len(asked) > 0 {
					t.Errorf("%v, and %d sendings more; want silence, an unknown outcome and none", err, len(asked))
				}
				return
			}
			if err != nil || version != 3 {
				t.Fatalf("version %d, %v; want 3 from the second coordinator", version, err)
			}
			second := <-asked
			if a, b := first.Header.Get(wire.HeaderRequestID), second.Header.Get(wire.HeaderRequestID); a != b || (a == "") != (call.name == "read") {
				t.Errorf("sent under the request ids %q and %q", a, b)
			}
		})
	}
}

func index(requestID string) func(ctx context.Context, c *Client) (uint64, error) {
	return func(ctx context.Context, c *Client) (uint64, error) {
		r, err := c.Index(ctx, "books", []byte(`{"id":"a"}`), WriteOptions{RequestID: requestID})
		if err != nil {
			return 0, err
		}
		return r.Version, nil
	}
}

// The second sending is refused as not stored; the first may have been stored all the same.
func TestTheOtherSendingOfAWriteStaysInDoubt(t *testing.T) {
	s := natstest.Start(t)
	coordinator(t, s, inTurn(nil, failure("503", `{"error":{"code":"unavailable","message":"away","durable":false}}`)))
	_, err := index("mine")(lasting(t, 600*time.Millisecond), open(t, s))
	var e *wire.Error
	if !errors.As(err, &e) || e.Code != fault.Unavailable || e.Durable != wire.DurableUnknown {
		t.Errorf("got %#v", err)
	}
}

// A reply that comes late counts although the request was sent again.
func TestTheFirstReplyCounts(t *testing.T) {
	s := natstest.Start(t)
	var first atomic.Pointer[nats.Msg]
	coordinator(t, s, func(m *nats.Msg) *nats.Msg {
		if first.CompareAndSwap(nil, m) {
			return nil
		}
		_ = first.Load().RespondMsg(success("200", `{"id":"a","version":1}`)(m))
		return nil
	})
	if r, err := open(t, s).Get(lasting(t, 600*time.Millisecond), "books", "a"); err != nil || r.Version != 1 {
		t.Errorf("%+v, %v", r, err)
	}
}

// The NATS server ends while a read waits, and is back: the read is sent again over the new connection.
func TestReadsOutliveTheConnection(t *testing.T) {
	s := natstest.Start(t)
	asked := coordinator(t, s, inTurn(nil, success("200", `{"id":"a","version":3}`)))
	c := open(t, s)
	type result struct {
		r   *wire.DocReply
		err error
	}
	ended := make(chan result, 1)
	go func() { // ends with the call
		r, err := c.Get(lasting(t, 10*time.Second), "books", "a")
		ended <- result{r, err}
	}()
	<-asked
	s.Restart()
	if got := <-ended; got.err != nil || got.r.Version != 3 {
		t.Errorf("%+v, %v", got.r, got.err)
	}
}

// A request that reached nobody is sent again, a write as well: it was certainly not stored.
func TestACoordinatorThatComesIsFound(t *testing.T) {
	s := natstest.Start(t)
	c := open(t, s)
	ended := make(chan error, 1)
	go func() { // ends with the call
		_, err := index("")(lasting(t, 10*time.Second), c)
		ended <- err
	}()
	// The call is under way when its first sending has found nobody; whether it has or not, it finds the coordinator.
	coordinator(t, s, success("201", `{"id":"a","version":1}`))
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A system that is slow is asked twice for a share of the calls alone.
func TestSilenceIsAnsweredByAShareOfCalls(t *testing.T) {
	var a allowance
	again := func(calls int) (n int) {
		for range calls {
			if a.earn(); a.take() {
				n++
			}
		}
		return n
	}
	if n := again(1000); n < silentBurst || n > silentBurst+1000/silentShare {
		t.Errorf("%d of 1000 calls were sent again", n)
	}
	if n := again(1000); n != 1000/silentShare {
		t.Errorf("%d of the next 1000 calls were sent again", n)
	}
}
