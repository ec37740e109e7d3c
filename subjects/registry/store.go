package registry

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// ErrConflict is the error of a write that lost a race, or whose reply could have been lost together with a race: the record is not at the revision that
// the caller knew. Read again, then decide.
var ErrConflict = errors.New("the record has changed meanwhile")

// ErrNotFound is the error for a record that is not there.
var ErrNotFound = errors.New("no such record")

// Store writes and reads the records. It may be used concurrently.
type Store struct {
	js     jetstream.JetStream
	kv     jetstream.KeyValue
	bucket string
}

// Options are what the bucket leaves to the operator.
type Options struct {
	Replicas int  // of a bucket that is made: 1, 3 or 5; 0 is 1
	Bind     bool // use a bucket that others have made, as it is; one that would not do is a [subjects.ErrAsset]
}

// Open opens the bucket. Unless it is to be bound, it is made if it is not there.
func Open(ctx context.Context, js jetstream.JetStream, names subjects.Names, o Options) (*Store, error) {
	bucket := names.Bucket()
	kv, err := js.KeyValue(ctx, bucket)
	if o.Bind {
		if err := checkBucket(ctx, js, bucket, err); err != nil {
			return nil, err
		}
	}
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = js.CreateKeyValue(ctx, jetstream.KeyValueConfig{
			Bucket:         bucket,
			Description:    "jetseek: map, collections, members",
			History:        1,
			Storage:        jetstream.FileStorage,
			Replicas:       max(o.Replicas, 1),
			LimitMarkerTTL: markerTTL, // a bucket that gets it later ignores the TTL of keys
		})
		if errors.Is(err, jetstream.ErrBucketExists) { // another process was faster, with other options
			kv, err = js.KeyValue(ctx, bucket)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("bucket %s: %w", bucket, err)
	}
	return &Store{js: js, kv: kv, bucket: bucket}, nil
}

// checkBucket tells whether a bucket that others have made does what records need; found is the error of looking it up.
func checkBucket(ctx context.Context, js jetstream.JetStream, bucket string, found error) error {
	if errors.Is(found, jetstream.ErrBucketNotFound) {
		return fmt.Errorf("%w: there is no bucket %s, and none is to be made", subjects.ErrAsset, bucket)
	}
	if found != nil {
		return fmt.Errorf("bucket %s: %w", bucket, found)
	}
	stream, err := js.Stream(ctx, streamOf(bucket))
	if err != nil {
		return fmt.Errorf("bucket %s: %w", bucket, err)
	}
	c := stream.CachedInfo().Config
	return subjects.CheckAsset("bucket "+bucket, []subjects.Setting{
		{Name: "storage", Want: jetstream.FileStorage, Got: c.Storage},
		{Name: "limit marker TTL", Want: markerTTL, Got: c.SubjectDeleteMarkerTTL},
		{Name: "TTL of keys", Want: true, Got: c.AllowMsgTTL},
		{Name: "max age", Want: time.Duration(0), Got: c.MaxAge},
		{Name: "rollup", Want: true, Got: c.AllowRollup},
		{Name: "direct reads", Want: true, Got: c.AllowDirect},
	})
}

// CreateMap writes the first map, and gives its revision. [ErrConflict]: there is one.
func (s *Store) CreateMap(ctx context.Context, m *placement.Map) (revision uint64, err error) {
	return s.create(ctx, mapKey, m)
}

// UpdateMap replaces the map of a revision, and gives the new one's.
func (s *Store) UpdateMap(ctx context.Context, m *placement.Map, revision uint64) (uint64, error) {
	return s.update(ctx, mapKey, m, revision)
}

// Map reads the map and its revision.
func (s *Store) Map(ctx context.Context) (*placement.Map, uint64, error) {
	entry, err := s.get(ctx, mapKey)
	if err != nil {
		return nil, 0, err
	}
	m, err := placement.Parse(entry.Value())
	if err != nil {
		return nil, 0, fmt.Errorf("record %s: %w", mapKey, err)
	}
	return m, entry.Revision(), nil
}

// CreateCollection writes a new collection's record, and gives its revision. [ErrConflict]: there is one of the name.
func (s *Store) CreateCollection(ctx context.Context, c *Collection) (revision uint64, err error) {
	return s.create(ctx, collectionKey(c.Name), c)
}

// UpdateCollection replaces the record of c.Revision, and gives the new revision.
func (s *Store) UpdateCollection(ctx context.Context, c *Collection) (revision uint64, err error) {
	return s.update(ctx, collectionKey(c.Name), c, c.Revision)
}

// DropCollection removes the record of c.Revision.
func (s *Store) DropCollection(ctx context.Context, c *Collection) error {
	err := s.kv.Delete(ctx, collectionKey(c.Name), jetstream.LastRevision(c.Revision))
	return s.failure("drop", collectionKey(c.Name), err)
}

