package embedded

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/gofrs/flock"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/coordinator"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/shard"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/placement"
)

// DB is a running system. Its methods may be called from any goroutine.
type DB struct {
	dir   string
	opts  Options
	names subjects.Names
	lock  *flock.Flock
	nats  *NATS // nil with a NATS of someone else

	coordinator *coordinator.Coordinator
	conn        *nats.Conn // of the client
	client      *client.Client

	resources       *engine.Resources // of all members
	stopCoordinator func()

	mu      sync.Mutex // guards members
	members map[string]*running
	failed  chan error // has room for one error of every part
}

// Open starts the system on a data folder, which it makes if absent and locks, and returns when every member of every group serves. The caller must
// Close it. An error has undone everything.
func Open(dir string, o Options) (*DB, error) { return OpenContext(context.Background(), dir, o) }

// OpenContext is [Open], and gives up with an error when ctx ends before every member serves. The system itself does not end with ctx.
func OpenContext(ctx context.Context, dir string, o Options) (_ *DB, err error) {
	o, names, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	db := &DB{dir: dir, opts: o, names: names, members: make(map[string]*running), failed: make(chan error, o.Groups*o.Members+1)}
	defer func() {
		if err != nil {
			err = errors.Join(err, db.Close())
		}
	}()
	if db.resources, err = shard.NewResources(o.IndexMemory); err != nil {
		return nil, err
	}
	if db.lock, err = shard.LockFolder(dir); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, o.StartTimeout)
	defer cancel()
	if o.NATSURL == "" {
		if db.nats, err = startNATS(filepath.Join(dir, "nats"), NATSOptions{Listen: o.Listen, Port: o.NATSPort}); err != nil {
			return nil, err
		}
	}
	if db.conn, err = db.connect("client", nil); err != nil {
		return nil, err
	}
	if db.nats != nil {
		if err := db.refuseFewerGroups(ctx); err != nil {
			return nil, err
		}
	}
	if err := db.start(ctx); err != nil {
		return nil, err
	}
	db.client, err = client.New(db.conn, client.Options{Prefix: o.Prefix, Local: db.coordinator.Ask})
	return db, err
}

// start brings members and coordinator to life.
func (db *DB) start(ctx context.Context) error {
	var ids []string
	for g := range db.opts.Groups {
		for n := range db.opts.Members {
			id, err := db.startMember(fmt.Sprintf("g%d", g), fmt.Sprintf("n%d", n+1))
			if err != nil {
				return err
			}
			ids = append(ids, id)
		}
	}
	if err := db.startCoordinator(ctx); err != nil {
		return err
	}
	for _, id := range ids {
		if err := db.awaitServing(ctx, id); err != nil {
			return err
		}
	}
	return db.coordinator.AwaitMembers(ctx, ids)
}

// refuseFewerGroups refuses to open a part of the groups that the data folder holds: the documents of the others would be missing from every answer. On a NATS of
// someone else they may well be served elsewhere.
func (db *DB) refuseFewerGroups(ctx context.Context) error {
	js, err := jetstream.New(db.conn)
	if err != nil {
		return err
	}
	var left []string
	list := js.StreamNames(ctx)
	for name := range list.Name() {
		group, ok := strings.CutPrefix(name, db.names.Stream(""))
		var n int
		if _, err := fmt.Sscanf(group, "g%d", &n); ok && err == nil && group == fmt.Sprintf("g%d", n) && n >= db.opts.Groups {
			left = append(left, group)
		}
	}
	if err := list.Err(); err != nil {
		return fmt.Errorf("list the groups: %w", err)
	}
	if len(left) > 0 {
		slices.SortFunc(left, placement.CompareGroups)
		return fmt.Errorf("the data folder holds group %s as well: open it with at least %d groups", strings.Join(left, ", "), db.opts.Groups+len(left))
	}
	return nil
}

func (db *DB) startCoordinator(ctx context.Context) error {
	conn, err := db.connect("coordinator", nil)
	if err != nil {
		return err
	}
	logConn, err := db.connect("coordinator/log", db.throughOf("coordinator/log"))
	if err != nil {
		conn.Close()
		return err
	}
	var storeFailed func() string
	if db.nats != nil {
		storeFailed = db.nats.store.reason
	}
	c, err := coordinator.New(coordinator.Options{StoreFailed: storeFailed, Conn: conn, LogConn: logConn, Names: db.names, ExpectGroups: db.opts.Groups, Keys: db.opts.Keys, Synced: db.nats != nil,
		Log: db.opts.Log, Slow: db.opts.Slow, Metrics: db.opts.Metrics, AggregateParts: db.opts.aggregateParts})
	if err != nil {
		conn.Close()
		logConn.Close()
		return err
	}
	db.coordinator = c
	run, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan struct{})
	go func() { // ends with Close
		defer close(done)
		if err := c.Run(run, func() { close(ready) }); err != nil {
			db.failed <- err
		}
	}()
	db.stopCoordinator = func() {
		cancel()
		<-done
		conn.Close()
		logConn.Close()
	}
	select {
	case <-ready:
		return nil
	case err := <-db.failed:
		return err
	case <-ctx.Done():
		return fmt.Errorf("start the coordinator: %w", ctx.Err())
	}
}

// Client is a client of this system, whose requests its own coordinator answers.
func (db *DB) Client() *client.Client { return db.client }

// Conn is the client's connection, for NATS requests of the program's own. It ends with the DB.
func (db *DB) Conn() *nats.Conn { return db.conn }

// NATSURL is where other NATS clients connect, or "" when the embedded server does not listen.
func (db *DB) NATSURL() string {
	if db.nats == nil {
		return db.opts.NATSURL
	}
	return db.nats.URL()
}

// Failed gives an error when a part of the system has ended that should not have.
func (db *DB) Failed() <-chan error { return db.failed }

// Close drains and ends the system: requests that were accepted are answered, leases are given back, the store is closed. A second call does nothing.
func (db *DB) Close() error {
	var errs []error
	if db.stopCoordinator != nil {
		db.stopCoordinator()
		db.stopCoordinator = nil
	}
	db.stopMembers()
	if db.conn != nil {
		db.conn.Close()
	}
	if db.nats != nil {
		errs = append(errs, db.nats.Close())
		db.nats = nil
	}
	if db.lock != nil {
		errs = append(errs, db.lock.Close())
		db.lock = nil
	}
	return errors.Join(errs...)
}
