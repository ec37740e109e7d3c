package registry_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
)

// What a writer may do to the store of uploads shows nothing of other stores, and fills no memory.
func TestUploads(t *testing.T) {
	js := natstest.Start(t).JetStream(t)
	var names subjects.Names
	uploads, err := registry.OpenUploads(t.Context(), js, names, registry.Options{})
	if err != nil {
		t.Fatal(err)
	}
	body := bytes.Repeat([]byte("0123456789"), 200_000) // of several messages
	if err := uploads.Put(t.Context(), "a", body); err != nil {
		t.Fatal(err)
	}
	if got, err := uploads.Body(t.Context(), "a", len(body)); err != nil || !bytes.Equal(got, body) {
		t.Errorf("%d bytes came back of %d: %v", len(got), len(body), err)
	}
	if _, err := uploads.Body(t.Context(), "a", len(body)-1); fault.CodeOf(err) != fault.TooLarge {
		t.Errorf("past the limit: %v", err)
	}
	mine, err := js.ObjectStore(t.Context(), names.ObjectBucket())
	if err != nil {
		t.Fatal(err)
	}
	secret, err := js.CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: "elsewhere"})
	if err != nil {
		t.Fatal(err)
	}
	other, err := secret.PutBytes(t.Context(), "secret", []byte("of others"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := mine.AddLink(t.Context(), "link", other); err != nil {
		t.Fatal(err)
	}
	if got, err := uploads.Body(t.Context(), "link", 100); fault.CodeOf(err) != fault.BadRequest {
		t.Errorf("a link gives %q, %v", got, err)
	}
	if err := uploads.Remove(t.Context(), "a"); err != nil {
		t.Error(err)
	}
	if _, err := uploads.Body(t.Context(), "a", len(body)); !errors.Is(err, registry.ErrNoObject) {
		t.Errorf("removed: %v", err)
	}
	if err := uploads.Remove(t.Context(), "a"); err != nil {
		t.Errorf("removed again: %v", err)
	}
}
