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

// A collapsed search shows of each value the first document by brute force, in pages that go on from each other, and counts values; facets count documents.
func TestCollapse(t *testing.T) {
	for _, shape := range []struct{ groups, members int }{{1, 1}, {3, 2}, {8, 1}} {
		t.Run(fmt.Sprintf("%dx%d", shape.groups, shape.members), func(t *testing.T) {
			db := open(t, Options{Groups: shape.groups, Members: shape.members})
			w := &world{t: t, rng: rand.New(rand.NewPCG(uint64(shape.groups), 8)), client: db.Client(), collections: map[string]refCollection{"books": {}, "other": {}}, vocabulary: 20}
			w.run(2, 0)
			for range 80 {
				w.collapse("books")
			}
		})
	}
}

func (w *world) collapse(name string) {
	c := w.collections[name]
	q := w.query(2)
	var sorts []refSort
	body := wire.NewSearch(q.String())
	body.TimeoutMs, body.TrackTotal, body.TrackScores, body.Facets = 30_000, wire.TrackExact, true, []string{"kind"}
	for range w.rng.IntN(3) {
		key := refSort{[]string{"_score", "_id", "kind", "year", "price"}[w.rng.IntN(5)], w.rng.IntN(2) == 0}
		sorts = append(sorts, key)
		body.Sort = append(body.Sort, query.SortSpec{Field: key.field, Order: map[bool]string{true: "desc", false: "asc"}[key.desc]})
	}
	body.Collapse = []string{"kind", "year", "price"}[w.rng.IntN(3)]
	body.From, body.Limit = w.rng.IntN(2)*w.rng.IntN(5), w.rng.IntN(12)
	all, documents := c.search(q, nil, sorts, 0, len(c))
	var first []refHit
	seen := map[refValue]bool{}
	for _, h := range all {
		if v, has := c[h.id].value(body.Collapse); has {
			if seen[v] {
				continue
			}
			seen[v] = true
		}
		first = append(first, h)
	}
	page := first[min(body.From, len(first)):min(body.From+body.Limit, len(first))]
	got, err := w.client.Search(w.t.Context(), name, body)
	if err != nil {
		w.t.Fatalf("%s: %v", q, err)
	}
	if difference := differ(got, page, uint64(len(first)), true); difference != "" {
		w.t.Fatalf("%s by %v, collapsed by %s, from %d, limit %d: %s", q, sorts, body.Collapse, body.From, body.Limit, difference)
	}
	var facets map[string][]struct{ Count uint64 }
	if err := json.Unmarshal(got.Facets, &facets); err != nil {
		w.t.Fatal(err)
	}
	for _, f := range facets["kind"] {
		documents -= f.Count
	}
	for _, h := range all {
		if _, has := c[h.id].value("kind"); !has {
			documents--
		}
	}
	if documents != 0 {
		w.t.Fatalf("%s: the facet counts other documents than match: %s", q, got.Facets)
	}
	for _, hit := range got.Hits {
		if len(sorts) > 0 && len(hit.Sort) != len(sorts)+1 || len(sorts) == 0 && hit.Sort != nil {
			w.t.Fatalf("%s: sort values %v", q, hit.Sort)
		}
	}
}

// Documents of several values stand for the least of them; track_total bounds the count of values, and what has no values to compare is refused.
func TestCollapseByListsAndLimits(t *testing.T) {
	c := open(t, Options{Groups: 3}).Client()
	if _, err := c.CreateCollection(t.Context(), "c", json.RawMessage(`{"fields":{"tag":{"type":"keyword"},"t":{"type":"text"},"n":{"type":"long"}}}`)); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for i := range 60 {
		fmt.Fprintf(&lines, "{\"id\":\"d%02d\",\"tag\":[\"z%d\",\"a%d\"],\"n\":[%d,7],\"t\":\"x\"}\n", i, i, i%6, i)
	}
	if r, err := c.Bulk(t.Context(), "c", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		t.Fatalf("%.600v, %v", r, err)
	}
	search := func(body string) (*wire.SearchResponse, error) {
		s, err := wire.DecodeSearch([]byte(body))
		if err != nil {
			return nil, err
		}
		return c.Search(t.Context(), "c", s)
	}
	for _, one := range []struct {
		body  string
		ids   []string
		total wire.Total
	}{
		{`{"collapse":{"field":"tag"}}`, []string{"d00", "d01", "d02", "d03", "d04", "d05"}, wire.Total{Value: 6, Relation: "eq"}},
		{`{"collapse":"tag","sort":[{"field":"_id","order":"desc"}],"limit":3}`, []string{"d59", "d58", "d57"}, wire.Total{Value: 6, Relation: "eq"}},
		{`{"collapse":"n","sort":[{"field":"_id","order":"desc"}],"limit":2,"from":1}`, []string{"d06", "d05"}, wire.Total{Value: 8, Relation: "eq"}},
		{`{"collapse":"n","limit":1,"track_total":3}`, []string{"d00"}, wire.Total{Value: 3, Relation: "gte"}},
	} {
		got, err := search(one.body)
		if err != nil {
			t.Fatal(one.body, err)
		}
		var ids []string
		for _, h := range got.Hits {
			ids = append(ids, h.ID)
		}
		if !slices.Equal(ids, one.ids) || got.Total != one.total {
			t.Errorf("%s: %v of %+v, want %v of %+v", one.body, ids, got.Total, one.ids, one.total)
		}
	}
	for body, code := range map[string]fault.Code{
		`{"collapse":{"field":"t"}}`:                fault.BadField,
		`{"collapse":{"field":"nowhere"}}`:          fault.BadField,
		`{"collapse":{}}`:                           fault.BadRequest,
		`{"collapse":{"field":"tag","size":2}}`:     fault.BadRequest,
		`{"collapse":{"field":"tag"},"cursor":"*"}`: fault.BadRequest,
	} {
		if _, err := search(body); fault.CodeOf(err) != code {
			t.Errorf("%s: %v, want %s", body, err, code)
		}
	}
}
