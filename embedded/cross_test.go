package embedded

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

// What can be asked together gives together what brute force does: functions, documents like others, a least score, one hit a value or pages of a walk, several sort keys, filters, facets,
// aggregations with hits below them, explanations.
func TestFeaturesTogether(t *testing.T) {
	for _, shape := range []struct{ groups, members int }{{1, 1}, {3, 2}} {
		t.Run(fmt.Sprintf("%dx%d", shape.groups, shape.members), func(t *testing.T) {
			db := open(t, Options{Groups: shape.groups, Members: shape.members})
			w := &world{t: t, rng: rand.New(rand.NewPCG(uint64(shape.groups), 66)), client: db.Client(), collections: map[string]refCollection{"books": {}, "other": {}}, vocabulary: 15}
			w.run(2, 0)
			tried := map[string]int{}
			for range 150 {
				w.together("books", tried)
			}
			for _, feature := range []string{"functions", "like", "least", "collapsed", "walked", "explained", "cut off by the least score"} {
				if tried[feature] < 10 {
					t.Errorf("%s: %d times: the test does not test much", feature, tried[feature])
				}
			}
		})
	}
}

// refAtLeast is a query whose matches score at least so much.
type refAtLeast struct {
	refQuery
	least float64
}

func (q refAtLeast) eval(s refStats, d *refDoc, boost float64) (bool, int64) {
	ok, units := q.refQuery.eval(s, d, boost)
	return ok && float64(units)/4294967296 >= q.least, units
}

// scored makes a query that scores in one of many ways.
func (w *world) scored(c refCollection, tried map[string]int) refQuery {
	ids := slices.Sorted(maps.Keys(c))
	like := refLike{of: c[ids[w.rng.IntN(len(ids))]], fields: defaultFields, maxTerms: 1 + w.rng.IntN(9), minFreq: 1, minDF: 1, boost: 1, include: w.rng.IntN(2) == 0}
	kind := w.rng.IntN(6)
	if kind < 3 {
		tried["functions"]++
	}
	if kind > 0 && kind < 5 {
		tried["like"]++
	}
	switch kind {
	case 0:
		return w.functions()
	case 1:
		return refShould{w.functions(), like}
	case 2:
		return refFunctions{query: like, of: w.query(1), boost: 1, maxBoost: 2, scoreMode: "sum", boostMode: []string{"multiply", "sum", "replace"}[w.rng.IntN(3)]}
	case 3:
		return like
	case 4:
		return refShould{like, w.query(1)}
	}
	return w.query(2)
}

// together asks the system and the reference for several things at once.
func (w *world) together(name string, tried map[string]int) {
	c := w.collections[name]
	q := w.scored(c, tried)
	body := wire.NewSearch("")
	body.Query, body.TimeoutMs, body.TrackTotal, body.TrackScores = json.RawMessage(jsonForm(q)), 30_000, wire.TrackExact, true
	var filters []refQuery
	if w.rng.IntN(3) == 0 {
		filters = append(filters, w.query(1))
		body.Filters = []json.RawMessage{json.RawMessage(jsonForm(filters[0]))}
	}
	var sorts []refSort
	for range w.rng.IntN(3) {
		key := refSort{[]string{"_score", "_id", "kind", "year", "price"}[w.rng.IntN(5)], w.rng.IntN(2) == 0}
		sorts = append(sorts, key)
		body.Sort = append(body.Sort, query.SortSpec{Field: key.field, Order: map[bool]string{true: "desc", false: "asc"}[key.desc]})
	}
	before, _ := c.search(q, filters, sorts, 0, len(c))
	if len(before) > 0 && w.rng.IntN(2) == 0 {
		least := float64(before[w.rng.IntN(len(before))].score) / 4294967296 // one that a document has: it just passes, or just does not
		if w.rng.IntN(3) == 0 {
			least = math.Nextafter(least, math.Inf(1))
		}
		body.MinScore, q = &least, refAtLeast{q, least}
		tried["least"]++
	}
	all, total := c.search(q, filters, sorts, 0, len(c))
	if len(all) < len(before) {
		tried["cut off by the least score"]++
	}
	body.Facets, body.Explain, body.Profile = []string{"kind"}, w.rng.IntN(3) == 0, w.rng.IntN(2) == 0
	body.Aggs = json.RawMessage(`{"kinds":{"terms":{"field":"kind"},"aggs":{"years":{"stats":{"field":"year"}},"best":{"top_hits":{"size":2}}}},"prices":{"stats":{"field":"price"}}}`)
	body.Limit = 1 + w.rng.IntN(25)
	places := all
	switch w.rng.IntN(3) {
	case 0:
		body.Collapse = []string{"kind", "year", "price"}[w.rng.IntN(3)]
		places = c.firsts(all, body.Collapse)
		body.From, total = w.rng.IntN(4), uint64(len(places))
		tried["collapsed"]++
	case 1:
		body.Cursor = wire.CursorStart
		tried["walked"]++
	default:
		body.From = w.rng.IntN(2) * w.rng.IntN(20)
	}
	what := fmt.Sprintf("%s with filters %v sorted by %v, from %d, limit %d, least %v, collapsed by %q", q, filters, sorts, body.From, body.Limit, body.MinScore, body.Collapse)
	first := w.page(name, what, body, places, total)
	w.countsOf(what, first, c, all)
	w.explainsAsItScores(name, what, body, q, c, tried)
}

