package embedded

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// formSearches are searches of the forms that the reference of [TestShape] does not know, and how many documents each must find at least.
var formSearches = []struct {
	body  string
	least int
}{
	{`{"query":{"geo_distance":{"field":"place","lat":0,"lon":180,"distance":"4000km"}},"sort":{"field":"place","from":{"lat":1,"lon":-179}}}`, 5},
	{`{"query":{"geo_box":{"field":"place","top":60,"left":100,"bottom":-60,"right":-100,"boost":2}},"sort":["_score",{"field":"place","from":{"lat":1,"lon":-179},"order":"desc"}]}`, 5},
	{`{"query":{"bool":{"must":{"match":{"body":"w1 w2 w3"}},"should":{"geo_distance":{"field":"place","lat":40,"lon":10,"distance":"3000km","boost":0.5}},"must_not":{"geo_box":{"field":"place","top":90,"left":-10,"bottom":0,"right":10}}}}}`, 5},
	{`{"query":{"match":{"body":"w1 w2 w3"}},"min_score":1}`, 5},
	{`{"query":{"bool":{"should":[{"match":{"body":{"query":"w12","fuzziness":1}}},{"match_phrase":{"body":{"query":"w1 w0","slop":3}}}]}},"min_score":0.8,"sort":"num:likes"}`, 5},
	{`{"query":{"fuzzy":{"body":"w12"}}}`, 5},
	{`{"query":{"function_score":{"query":{"match":{"body":"w1 w2"}},"functions":[{"gauss":{"place":{"origin":"10,20","scale":"2000km","offset":50}}},{"exp":{"at":{"origin":"2010","scale":"900d"}},"weight":2},
		{"filter":{"fuzzy":{"body":"w12"}},"field_value_factor":{"field":"likes","modifier":"sqrt"}}],"score_mode":"sum"}}}`, 5},
	{`{"query":{"function_score":{"query":{"fuzzy":{"body":"w12"}},"field_value_factor":{"field":"likes","factor":1e5},"boost_mode":"sum","min_score":1e7}},"sort":"num:likes"}`, 5},
	{`{"query":{"bool":{"should":[{"function_score":{"field_value_factor":{"field":"likes","factor":77777.7}}},{"function_score":{"field_value_factor":{"field":"likes","factor":3333.3}}},{"match":{"body":"w1"}}]}}}`, 100},
	{`{"query":{"dis_max":{"queries":[{"function_score":{"query":{"match":{"body":"w1"}},"weight":2.5}},{"match":{"body":"w2"}}],"tie_breaker":0.3}},"min_score":1}`, 5},
	{`{"query":{"match_phrase":{"body":{"query":"w0 w1","slop":4}}}}`, 5},
	{`{"sort":{"field":"place","from":{"lat":-45.5,"lon":0},"missing":"first"}}`, 100},
}

// Systems of several shapes answer them alike, bit for bit, and explain every score that they give.
func TestFormsAreTheSameInEveryShape(t *testing.T) {
	var lines strings.Builder
	r := rand.New(rand.NewPCG(6, 6))
	const documents = 240
	for i := range documents {
		var words []string
		for range 1 + r.IntN(12) {
			words = append(words, fmt.Sprintf("w%d", int(30*math.Pow(r.Float64(), 2))))
		}
		place := ""
		if r.IntN(6) > 0 {
			place = fmt.Sprintf(`,"place":{"lat":%v,"lon":%v}`, r.Float64()*180-90, r.Float64()*360-180)
		}
		fmt.Fprintf(&lines, "{\"id\":\"d%d\",\"body\":%q,\"likes\":%d,\"at\":\"20%02d-0%d-01T00:00:00Z\"%s}\n", i, strings.Join(words, " "), r.IntN(1000), r.IntN(20), 1+r.IntN(9), place)
	}
	answers := map[string]string{}
	for _, shape := range []struct{ groups, members int }{{1, 1}, {3, 2}, {5, 1}} {
		c := open(t, Options{Groups: shape.groups, Members: shape.members}).Client()
		if _, err := c.CreateCollection(t.Context(), "c", json.RawMessage(`{"fields":{"body":{"type":"text"},"likes":{"type":"long"},"at":{"type":"date"},"place":{"type":"geo"}}}`)); err != nil {
			t.Fatal(err)
		}
		if r, err := c.Bulk(t.Context(), "c", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
			t.Fatalf("%.600v, %v", r, err)
		}
		for _, one := range formSearches {
			found := searchForm(t, c, one.body)
			if len(found.Hits) < one.least || found.Total.Value < uint64(one.least) || !found.Exact {
				t.Fatalf("%s: %d hits, %+v, exact %t", one.body, len(found.Hits), found.Total, found.Exact)
			}
			answer, _ := json.Marshal([]any{found.Hits, found.Total})
			if before, there := answers[one.body]; there && before != string(answer) {
				t.Errorf("%dx%d: %s\n%.600s, want\n%.600s", shape.groups, shape.members, one.body, answer, before)
			}
			answers[one.body] = string(answer)
			explainForm(t, c, one.body, found)
		}
	}
}

func searchForm(t *testing.T, c *client.Client, body string) *wire.SearchResponse {
	t.Helper()
	search, err := wire.DecodeSearch([]byte(body))
	if err != nil {
		t.Fatal(body, err)
	}
	search.Limit, search.TimeoutMs, search.TrackScores, search.TrackTotal = 300, 20_000, true, wire.TrackExact
	found, err := c.Search(t.Context(), "c", search)
	if err != nil {
		t.Fatal(body, err)
	}
	return found
}

// explainForm holds explanations of some hits against their scores.
func explainForm(t *testing.T, c *client.Client, body string, found *wire.SearchResponse) {
	t.Helper()
	search, err := wire.DecodeSearch([]byte(body))
	if err != nil || search.Query == nil {
		return
	}
	for i := 0; i < len(found.Hits); i += 1 + len(found.Hits)/7 {
		h := found.Hits[i]
		got, err := c.Explain(t.Context(), "c", &wire.ExplainBody{ID: h.ID, Query: search.Query, MinScore: search.MinScore})
		if err != nil || !got.Matched || math.Float64bits(got.Score) != math.Float64bits(*h.Score) {
			t.Fatalf("%s, %s: %+v, want %v (%v)", body, h.ID, got, *h.Score, err)
		}
	}
}
