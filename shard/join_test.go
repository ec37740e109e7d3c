package shard

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A stream that somebody else has begun, or that is another group's, is not joined: the member says so and those who wait for it learn it.
func TestForeignLogIsRefused(t *testing.T) {
	genesis := wire.AppendRecord(nil, &wire.Record{Ops: []wire.Op{{Kind: wire.KindGenesis, IfVersion: wire.NoCondition,
		Body: wire.AppendGenesis(nil, &wire.Genesis{Group: "g7", Generation: 1, FirstSeq: 1})}}})
	for name, first := range map[string][]byte{"no record": []byte("hello"), "of another group": genesis} {
		t.Run(name, func(t *testing.T) {
			conn, js, _ := newLog(t)
			if _, err := js.Publish(t.Context(), subjects.Names{}.Log("g0"), first); err != nil {
				t.Fatal(err)
			}
			m, err := New(Options{Conn: conn, Group: "g0", Node: "n1", Dir: t.TempDir()})
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() { done <- m.Run(ctx) }()
			if err := m.AwaitServing(t.Context()); err == nil || !strings.Contains(err.Error(), "genesis") {
				t.Errorf("waiting for it: %v", err)
			}
			if err := <-done; !errors.Is(err, errForeignLog) {
				t.Errorf("run: %v", err)
			}
		})
	}
}
