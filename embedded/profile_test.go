package embedded

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A search with a profile tells of each group what its member read for each clause, which adds up to what there is, and how long that took; without, it tells nothing and finds the same.
func TestProfileOfEachGroup(t *testing.T) {
	c := open(t, Options{Groups: 3, Members: 1}).Client()
	if _, err := c.CreateCollection(t.Context(), "c", json.RawMessage(`{"fields":{"body":{"type":"text"},"kind":{"type":"keyword"},"n":{"type":"long"}},"default_fields":["body"]}`)); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	const documents = 60
	for i := range documents {
		fmt.Fprintf(&lines, "{\"id\":\"d%d\",\"body\":\"red apple\",\"kind\":\"k%d\",\"n\":%d}\n", i, i%2, i)
	}
	if r, err := c.Bulk(t.Context(), "c", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	search := wire.NewSearch("red")
	search.Filters, search.Limit, search.TimeoutMs, search.Profile = []json.RawMessage{json.RawMessage(`"kind:k1 AND n:>2"`)}, documents, 20_000, true
	found, err := c.Search(t.Context(), "c", search)
	if err != nil || found.Total.Value != documents/2-1 {
		t.Fatalf("%+v, %v", found, err)
	}
	profile := found.Profile
	postings, visited := map[string]uint64{}, map[string]uint64{}
	for group, p := range profile.Groups {
		sum := p.CollectMs + p.SortMs
		for _, c := range allClauses(p.Clauses) {
			postings[c.Role+" "+c.Clause] += c.Postings
			visited[c.Role+" "+c.Clause] += c.Visited
			if sum += c.OwnMs; c.Lists > 0 && c.OwnMs <= 0 || c.Skipped+min(c.Visited, c.Postings) != c.Postings {
				t.Errorf("%s: %+v", group, c)
			}
			below := 0.0
			for _, child := range c.Clauses {
				below += child.Ms
			}
			if math.Abs(c.Ms-c.OwnMs-below) > 1e-9 {
				t.Errorf("%s: %+v: with the clauses below it %v ms", group, c, c.Ms)
			}
		}
		if p.Node != "n1" || p.Segments < 1 || p.CollectMs <= 0 || p.SortMs <= 0 || sum > p.SearchMs+1e-9 {
			t.Errorf("%s: %+v", group, p)
		}
	}
	want := map[string]uint64{"query body:red": documents, "filter clauses: 2 must, 0 should of which 0 at least, 0 must not, 0 filter": 0, "must kind:k1": documents / 2, "must n:[3 TO 9223372036854775807]": 0}
	if profile.Path != "stats+search" || profile.Rounds != 1 || len(profile.Groups) != 3 || !maps.Equal(postings, want) || visited["query body:red"] == 0 {
		t.Errorf("%+v: %v", profile, postings)
	}
	search.Profile = false
	plain, err := c.Search(t.Context(), "c", search)
	if err != nil || plain.Profile != nil || !reflect.DeepEqual(plain.Hits, found.Hits) {
		t.Errorf("%+v, %v", plain, err)
	}
}

// allClauses gives clauses, each before those below it.
func allClauses(clauses []wire.ClauseProfile) (all []wire.ClauseProfile) {
	for _, c := range clauses {
		all = append(append(all, c), allClauses(c.Clauses)...)
	}
	return all
}
