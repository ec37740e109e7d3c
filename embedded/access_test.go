package embedded

import (
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/registry"

	"github.com/nats-io/nats.go/jetstream"
)

// incarnation reads a collection's incarnation from the cluster's records.
func (s *stage) incarnation(name string) schema.Incarnation {
	s.t.Helper()
	js, err := jetstream.New(s.Conn())
	if err != nil {
		s.t.Fatal(err)
	}
	store, err := registry.Open(s.t.Context(), js, s.names, registry.Options{})
	if err != nil {
		s.t.Fatal(err)
	}
	c, err := store.Collection(s.t.Context(), name)
	if err != nil {
		s.t.Fatal(err)
	}
	return schema.Incarnation(c.Incarnation)
}
