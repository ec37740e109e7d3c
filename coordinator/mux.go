package coordinator

import (
	"fmt"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// answer is one message that came to a call's inbox: a reply, or the server's word that nobody listens.
type answer struct {
	slot         uint32
	data         []byte
	noResponders bool
	err          error // frames that do not join
}

// mux routes everything that comes to this coordinator's one wildcard inbox: replies to the call and slot that their subject names, reports of
// outcomes to the tracker. One subscription for the life of the process: a subscription a query was measured at half a megabyte and a 10 ms tail.
type mux struct {
	inbox string
	sub   *nats.Subscription
	late  prometheus.Counter // replies that no call waited for any more

	mu    sync.Mutex // guards the fields below
	last  uint64
	calls map[uint64]*gather

	framed int64 // bytes of frames of the calls that are open
}

// gather collects the answers of one round of one call.
type gather struct {
	call    uint64
	round   uint32
	answers chan answer             // has room for every slot of the round: the callback never blocks
	parts   map[uint32]*wire.Joiner // by slot: replies that come in frames; of the callback alone
	framed  int64                   // bytes in parts; guarded by the mux
}

const (
	// framedBytes bounds the replies in frames that are being joined at a time, over all calls.
	framedBytes = 512 << 20
	// inboxMessages and inboxBytes bound what waits in the inbox's subscription; replies beyond are lost, and their members asked again.
	inboxMessages = 1 << 17
	inboxBytes    = 256 << 20
)

// newMux subscribes the inbox. Reports go to the given function, which must not block.
func newMux(conn *nats.Conn, inbox string, late prometheus.Counter, report func([]byte)) (*mux, error) {
	m := &mux{inbox: inbox, late: late, calls: make(map[uint64]*gather)}
	reports := subjects.ReportSubject(inbox)
	sub, err := conn.Subscribe(inbox+".>", func(msg *nats.Msg) {
		if msg.Subject == reports {
			report(msg.Data)
			return
		}
		m.route(msg)
	})
	if err != nil {
		return nil, fmt.Errorf("subscribe to the inbox: %w", err)
	}
	m.sub = sub
	return m, sub.SetPendingLimits(inboxMessages, inboxBytes)
}

func (m *mux) close() { _ = m.sub.Unsubscribe() } // a closed connection has ended it already

// begin opens a round with room for slots answers. A new round of the same call gets a new gather: answers to an earlier round find none.
func (m *mux) begin(slots int) *gather {
	g := &gather{answers: make(chan answer, slots)}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.last++
	g.call = m.last
	m.calls[g.call] = g
	return g
}

// end closes a round; later answers to it are dropped and counted.
func (m *mux) end(g *gather) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.calls, g.call)
	m.framed -= g.framed
}

// join gives the whole reply when all its frames are there.
func (m *mux) join(g *gather, slot uint32, msg *nats.Msg) (*nats.Msg, error) {
	if msg.Header.Get(wire.HeaderFrame) == "" {
		return msg, nil
	}
	m.mu.Lock()
	if m.calls[g.call] == g {
		g.framed += int64(len(msg.Data))
		m.framed += int64(len(msg.Data))
	}
	full := m.framed > framedBytes
	m.mu.Unlock()
	if full {
		return nil, fmt.Errorf("more than %d bytes of large replies wait to be joined", framedBytes)
	}
	if g.parts == nil {
		g.parts = make(map[uint32]*wire.Joiner)
	}
	if g.parts[slot] == nil {
		g.parts[slot] = new(wire.Joiner)
	}
	return g.parts[slot].Add(msg)
}

func (m *mux) route(msg *nats.Msg) {
	c, ok := subjects.ParseReply(m.inbox, msg.Subject)
	if !ok {
		return
	}
	m.mu.Lock()
	g := m.calls[c.ID]
	m.mu.Unlock()
	if g == nil || g.round != c.Round {
		m.late.Inc()
		return
	}
	whole, err := m.join(g, c.Slot, msg)
	if whole == nil && err == nil {
		return
	}
	a := answer{slot: c.Slot, err: err}
	if err == nil {
		a.data = whole.Data
		a.noResponders = len(msg.Data) == 0 && msg.Header.Get("Status") == "503"
	}
	select {
	case g.answers <- a:
	default: // more answers than requests: a stranger's, or a repeat
		m.late.Inc()
	}
}
