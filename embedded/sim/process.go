package sim

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/coordinator"
	"github.com/jetseek/jetseek/shard"
)

// process is a member or a coordinator, with what stands around it. It may be started again after its end.
type process struct {
	w             *World
	id            string
	requests, log *Link // of its two connections
	clock         *Clock
	dir           string
	disk          *disk // of a member's index
	lives         uint64
	turn          chan struct{} // capacity 1: whoever crashes it and starts it again does so alone

	mu   sync.Mutex // guards life; never held over anything that waits: who waits for a lock stops virtual time
	life *life      // nil: not running
}

// life is one run of a process.
type life struct {
	gate   *gate
	member *shard.Member // nil: a coordinator
	served func() uint64 // deleted documents that a coordinator's own auditor found; nil: a member
	conns  []*nats.Conn
	cancel context.CancelFunc
	done   chan struct{} // closed when Run has returned
}

func (w *World) newProcess(id string, rate float64) *process {
	return &process{w: w, id: id, turn: make(chan struct{}, 1), requests: newLink(), log: newLink(), clock: newClock(rate),
		dir: filepath.Join(w.dir, strings.ReplaceAll(id, "/", "-")), disk: newDisk(w.plan.Seed, id)}
}

func (p *process) isMember() bool { return strings.Contains(p.id, "/") }

// start brings the process to life; it waits for a server that is not there.
func (p *process) start() error {
	p.lives++
	l := &life{gate: newGate(p.w.plan.Seed*1000+p.lives, p.w.poison), done: make(chan struct{})}
	p.requests.up()
	p.log.up()
	for _, link := range []*Link{p.requests, p.log} {
		conn, err := p.w.connect(p.id, link)
		if err != nil {
			l.disconnect()
			return err
		}
		l.conns = append(l.conns, conn)
	}
	run, err := p.make(l)
	if err != nil {
		l.disconnect()
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.cancel = cancel
	go func() { // ends with end
		defer close(l.done)
		if err := run(ctx); err != nil {
			p.w.note("%s ended: %v", p.id, err)
		}
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.life = l
	return nil
}

// make makes the production object and gives its Run.
func (p *process) make(l *life) (func(context.Context) error, error) {
	if !p.isMember() {
		c, err := coordinator.New(coordinator.Options{Conn: l.conns[0], LogConn: l.conns[1], ExpectGroups: p.w.plan.Groups})
		if err != nil {
			return nil, err
		}
		l.served = c.DeletedServed
		return func(ctx context.Context) error { return c.Run(ctx, func() {}) }, nil
	}
	group, node, _ := strings.Cut(p.id, "/")
	m, err := shard.New(shard.Options{
		Conn: l.conns[0], LogConn: l.conns[1], Group: group, Node: node, Dir: p.dir, Clock: p.clock, Index: p.disk.folder(), FlushAge: flushAge, IdleAfter: p.w.plan.IdleAfter, Version: p.w.software(),
		Hooks: shard.Hooks{BeforeApply: l.gate.beforeApply, BeforeOp: l.gate.beforeOp, AfterSnapshot: l.gate.afterSnapshot},
	})
	if err != nil {
		return nil, err
	}
	l.member = m
	return m.Run, nil
}

// kill ends the process as a crash of some kind does: its connections go first, so that it can tell nobody, and its index stays as it is at this moment.
func (p *process) kill(kind FaultKind) {
	p.requests.down()
	p.log.down()
	left := p.disk.left(kind)
	p.end()
	p.disk.put(left)
}

// end ends the process and waits until all that it started has ended.
func (p *process) end() {
	p.mu.Lock()
	l := p.life
	p.life = nil
	p.mu.Unlock()
	if l == nil {
		return
	}
	close(l.gate.dead)
	l.cancel()
	<-l.done
	l.disconnect()
	if l.served != nil {
		p.w.served.Add(l.served())
	}
}

func (l *life) disconnect() {
	for _, c := range l.conns {
		c.Close()
	}
}

// hasEnded tells whether the process has ended by itself, or its member has failed: somebody watches over processes.
func (p *process) hasEnded() bool {
	l := p.running()
	if l == nil {
		return false
	}
	if l.member != nil {
		if state, _ := l.member.State(); state == shard.Failed {
			return true
		}
	}
	select {
	case <-l.done:
		return true
	default:
		return false
	}
}

// running gives the life that is going on, or nil.
func (p *process) running() *life {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.life
}

// state gives a member's state, with the reason when it has failed.
func (p *process) state() (shard.State, string) {
	if l := p.running(); l != nil {
		return l.member.State()
	}
	return "down", ""
}

// holdGate changes the gate of the life that is going on.
func (p *process) holdGate(change func(g *gate)) {
	if l := p.running(); l != nil {
		l.gate.set(change)
	}
}

// provider makes connections over a link for nats.go.
type provider struct {
	w    *World
	link *Link
}

// InProcessConn dials the server.
func (d provider) InProcessConn() (net.Conn, error) {
	conn, err := d.w.server.InProcessConn()
	if err != nil {
		return nil, err
	}
	return d.link.wrap(conn)
}

// connect opens a connection as package embedded does.
func (w *World) connect(name string, link *Link) (*nats.Conn, error) {
	conn, err := nats.Connect("", nats.InProcessServer(provider{w, link}), nats.Name(name), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true),
		nats.ReconnectWait(50*time.Millisecond), nats.ReconnectJitter(0, 0), nats.ReconnectBufSize(-1),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, fmt.Errorf("connect %s: %w", name, err)
	}
	return conn, nil
}
