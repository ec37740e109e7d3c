package embedded

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/shard"
	"github.com/jetseek/jetseek/subjects"
)

// running is a member of this process with what it runs on.
type running struct {
	member *shard.Member
	conns  []*nats.Conn
	cancel context.CancelFunc
	done   chan struct{} // closed when its Run has returned
}

// startMember starts one member; it does not wait until it serves.
func (db *DB) startMember(group, node string) (string, error) {
	id := subjects.MemberID(group, node)
	o := shard.Options{Names: db.names, Group: group, Node: node, Dir: filepath.Join(db.dir, "members", node, group), Lease: db.opts.Lease, Keys: db.opts.Keys, Resources: db.resources,
		Log: db.opts.Log, Metrics: db.opts.Metrics}
	if db.opts.clock != nil {
		o.Clock = db.opts.clock(id)
	}
	if db.opts.hooks != nil {
		o.Hooks = db.opts.hooks(id)
	}
	through := db.throughOf(id)
	r := &running{done: make(chan struct{})}
	for _, name := range []string{id, id + "/log"} {
		conn, err := db.connect(name, through)
		if err != nil {
			r.disconnect()
			return "", err
		}
		r.conns = append(r.conns, conn)
	}
	o.Conn, o.LogConn = r.conns[0], r.conns[1]
	m, err := shard.New(o)
	if err != nil {
		r.disconnect()
		return "", err
	}
	r.member = m
	ctx, cancel := context.WithCancel(context.Background())
	r.cancel = cancel
	go func() { // ends with stop
		defer close(r.done)
		if err := m.Run(ctx); err != nil {
			db.failed <- err
		}
	}()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.members[id] = r
	return id, nil
}

// throughOf is what stands in the connections of a member, or in the one by which the coordinator writes to the logs; nil: nothing.
func (db *DB) throughOf(name string) wrapper {
	if db.opts.through == nil {
		return nil
	}
	return db.opts.through(name)
}

func (r *running) disconnect() {
	for _, c := range r.conns {
		c.Close()
	}
}

// stop ends a member in order: it drains, releases its leases and closes its connections.
func (r *running) stop() {
	r.cancel()
	<-r.done
	r.disconnect()
}

func (db *DB) running(id string) (*running, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	r := db.members[id]
	if r == nil {
		return nil, fmt.Errorf("there is no member %s in this process", id)
	}
	return r, nil
}

func (db *DB) awaitServing(ctx context.Context, id string) error {
	r, err := db.running(id)
	if err != nil {
		return err
	}
	return r.member.AwaitServing(ctx)
}

// stopMembers ends all members, side by side.
func (db *DB) stopMembers() {
	db.mu.Lock()
	members := db.members
	db.members = nil
	db.mu.Unlock()
	var ended sync.WaitGroup
	for _, r := range members {
		ended.Go(r.stop)
	}
	ended.Wait()
}
