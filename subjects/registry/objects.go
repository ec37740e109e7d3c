package registry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// What does not fit a message goes through two object stores. Uploads is the clients': a writer puts the body of a request there, names it in the request, and the
// coordinator removes it. Documents is what logs refer to: only coordinators write it, under the SHA-256 of the bytes, so that no client can touch
// what members have to read.

// Uploads are bodies of requests on their way to a coordinator.
type Uploads struct{ objects }

// Documents are the bodies that logs refer to.
type Documents struct{ objects }

// Faults of an object that a log or a request refers to.
var (
	ErrNoObject = errors.New("no such object")                    // there is none of the name
	ErrDigest   = errors.New("the object is not what was stored") // its digest differs
)

// chunkBytes is how an object is cut into messages: larger than the client's default, since the server syncs every one of them.
const chunkBytes = 512 << 10

// OpenUploads makes the object store for uploads if it is not there, and opens it.
func OpenUploads(ctx context.Context, js jetstream.JetStream, names subjects.Names, o Options) (*Uploads, error) {
	s, err := openObjects(ctx, js, names.ObjectBucket(), "jetseek: bodies larger than a message", o)
	return &Uploads{s}, err
}

// OpenDocuments makes the object store for documents if it is not there, and opens it.
func OpenDocuments(ctx context.Context, js jetstream.JetStream, names subjects.Names, o Options) (*Documents, error) {
	s, err := openObjects(ctx, js, names.DocumentBucket(), "jetseek: documents larger than a message of a log", o)
	return &Documents{s}, err
}

// Put puts the body of a request under a name that nobody else uses.
func (s *Uploads) Put(ctx context.Context, name string, body []byte) error {
	return s.put(ctx, name, body)
}

// Remove removes an upload. That there is none is no error.
func (s *Uploads) Remove(ctx context.Context, name string) error {
	if err := s.store.Delete(ctx, name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("remove object %s: %w", fault.Quote(name), err)
	}
	return nil
}

// Body reads an upload of at most limit bytes; a larger one is too_large. A link to an object elsewhere is bad_request: followed, it would show its writer what
// only the reader may read.
func (s *Uploads) Body(ctx context.Context, name string, limit int) ([]byte, error) {
	info, err := s.store.GetInfo(ctx, name)
	if err != nil {
		return nil, objectError(name, err)
	}
	if info.Size > uint64(limit) {
		return nil, fault.New(fault.TooLarge, "the object %s has %d bytes: the limit is %d", fault.Quote(name), info.Size, limit)
	}
	if info.Opts != nil && info.Opts.Link != nil {
		return nil, fault.New(fault.BadRequest, "the object %s is a link: put the body itself", fault.Quote(name))
	}
	return s.get(ctx, name, limit)
}

// Put puts a document's body under its digest, unless it is there, and gives name and digest.
func (s *Documents) Put(ctx context.Context, body []byte) (name string, digest []byte, err error) {
	sum := sha256.Sum256(body)
	name = hex.EncodeToString(sum[:])
	if info, err := s.store.GetInfo(ctx, name); err == nil && info.Size == uint64(len(body)) {
		return name, sum[:], nil
	}
	return name, sum[:], s.put(ctx, name, body)
}

// Get reads what a log refers to, and checks it against its digest.
func (s *Documents) Get(ctx context.Context, name string, digest []byte) ([]byte, error) {
	body, err := s.get(ctx, name, wire.MaxDocumentBytes)
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(body); string(sum[:]) != string(digest) {
		return nil, fmt.Errorf("%w: %s has the digest %x, the log says %x", ErrDigest, name, sum, digest)
	}
	return body, nil
}

// objects is an object store.
type objects struct {
	store jetstream.ObjectStore
	chunk uint32
}

func openObjects(ctx context.Context, js jetstream.JetStream, bucket, about string, o Options) (objects, error) {
	store, err := js.ObjectStore(ctx, bucket)
	missing := errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound)
	if missing && o.Bind {
		return objects{}, fmt.Errorf("%w: there is no object store %s", subjects.ErrAsset, bucket)
	}
	if missing {
		store, err = js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: bucket, Description: about, Storage: jetstream.FileStorage, Replicas: max(o.Replicas, 1)})
		if errors.Is(err, jetstream.ErrBucketExists) { // another process was faster
			store, err = js.ObjectStore(ctx, bucket)
		}
	}
	if err != nil {
		return objects{}, fmt.Errorf("object store %s: %w", bucket, err)
	}
	chunk := int64(chunkBytes)
	if limit := js.Conn().MaxPayload(); limit > 0 {
		chunk = min(chunk, limit/2)
	}
	return objects{store, uint32(chunk)}, nil
}

func (s objects) put(ctx context.Context, name string, body []byte) error {
	meta := jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: s.chunk}}
	if _, err := s.store.Put(ctx, meta, bytes.NewReader(body)); err != nil {
		return fmt.Errorf("put object %s: %w", fault.Quote(name), err)
	}
	return nil
}

// get reads an object of at most limit bytes, whatever size it claims.
func (s objects) get(ctx context.Context, name string, limit int) ([]byte, error) {
	object, err := s.store.Get(ctx, name)
	if err != nil {
		return nil, objectError(name, err)
	}
	defer object.Close()
	body, err := io.ReadAll(io.LimitReader(object, int64(limit)+1))
	if err != nil {
		return nil, objectError(name, err)
	}
	if len(body) > limit {
		return nil, fault.New(fault.TooLarge, "the object %s has more than %d bytes, the limit", fault.Quote(name), limit)
	}
	return body, nil
}

func objectError(name string, err error) error {
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("%w: %s", ErrNoObject, fault.Quote(name))
	}
	return fmt.Errorf("read object %s: %w", fault.Quote(name), err)
}
