package embedded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Walks give every place of the snapshot at which they began once, in its order, with the scores and sources of then, whatever is written between the pages; only what was
// deleted meanwhile is left out, also when it was written again.
func TestWalk(t *testing.T) {
	for _, shape := range []struct{ groups, members int }{{1, 1}, {3, 2}, {5, 1}} {
		t.Run(fmt.Sprintf("%dx%d", shape.groups, shape.members), func(t *testing.T) {
			db := open(t, Options{Groups: shape.groups, Members: shape.members})
			w := &world{t: t, rng: rand.New(rand.NewPCG(uint64(shape.groups), 5)), client: db.Client(), collections: map[string]refCollection{"books": {}, "other": {}}, vocabulary: 20}
			w.run(1, 0)
			for range 12 {
				w.bulk(t.Context(), "books", 60)
				w.walk("books")
			}
		})
	}
}

// walk walks through the answer to a random query, and writes and deletes between the pages.
func (w *world) walk(name string) {
	w.t.Helper()
	c := w.collections[name]
	q := refQuery(refAll{})
	if w.rng.IntN(4) > 0 {
		q = w.query(2)
	}
	var sorts []refSort
	body := wire.NewSearch(q.String())
	body.TimeoutMs, body.TrackTotal, body.Cursor, body.Limit, body.TrackScores = 30_000, wire.TrackExact, wire.CursorStart, 1+w.rng.IntN(40), true
	for range w.rng.IntN(3) {
		key := refSort{[]string{"_score", "_id", "kind", "year", "price"}[w.rng.IntN(5)], w.rng.IntN(2) == 0}
		sorts = append(sorts, key)
		body.Sort = append(body.Sort, query.SortSpec{Field: key.field, Order: map[bool]string{true: "desc", false: "asc"}[key.desc]})
	}
	places, total := c.search(q, nil, sorts, 0, len(c))
	gone := map[string]bool{}
	limit := body.Limit
	for first := 0; ; first += limit {
		got, err := w.client.Search(w.t.Context(), name, body)
		if err != nil {
			w.t.Fatalf("%s, page from %d: %v", q, first, err)
		}
		page := slices.Clone(places[min(first, len(places)):min(first+limit, len(places))])
		page = slices.DeleteFunc(page, func(h refHit) bool { return gone[h.id] })
		if difference := differ(got, page, total, true); difference != "" {
			w.t.Fatalf("%s sorted by %v, places from %d on, limit %d: %s", q, sorts, first, limit, difference)
		}
		if (got.Cursor != "") != (first+limit < len(places)) {
			w.t.Fatalf("%s: a cursor %q behind place %d of %d", q, got.Cursor, first+limit, len(places))
		}
		if got.Cursor == "" {
			return
		}
		*body = wire.SearchBody{Cursor: got.Cursor, TimeoutMs: 30_000}
		w.disturb(name, c, gone)
	}
}

// disturb updates, deletes and writes again some documents, and notes which were deleted.
func (w *world) disturb(name string, c refCollection, gone map[string]bool) {
	w.t.Helper()
	var lines strings.Builder
	for range w.rng.IntN(8) {
		id := w.id()
		if w.rng.IntN(2) == 0 {
			fmt.Fprintf(&lines, "{\"_delete\":%q}\n", id)
			delete(c, id)
			gone[id] = true
		}
		if w.rng.IntN(2) == 0 {
			d := w.doc(id)
			c.put(d)
			lines.WriteString(d.source + "\n")
		}
	}
	if lines.Len() == 0 {
		return
	}
	if r, err := w.client.Bulk(w.t.Context(), name, []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		w.t.Fatalf("%+v, %v", r, err)
	}
}

// A walk goes past the 10,000 places that pages by number may reach.
func TestWalkThroughManyDocuments(t *testing.T) {
	c := open(t, Options{Groups: 3}).Client()
	const n = 12_000
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, "{\"id\":\"d%05d\",\"n\":%d}\n", i, i%7)
	}
	if r, err := c.Bulk(t.Context(), "default", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		t.Fatalf("%.600v, %v", r, err)
	}
	body := wire.NewSearch("*")
	body.Cursor, body.Limit, body.TimeoutMs, body.Fields = wire.CursorStart, 5000, 30_000, []string{}
	var ids []string
	for hit, err := range c.Walk(t.Context(), "default", body) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, hit.ID)
	}
	if len(ids) != n || ids[0] != "d00000" || ids[n-1] != fmt.Sprintf("d%05d", n-1) || !slices.IsSorted(ids) || len(slices.Compact(ids)) != n {
		t.Fatalf("%d ids, from %s to %s", len(ids), ids[0], ids[len(ids)-1])
	}
}

