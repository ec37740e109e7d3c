package embedded

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// written is one write, with its place.
type written struct {
	group string
	seq   uint64
	id    string
	doc   *refDoc // nil: deleted
}

// While others write, every answer equals brute force over the documents at the sequences that it names, whether the statistics that it was made with were remembered or asked for; and both
// happen.
func TestSearchesWhileOthersWrite(t *testing.T) {
	db := open(t, Options{Groups: 3, Members: 2})
	w := &world{t: t, rng: rand.New(rand.NewPCG(4, 4)), client: db.Client(), collections: map[string]refCollection{"books": {}, "other": {}}, vocabulary: 20}
	if _, err := w.client.CreateCollection(t.Context(), "books", json.RawMessage(shapeSchema)); err != nil {
		t.Fatal(err)
	}
	var writes []written // by group in the order of its log
	write := func(w *world) {
		id, doc := w.id(), (*refDoc)(nil)
		var reply *wire.WriteReply
		var err error
		if w.rng.IntN(4) == 0 {
			reply, err = w.client.Delete(t.Context(), "books", id, client.WriteOptions{Timeout: time.Minute})
		} else {
			doc = w.doc(id)
			reply, err = w.client.Index(t.Context(), "books", []byte(doc.source), client.WriteOptions{Timeout: time.Minute})
		}
		if err != nil {
			t.Errorf("%s: %v", id, err)
			return
		}
		writes = append(writes, written{reply.Group, reply.Seq, id, doc})
	}
	for range 150 {
		write(w)
	}
	type answer struct {
		query refQuery
		limit int
		reply *wire.SearchResponse
	}
	var answers []answer
	ctx, stop := context.WithCancel(t.Context())
	answered := make(chan struct{}) // taken while nothing is written
	var searching sync.WaitGroup
	searched := make(chan struct{})
	searching.Go(func() {
		defer close(searched)
		w := &world{t: t, rng: rand.New(rand.NewPCG(5, 5)), client: db.Client(), vocabulary: 20}
		queries := make([]refQuery, 6)
		for i := range queries {
			queries[i] = refWord{terms: []string{w.word()}, boost: 1}
		}
		for n := 0; ctx.Err() == nil; n++ {
			q := queries[n%len(queries)]
			if n%5 == 0 {
				q = w.query(1)
			}
			body := wire.NewSearch(q.String())
			body.TimeoutMs, body.TrackTotal, body.Limit, body.Profile = 30_000, wire.TrackExact, 1+w.rng.IntN(20), true
			reply, err := w.client.Search(t.Context(), "books", body)
			if err != nil {
				t.Errorf("%s: %v", q, err)
				return
			}
			answers = append(answers, answer{q, body.Limit, reply})
			select {
			case answered <- struct{}{}:
			default: // the writer writes
			}
		}
	})
	for range 12 {
		for range 25 {
			write(w)
		}
		for range 100 { // that meet no write: more than are asked first after a write, and each query twice
			select {
			case <-answered:
			case <-searched:
			}
		}
	}
	stop()
	searching.Wait()
	paths := map[string]int{}
	for _, a := range answers {
		c := refCollection{}
		for _, x := range writes {
			switch at := a.reply.Coverage.Seq[x.group]; {
			case x.seq > at:
			case x.doc == nil:
				delete(c, x.id)
			default:
				c[x.id] = x.doc
			}
		}
		// What was deleted after the snapshot is left out of the page, and said.
		if a.reply.ExactNote != "" {
			continue
		}
		hits, total := c.search(a.query, nil, nil, 0, a.limit)
		if difference := differ(a.reply, hits, total, true); difference != "" {
			t.Fatalf("%s at %v by the path %v: %s", a.query, a.reply.Coverage.Seq, a.reply.Profile.Path, difference)
		}
		paths[a.reply.Profile.Path]++
	}
	t.Log(paths)
	for _, path := range []string{"believed", "stats+search"} {
		if paths[path] == 0 {
			t.Errorf("no search took the path %s: %v", path, paths)
		}
	}
}
