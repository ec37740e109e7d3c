package showcase

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/godocs"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded"
	"github.com/jetseek/jetseek/subjects/wire"
)

// open starts a small system of its own.
func open(t *testing.T) *client.Client {
	t.Helper()
	db, err := embedded.Open(t.TempDir(), embedded.Options{Groups: 2})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db.Client()
}

// some makes n documents.
func some(n int) []godocs.Document {
	docs := make([]godocs.Document, n)
	for i := range docs {
		docs[i] = godocs.Document{ID: fmt.Sprintf("net/p.F%d", i), Name: fmt.Sprintf("p F%d", i), Symbol: fmt.Sprintf("F%d", i), Kind: "func", Package: "net/p",
			Signature: "func F()", Doc: "F reads a file.", Words: i, Since: i%3 - 1}
	}
	return docs
}

func count(t *testing.T, c *client.Client) uint64 {
	t.Helper()
	body, err := c.Collection(t.Context(), Collection)
	if err != nil {
		t.Fatal(err)
	}
	return body.Documents
}

// An index that a break cut short does not pass for one, and the next start completes it.
func TestABreakIsNoticedAndCompleted(t *testing.T) {
	c := open(t)
	docs := some(2*batchDocs + 100)
	if mark, err := Indexed(t.Context(), c); mark != nil || err != nil {
		t.Fatalf("before: %+v, %v", mark, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := Index(ctx, c, docs, func(done int) {
		if done == batchDocs {
			cancel()
		}
	})
	if err == nil {
		t.Fatal("the break was not told")
	}
	if mark, err := Indexed(t.Context(), c); mark != nil || err != nil {
		t.Fatalf("after a break: %+v, %v", mark, err)
	}
	var steps []int
	if err := Index(t.Context(), c, docs, func(done int) { steps = append(steps, done) }); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(steps), fmt.Sprint([]int{batchDocs, 2 * batchDocs, len(docs)}); got != want {
		t.Errorf("progress %s, want %s", got, want)
	}
	if n := count(t, c); n != uint64(len(docs)) {
		t.Errorf("%d documents, want %d", n, len(docs))
	}
	mark, err := Indexed(t.Context(), c)
	if err != nil || mark == nil || *mark != ThisMachine(len(docs)) {
		t.Fatalf("complete: %+v, %v", mark, err)
	}
	if err := Drop(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if mark, err := Indexed(t.Context(), c); mark != nil || err != nil {
		t.Errorf("dropped: %+v, %v", mark, err)
	}
	if err := Drop(t.Context(), c); err != nil {
		t.Errorf("dropped twice: %v", err)
	}
}

// A mark without the collection that it speaks of is worth nothing.
func TestAMarkAloneIsNoIndex(t *testing.T) {
	c := open(t)
	if err := writeMark(t.Context(), c, ThisMachine(3)); err != nil {
		t.Fatal(err)
	}
	if mark, err := Indexed(t.Context(), c); mark != nil || err != nil {
		t.Errorf("got %+v, %v", mark, err)
	}
}

func TestBatchesKeepTheirLimits(t *testing.T) {
	docs := some(3)
	docs[0].Doc = strings.Repeat("x", batchBytes/2)
	docs[1].Doc = strings.Repeat("x", batchBytes/2)
	docs[2].Doc = strings.Repeat("x", 2*batchBytes)
	for i := range docs { // each alone: two do not fit, and the third is larger than a batch
		lines, n, err := batch(docs[i:])
		if err != nil || n != 1 || strings.Count(string(lines), "\n") != 1 {
			t.Errorf("from document %d: %d documents, %v", i, n, err)
		}
	}
	if _, n, _ := batch(some(batchDocs + 1)); n != batchDocs {
		t.Errorf("%d documents in a batch, want %d", n, batchDocs)
	}
}

func TestDocumentsAreStoredAsTheyAreRead(t *testing.T) {
	c := open(t)
	if err := Index(t.Context(), c, some(3), func(int) {}); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{
		"net/p.F0": `{"id":"net/p.F0","name":"p F0","symbol":"F0","kind":"func","package":"net/p","signature":"func F()","doc":"F reads a file.","words":0}`,
		"net/p.F2": `{"id":"net/p.F2","name":"p F2","symbol":"F2","kind":"func","package":"net/p","signature":"func F()","doc":"F reads a file.","words":2,"since":1}`,
	} {
		doc, err := c.Get(t.Context(), Collection, id)
		if err != nil || string(doc.Source) != want {
			t.Errorf("%s: %v %s, want %s", id, err, doc.Source, want)
		}
	}
	// The schema: exact fields by value, numbers by range, words of names and comments without naming a field.
	for q, want := range map[string]int{"kind:func": 3, "words:>=1": 2, "since:0": 1, "F1": 1, "file": 3, `package:"net/p"`: 3, "signature:func": 3, "func": 0} {
		got, err := c.Search(t.Context(), Collection, wire.NewSearch(q))
		if err != nil || len(got.Hits) != want {
			t.Errorf("%s: %v, %+v, want %d hits", q, err, got, want)
		}
	}
}

func TestShowAsksEveryQuery(t *testing.T) {
	c := open(t)
	docs := append(some(1), godocs.Document{ID: "net", Name: "net", Symbol: "net", Kind: "package", Package: "net", Signature: "package net", Doc: "Package net.", Words: 2, Since: -1})
	if err := Index(t.Context(), c, docs, func(int) {}); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := Show(t.Context(), c, &b, 100); err != nil {
		t.Fatal(err)
	}
	for _, q := range Queries() {
		if !strings.Contains(b.String(), "\n"+q.Text) {
			t.Errorf("%s is not shown", q.Text)
		}
	}
	if !strings.Contains(b.String(), "2  net  package") {
		t.Errorf("no package by words:\n%s", b.String())
	}
}

func TestRequestsAreValid(t *testing.T) {
	for _, q := range Queries() {
		body, err := json.Marshal(q.request())
		if err != nil {
			t.Fatal(err)
		}
		read, err := wire.DecodeSearch(body)
		if err == nil {
			err = read.Validate()
		}
		if err != nil {
			t.Errorf("%s: %v", q.Text, err)
		}
	}
}