// firsts leaves of each value the first document, and those without one.
func (c refCollection) firsts(all []refHit, field string) (first []refHit) {
	seen := map[refValue]bool{}
	for _, h := range all {
		if v, has := c[h.id].value(field); has {
			if seen[v] {
				continue
			}
			seen[v] = true
		}
		first = append(first, h)
	}
	return first
}

// page asks for a page, and for those behind it when it is of a walk, and compares each with its places. It gives the first.
func (w *world) page(name, what string, body *wire.SearchBody, places []refHit, total uint64) *wire.SearchResponse {
	w.t.Helper()
	var first *wire.SearchResponse
	asked, limit := body, body.Limit
	for from := body.From; ; from += limit {
		got, err := w.client.Search(w.t.Context(), name, asked)
		if err != nil {
			w.t.Fatalf("%s, places from %d: %v", what, from, err)
		}
		if difference := differ(got, places[min(from, len(places)):min(from+limit, len(places))], total, true); difference != "" {
			w.t.Fatalf("%s, places from %d: %s", what, from, difference)
		}
		for _, h := range got.Hits {
			if body.Explain && (h.Explanation == nil || h.Explanation.Value != *h.Score) {
				w.t.Fatalf("%s: %s scores %v, explained as %+v", what, h.ID, *h.Score, h.Explanation)
			}
		}
		if first == nil {
			first = got
		} else if got.Aggs != nil || got.Facets != nil {
			w.t.Fatalf("%s: a later page has aggregations %s and facets %s", what, got.Aggs, got.Facets)
		}
		if (got.Cursor != "") != (body.Cursor != "" && from+limit < len(places)) {
			w.t.Fatalf("%s: a cursor %q behind place %d of %d", what, got.Cursor, from+limit, len(places))
		}
		if got.Cursor == "" {
			return first
		}
		asked = &wire.SearchBody{Cursor: got.Cursor, TimeoutMs: 30_000}
	}
}

