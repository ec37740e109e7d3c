package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A search with a profile tells of each group what its member read for each clause, which adds up to what there is; without, it tells nothing.
func TestProfileOfEachGroup(t *testing.T) {
	c := open(t, Options{Groups: 3, Members: 1}).Client()
	if _, err := c.CreateCollection(t.Context(), "c", json.RawMessage(`{"fields":{"body":{"type":"text"},"kind":{"type":"keyword"}}}`)); err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	const documents = 60
	for i := range documents {
		fmt.Fprintf(&lines, "{\"id\":\"d%d\",\"body\":\"red apple\",\"kind\":\"k%d\"}\n", i, i%2)
	}
	if r, err := c.Bulk(t.Context(), "c", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	search := wire.NewSearch("red")
	search.Filters, search.Limit, search.TimeoutMs, search.Profile = []json.RawMessage{json.RawMessage(`"kind:k1"`)}, documents, 20_000, true
	found, err := c.Search(t.Context(), "c", search)
	if err != nil || found.Total.Value != documents/2 {
		t.Fatalf("%+v, %v", found, err)
	}
	var profile struct {
		Path   string                       `json:"path"`
		Rounds int                          `json:"rounds"`
		Groups map[string]wire.GroupProfile `json:"groups"`
	}
	text, err := json.Marshal(found.Profile)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &profile); err != nil {
		t.Fatal(err)
	}
	postings, visited := map[string]uint64{}, map[string]uint64{}
	for group, p := range profile.Groups {
		if p.Node != "n1" || p.Segments < 1 || p.SearchMs <= 0 {
			t.Errorf("%s: %+v", group, p)
		}
		for _, c := range p.Clauses {
			postings[c.Clause] += c.Postings
			visited[c.Clause] += c.Visited
		}
	}
	if profile.Path != "stats+search" || profile.Rounds != 1 || len(profile.Groups) != 3 || postings["body:red"] != documents || postings["kind:k1"] != documents/2 || visited["body:red"] == 0 {
		t.Errorf("%s", text)
	}
	search.Profile = false
	if found, err := c.Search(t.Context(), "c", search); err != nil || found.Profile != nil {
		t.Errorf("%+v, %v", found, err)
	}
}
