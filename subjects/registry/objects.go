package registry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
)

// Objects is the cluster's object store: bodies that do not fit a message. Clients put what they send under a name of their own making below
// "upload/", and coordinators remove it; what a log refers to stands under "doc/" and the SHA-256 of its bytes, written once and never changed.
type Objects struct{ store jetstream.ObjectStore }

// Faults of an object that a log refers to.
var (
	ErrNoObject = errors.New("no such object")                    // there is none of the name
	ErrDigest   = errors.New("the object is not what was stored") // its digest differs
)

const (
	uploadPrefix = "upload/"
	docPrefix    = "doc/"
	// chunkBytes is how an object is cut into messages: larger than the client's default, since the server syncs every one of them.
	chunkBytes = 512 << 10
)

// OpenObjects makes the object store if it is not there, and opens it.
func OpenObjects(ctx context.Context, js jetstream.JetStream, names subjects.Names, o Options) (*Objects, error) {
	bucket := names.ObjectBucket()
	store, err := js.ObjectStore(ctx, bucket)
	missing := errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound)
	if missing && o.Bind {
		return nil, fmt.Errorf("%w: there is no object store %s", subjects.ErrAsset, bucket)
	}
	if missing {
		store, err = js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{
			Bucket: bucket, Description: "jetseek: bodies larger than a message", Storage: jetstream.FileStorage, Replicas: max(o.Replicas, 1),
		})
		if errors.Is(err, jetstream.ErrBucketExists) { // another process was faster
			store, err = js.ObjectStore(ctx, bucket)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("object store %s: %w", bucket, err)
	}
	return &Objects{store}, nil
}

// Upload puts the body of a request under the name upload/ID, and gives the name.
func (s *Objects) Upload(ctx context.Context, id string, body []byte) (string, error) {
	name := uploadPrefix + id
	return name, s.put(ctx, name, body)
}

// Remove removes an upload. That there is none is no error.
func (s *Objects) Remove(ctx context.Context, name string) error {
	if err := s.store.Delete(ctx, name); err != nil && !errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("remove object %s: %w", name, err)
	}
	return nil
}

// Body reads an upload of at most limit bytes. Errors: too_large, bad_request for a name that is no upload's, [ErrNoObject].
func (s *Objects) Body(ctx context.Context, name string, limit int) ([]byte, error) {
	if len(name) <= len(uploadPrefix) || name[:len(uploadPrefix)] != uploadPrefix {
		return nil, fault.New(fault.BadRequest, "the object %s is no upload: put it below %s", fault.Quote(name), uploadPrefix)
	}
	info, err := s.store.GetInfo(ctx, name)
	if err != nil {
		return nil, objectError(name, err)
	}
	if info.Size > uint64(limit) {
		return nil, fault.New(fault.TooLarge, "the object %s has %d bytes: the limit is %d", fault.Quote(name), info.Size, limit)
	}
	body, err := s.store.GetBytes(ctx, name)
	if err != nil {
		return nil, objectError(name, err)
	}
	return body, nil
}

// PutDocument puts a document's body under its digest, unless it is there, and gives name and digest.
func (s *Objects) PutDocument(ctx context.Context, body []byte) (name string, digest []byte, err error) {
	sum := sha256.Sum256(body)
	name = docPrefix + hex.EncodeToString(sum[:])
	if info, err := s.store.GetInfo(ctx, name); err == nil && info.Size == uint64(len(body)) {
		return name, sum[:], nil
	}
	return name, sum[:], s.put(ctx, name, body)
}

// Document reads what a log refers to, and checks it against its digest.
func (s *Objects) Document(ctx context.Context, name string, digest []byte) ([]byte, error) {
	body, err := s.store.GetBytes(ctx, name)
	if err != nil {
		return nil, objectError(name, err)
	}
	if sum := sha256.Sum256(body); string(sum[:]) != string(digest) {
		return nil, fmt.Errorf("%w: %s has the digest %x, the log says %x", ErrDigest, name, sum, digest)
	}
	return body, nil
}

func (s *Objects) put(ctx context.Context, name string, body []byte) error {
	meta := jetstream.ObjectMeta{Name: name, Opts: &jetstream.ObjectMetaOptions{ChunkSize: chunkBytes}}
	if _, err := s.store.Put(ctx, meta, bytes.NewReader(body)); err != nil {
		return fmt.Errorf("put object %s: %w", name, err)
	}
	return nil
}

func objectError(name string, err error) error {
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return fmt.Errorf("%w: %s", ErrNoObject, name)
	}
	return fmt.Errorf("read object %s: %w", name, err)
}