// countsOf compares facets and aggregations with all that matches.
func (w *world) countsOf(what string, got *wire.SearchResponse, c refCollection, all []refHit) {
	w.t.Helper()
	type shown struct {
		ID    string  `json:"id"`
		Score float64 `json:"score"`
	}
	kinds, prices := map[string][]refHit{}, []float64{}
	for _, h := range all {
		if kind, ok := c[h.id].keyword["kind"]; ok {
			kinds[kind] = append(kinds[kind], h)
		}
		if price, ok := c[h.id].double["price"]; ok {
			prices = append(prices, price)
		}
	}
	buckets, facets := []any{}, []any{}
	for _, kind := range slices.SortedFunc(maps.Keys(kinds), func(a, b string) int { return cmp.Or(len(kinds[b])-len(kinds[a]), cmp.Compare(a, b)) }) {
		var years []int64
		best := slices.SortedFunc(slices.Values(kinds[kind]), func(a, b refHit) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.id, b.id)) })
		for _, h := range best {
			if year, ok := c[h.id].long["year"]; ok {
				years = append(years, year)
			}
		}
		var top []shown
		for _, h := range best[:min(2, len(best))] {
			top = append(top, shown{h.id, float64(h.score) / 4294967296})
		}
		facets = append(facets, map[string]any{"value": kind, "count": len(best)})
		buckets = append(buckets, map[string]any{"key": kind, "count": len(best), "aggs": map[string]any{"years": statsOf(years), "best": top}})
	}
	var aggs struct {
		Kinds struct {
			Buckets []struct {
				Key   string `json:"key"`
				Count int    `json:"count"`
				Aggs  struct {
					Years json.RawMessage        `json:"years"`
					Best  struct{ Hits []shown } `json:"best"`
				} `json:"aggs"`
			} `json:"buckets"`
		} `json:"kinds"`
		Prices json.RawMessage `json:"prices"`
	}
	if err := json.Unmarshal(got.Aggs, &aggs); err != nil {
		w.t.Fatalf("%s: %v: %s", what, err, got.Aggs)
	}
	told := []any{}
	for _, b := range aggs.Kinds.Buckets {
		told = append(told, map[string]any{"key": b.Key, "count": b.Count, "aggs": map[string]any{"years": b.Aggs.Years, "best": b.Aggs.Best.Hits}})
	}
	for _, one := range []struct {
		name      string
		got, want any
	}{{"kinds", told, buckets}, {"prices", aggs.Prices, statsOf(prices)}, {"facets", got.Facets, map[string]any{"kind": facets}}} {
		if a, b := plainJSON(w.t, one.got), plainJSON(w.t, one.want); !reflect.DeepEqual(a, b) {
			w.t.Fatalf("%s: %s: %v, want %v", what, one.name, a, b)
		}
	}
}

// plainJSON gives what a value is as JSON.
func plainJSON(t *testing.T, value any) (plain any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &plain)
	}
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// explainsAsItScores explains some document.
func (w *world) explainsAsItScores(name, what string, body *wire.SearchBody, q refQuery, c refCollection, tried map[string]int) {
	w.t.Helper()
	ids := slices.Sorted(maps.Keys(c))
	id := ids[w.rng.IntN(len(ids))]
	matches, units := q.eval(c.stats(), c[id], 1)
	got, err := w.client.Explain(w.t.Context(), name, &wire.ExplainBody{Query: body.Query, MinScore: body.MinScore, ID: id})
	if err != nil || got.Matched != matches || matches && got.Score != float64(units)/4294967296 {
		w.t.Fatalf("%s: %s explained as %+v, %v; want %v, %v", what, id, got, err, matches, float64(units)/4294967296)
	}
	if matches {
		tried["explained"]++
	}
}

// What cannot go together is refused: one hit a value on the pages of a walk, and what a suggestion has no use for.
func TestFeaturesThatDoNotGoTogether(t *testing.T) {
	for _, body := range []string{`{"collapse":"kind","cursor":"*"}`, `{"from":3,"cursor":"*"}`, `{"min_score":1e400}`, `{"min_score":"1"}`} {
		if s, err := wire.DecodeSearch([]byte(body)); err == nil {
			if err = s.Validate(); fault.CodeOf(err) != fault.BadRequest {
				t.Errorf("%s: %v", body, err)
			}
		} else if fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
	for _, body := range []string{`{"field":"t","prefix":"a","collapse":"kind"}`, `{"field":"t","prefix":"a","min_score":1}`, `{"field":"t","prefix":"a","query":{"like":{"id":"a"}}}`} {
		if _, err := wire.DecodeSuggest([]byte(body)); fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
}