// Any member goes on with a walk when the one before has died, also long after the walk began, since each page has all members keep their snapshots. A minute after its last page a walk
// has expired, and never gives another page instead.
func TestWalkGoesOnAtAnotherMember(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 2, 2)
		for n := range 20 {
			s.index(fmt.Sprintf("id-%02d", n), client.WriteOptions{})
		}
		body := wire.NewSearch("*")
		body.Cursor, body.Limit, body.TimeoutMs = wire.CursorStart, 2, 20_000
		var ids []string
		page := func() {
			t.Helper()
			got, err := s.Client().Search(t.Context(), "default", body)
			if err != nil {
				t.Fatalf("behind %v: %v", ids, err)
			}
			for _, hit := range got.Hits {
				ids = append(ids, hit.ID)
			}
			*body = wire.SearchBody{Cursor: got.Cursor, TimeoutMs: 20_000}
		}
		page()
		for range 3 {
			time.Sleep(50 * time.Second) // virtual
			s.index("later", client.WriteOptions{Timeout: time.Minute})
			page()
		}
		s.kill("g0/n1")
		s.kill("g1/n2")
		page()
		s.restart("g0/n1")
		s.kill("g0/n2")
		if _, err := s.Client().Search(t.Context(), "default", body); fault.CodeOf(err) != fault.CursorExpired && fault.CodeOf(err) != fault.Unavailable {
			t.Errorf("the only member of g0 began after the walk did: %v", err)
		}
		s.restart("g0/n2")
		s.restart("g1/n2")
		if !slices.Equal(ids, []string{"id-00", "id-01", "id-02", "id-03", "id-04", "id-05", "id-06", "id-07", "id-08", "id-09"}) {
			t.Errorf("the pages gave %v", ids)
		}
		body = wire.NewSearch("*")
		body.Cursor, body.Limit = wire.CursorStart, 2
		page()
		time.Sleep(61 * time.Second) // virtual
		s.index("later", client.WriteOptions{Timeout: time.Minute})
		if _, err := s.Client().Search(t.Context(), "default", body); fault.CodeOf(err) != fault.CursorExpired {
			t.Errorf("a minute after its last page: %v", err)
		}
	})
}

// What is no cursor of this cluster, or stands beside one, is refused.
func TestWalksThatAreRefused(t *testing.T) {
	s := setStage(t, 2, 1)
	for n := range 5 {
		s.index(fmt.Sprintf("id-%d", n), client.WriteOptions{})
	}
	c := s.Client()
	if _, err := c.CreateCollection(t.Context(), "other", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	body := wire.NewSearch("word")
	body.Cursor, body.Limit = wire.CursorStart, 2
	first, err := c.Search(t.Context(), "default", body)
	if err != nil || first.Cursor == "" || len(first.Hits) != 2 {
		t.Fatalf("%+v, %v", first, err)
	}
	refuse := func(name, collection string, body *wire.SearchBody, want fault.Code) {
		t.Helper()
		if _, err := c.Search(t.Context(), collection, body); fault.CodeOf(err) != want {
			t.Errorf("%s: %v, not %s", name, err, want)
		}
	}
	for i := range first.Cursor {
		forged := []byte(first.Cursor)
		forged[i] ^= 1
		refuse(fmt.Sprintf("byte %d is another", i), "default", &wire.SearchBody{Cursor: string(forged)}, fault.BadRequest)
	}
	refuse("half of it", "default", &wire.SearchBody{Cursor: first.Cursor[:len(first.Cursor)/2]}, fault.BadRequest)
	refuse("no cursor", "default", &wire.SearchBody{Cursor: "x"}, fault.BadRequest)
	refuse("another collection", "other", &wire.SearchBody{Cursor: first.Cursor}, fault.BadRequest)
	for _, body := range []string{`{"cursor":"*","from":1}`, `{"cursor":"*","limit":0}`, `{"cursor":""}`, `{"cursor":1}`, `{"cursor":"` + first.Cursor + `","limit":5}`, `{"limit":5,"cursor":"` + first.Cursor + `"}`} {
		s.expect(refused{body, request{op: "read.default.search", body: body, http: "POST /search"}, 400, "bad_request", "", "", -1})
	}
	next, err := c.Search(t.Context(), "default", &wire.SearchBody{Cursor: first.Cursor})
	if err != nil || len(next.Hits) != 2 || next.Total != first.Total {
		t.Errorf("the cursor as it is: %+v, %v", next, err)
	}
	if _, err := c.DropCollection(t.Context(), "default"); err != nil {
		t.Fatal(err)
	}
	refuse("the collection was dropped", "default", &wire.SearchBody{Cursor: first.Cursor}, fault.NoCollection)
	if _, err := c.CreateCollection(t.Context(), "default", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	refuse("the collection is another", "default", &wire.SearchBody{Cursor: first.Cursor}, fault.CursorExpired)
}
