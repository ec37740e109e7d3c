package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/wire"
)

// A system that is opened again on its folder gives the same answers, bit for bit, and goes on; a folder in use, and fewer groups than it holds, are
// refused, by name, and hurt nothing.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	openAgain := func(groups, members int) (*DB, error) { return Open(dir, Options{Groups: groups, Members: members}) }
	db, err := openAgain(3, 2)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, rng: rand.New(rand.NewPCG(5, 11)), client: db.Client(), collections: map[string]refCollection{"books": {}, "other": {}}, vocabulary: 30, seqs: map[string]uint64{}}
	w.run(2, 20)
	want := answers(t, db)
	if _, err := openAgain(3, 2); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a folder in use: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := openAgain(1, 2); err == nil || !strings.Contains(err.Error(), "g1") || !strings.Contains(err.Error(), "g2") {
		t.Errorf("fewer groups than the folder holds: %v", err)
	}
	for _, members := range []int{2, 1, 2} {
		db, err := openAgain(3, members)
		if err != nil {
			t.Fatal(err)
		}
		if got := answers(t, db); got != want {
			t.Errorf("with %d members the answers differ:\n%s\nbefore:\n%s", members, got, want)
		}
		w.client = db.Client()
		if members == 2 { // with one of two declared members a write is visible and not ok
			w.single(t.Context(), "books")
			w.compare(t.Context(), "books")
			want = answers(t, db)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-db.Failed():
			t.Error(err)
		default:
		}
	}
}

// answers gives what a system answers to some queries, less what says nothing of the documents.
func answers(t *testing.T, db *DB) string {
	t.Helper()
	var all strings.Builder
	for _, name := range []string{"books", "other"} {
		for _, query := range []string{"*", "w0", "w1 w2 w3", `"w0 w1"`, "kind:k1", "year:[1992 TO 1999] w4"} {
			body := wire.NewSearch(query)
			body.Limit, body.TimeoutMs = 200, 10_000
			reply, err := db.Client().Search(t.Context(), name, body)
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			if !reply.Exact {
				t.Errorf("%s is not exact: %s", query, reply.ExactNote)
			}
			reply.TookMs, reply.Coverage.Seq, reply.Shards.Retried = 0, nil, 0
			text, err := json.Marshal(reply)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(&all, name, query, string(text))
		}
	}
	return all.String()
}

// A caller that gives up leaves nothing behind: the folder can be opened again.
func TestOpenEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := OpenContext(ctx, dir, Options{Groups: 2}); !errors.Is(err, context.Canceled) {
		t.Fatalf("opened under a context that has ended: %v", err)
	}
	db, err := Open(dir, Options{Groups: 2})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}
