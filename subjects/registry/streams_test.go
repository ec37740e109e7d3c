package registry_test

import (
	"reflect"
	"testing"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
)

// What is told to those who make the streams themselves is what the server has when we make them.
func TestStreamsAreThoseThatAreMade(t *testing.T) {
	js := natstest.Start(t).JetStream(t)
	names, err := subjects.New("acme.search")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := registry.Open(t.Context(), js, names, registry.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := registry.OpenUploads(t.Context(), js, names, registry.Options{}); err != nil {
		t.Fatal(err)
	}
	if _, err := registry.OpenDocuments(t.Context(), js, names, registry.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, want := range registry.Streams(names, registry.Options{}) {
		made, err := js.Stream(t.Context(), want.Name)
		if err != nil {
			t.Errorf("%s: %v", want.Name, err)
			continue
		}
		got := made.CachedInfo().Config
		got.Metadata = nil // the server's own
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s is\n%+v, want\n%+v", want.Name, got, want)
		}
	}
}