// Collection reads a collection's record.
func (s *Store) Collection(ctx context.Context, name string) (*Collection, error) {
	entry, err := s.get(ctx, collectionKey(name))
	if err != nil {
		return nil, err
	}
	return parseCollection(entry.Key(), entry.Value(), entry.Revision())
}

// PutMember writes a member's record, for [MemberTTL] from now. The last writer wins: a member that starts again takes its place over.
func (s *Store) PutMember(ctx context.Context, m *Member) error {
	value, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode member %s: %w", m.ID(), err)
	}
	key := memberKey(m.Group, m.Node)
	// not through the KV interface: its Put makes a key permanent
	_, err = s.js.Publish(ctx, subjectPrefix(s.bucket)+key, value, jetstream.WithMsgTTL(MemberTTL), jetstream.WithRetryAttempts(0))
	return s.failure("put", key, err)
}

// DeleteMember removes a member's record; a member that ends does it.
func (s *Store) DeleteMember(ctx context.Context, group, node string) error {
	key := memberKey(group, node)
	return s.failure("delete", key, s.kv.Purge(ctx, key, jetstream.PurgeTTL(markerTTL)))
}

// Members reads the records of a group's members, in no order.
func (s *Store) Members(ctx context.Context, group string) ([]*Member, error) {
	pattern := memberKey(group, "*")
	watch, err := s.kv.Watch(ctx, pattern, jetstream.IgnoreDeletes())
	if err != nil {
		return nil, s.failure("read", pattern, err)
	}
	defer func() { _ = watch.Stop() }() // the connection may be gone, which ends it as well
	var all []*Member
	for {
		select {
		case entry, open := <-watch.Updates():
			if entry == nil && open {
				return all, nil // all that there are
			}
			if !open {
				return nil, fmt.Errorf("read record %s: the connection was lost", pattern)
			}
			m, err := parseMember(entry.Key(), entry.Value(), entry.Revision())
			if err != nil {
				return nil, err
			}
			all = append(all, m)
		case <-ctx.Done():
			return nil, fmt.Errorf("read record %s: %w", pattern, ctx.Err())
		}
	}
}

// CursorSecret gives what cursors are sealed with. Who asks first makes it, of random bytes.
func (s *Store) CursorSecret(ctx context.Context) ([]byte, error) {
	for {
		entry, err := s.get(ctx, cursorSecretKey)
		switch {
		case err == nil && len(entry.Value()) == wire.CursorSecretBytes:
			return entry.Value(), nil
		case err == nil:
			return nil, fmt.Errorf("record %s: %d bytes of %d", cursorSecretKey, len(entry.Value()), wire.CursorSecretBytes)
		case !errors.Is(err, ErrNotFound):
			return nil, err
		}
		secret := make([]byte, wire.CursorSecretBytes)
		rand.Read(secret)
		_, err = s.kv.Create(ctx, cursorSecretKey, secret)
		if err := s.failure("create", cursorSecretKey, err); err == nil {
			return secret, nil
		} else if !errors.Is(err, ErrConflict) || ctx.Err() != nil {
			return nil, err
		}
	}
}

func (s *Store) create(ctx context.Context, key string, record any) (uint64, error) {
	value, err := json.Marshal(record)
	if err != nil {
		return 0, fmt.Errorf("encode record %s: %w", key, err)
	}
	revision, err := s.kv.Create(ctx, key, value)
	return revision, s.failure("create", key, err)
}

func (s *Store) update(ctx context.Context, key string, record any, revision uint64) (uint64, error) {
	value, err := json.Marshal(record)
	if err != nil {
		return 0, fmt.Errorf("encode record %s: %w", key, err)
	}
	revision, err = s.kv.Update(ctx, key, value, revision)
	return revision, s.failure("update", key, err)
}

func (s *Store) get(ctx context.Context, key string) (jetstream.KeyValueEntry, error) {
	entry, err := s.kv.Get(ctx, key)
	return entry, s.failure("read", key, err)
}

// failure names the record in an error, and marks lost races: 10071 on a stream without replicas, 10164 on one with.
func (s *Store) failure(what, key string, err error) error {
	var api *jetstream.APIError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return fmt.Errorf("%s record %s: %w", what, key, ErrNotFound)
	case errors.Is(err, jetstream.ErrKeyExists),
		errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
		return fmt.Errorf("%s record %s: %w", what, key, ErrConflict)
	}
	return fmt.Errorf("%s record %s: %w", what, key, err)
}

func subjectPrefix(bucket string) string { return "$KV." + bucket + "." }

func streamOf(bucket string) string { return "KV_" + bucket }
