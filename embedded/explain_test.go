package embedded

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// An explanation over groups and members ends in the score of the search, bit for bit, for every hit; it shows the figures of the whole collection, and says of others that
// they do not match or are not there.
func TestExplainIsTheScoreOfTheSearch(t *testing.T) {
	s := &stage{t: t, DB: open(t, Options{Groups: 3, Members: 2})}
	ctx, c := t.Context(), s.Client()
	if _, err := c.CreateCollection(ctx, "books", json.RawMessage(`{"fields":{"title":{"type":"text","boost":2},"body":{"type":"text"},"year":{"type":"long"}},"default_fields":["title","body"]}`)); err != nil {
		t.Fatal(err)
	}
	words := strings.Fields("red apple green pear tree of the old house near a quiet river")
	var lines strings.Builder
	reds, tokens := 0, 0 // of title
	const documents = 90
	for i := range documents {
		title := words[i%13:][:1+i%(13-i%13)]
		if strings.Contains(strings.Join(title, " "), "red") {
			reds++
		}
		tokens += len(title)
		fmt.Fprintf(&lines, "{\"id\":\"d%d\",\"title\":%q,\"body\":%q,\"year\":%d}\n", i, strings.Join(title, " "), strings.Join(words[i%7:], " "), 1900+i)
	}
	if r, err := c.Bulk(ctx, "books", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
		t.Fatalf("%+v, %v", r, err)
	}
	for _, query := range []string{
		`"red pear"`, `"title:\"red apple\" OR +body:river -title:tree^3"`, `"year:[1910 TO 1950]^1.3 AND old"`, `"*"`,
		`{"dis_max":{"queries":[{"match":{"title":"red tree"}},{"match":{"body":"tree"}},{"term":{"year":1950}}],"tie_breaker":0.3}}`,
		`{"bool":{"filter":[{"range":{"year":{"gte":1980}}}]}}`,
	} {
		search := wire.NewSearch("")
		search.Query, search.Limit, search.TimeoutMs, search.Explain = json.RawMessage(query), documents, 20_000, true
		found, err := c.Search(ctx, "books", search)
		if err != nil || !found.Exact || len(found.Hits) == 0 {
			t.Fatalf("%s: %+v, %v", query, found, err)
		}
		hits, parts := map[string]float64{}, map[string]*bm25.Explanation{}
		for _, h := range found.Hits {
			hits[h.ID], parts[h.ID] = *h.Score, h.Explanation
		}
		for i := range documents {
			id := fmt.Sprintf("d%d", i)
			got, err := c.Explain(ctx, "books", &wire.ExplainBody{ID: id, Query: json.RawMessage(query)})
			if err != nil {
				t.Fatalf("%s, %s: %v", query, id, err)
			}
			score, hit := hits[id]
			if got.ID != id || got.Matched != hit || math.Float64bits(got.Score) != math.Float64bits(score) || math.Float64bits(got.Explanation.Value) != math.Float64bits(score) {
				t.Fatalf("%s, %s: matched %t with %v, a search says %t with %v", query, id, got.Matched, got.Score, hit, score)
			}
			if hit && !reflect.DeepEqual(parts[id], &got.Explanation) {
				t.Fatalf("%s, %s: the hit comes with the parts %+v, not %+v", query, id, parts[id], got.Explanation)
			}
		}
	}

	got, err := c.Explain(ctx, "books", &wire.ExplainBody{ID: "d0", Query: json.RawMessage(`"title:red"`)})
	if err != nil {
		t.Fatal(err)
	}
	figures := map[string]float64{}
	figuresOf(&got.Explanation, figures)
	want := map[string]float64{"tf": 1, "dl": 1, "df": float64(reds), "N": documents, "avgdl": float64(tokens) / documents}
	for name, value := range want {
		if figures[name] != value {
			t.Errorf("%s is %v, want %v", name, figures[name], value)
		}
	}
	if w, idf := figures["w"], bm25.IDF(documents, uint64(reds)); w != 2*idf {
		t.Errorf("w is %v, want twice %v", w, idf)
	}

	if _, err := c.Explain(ctx, "books", &wire.ExplainBody{ID: "none", Query: json.RawMessage(`"red"`)}); codeOf(err) != fault.NotFound {
		t.Errorf("a document that is not there: %v", err)
	}
	if _, err := c.Explain(ctx, "nowhere", &wire.ExplainBody{ID: "d1"}); codeOf(err) != fault.NoCollection {
		t.Errorf("a collection that is not there: %v", err)
	}
	for _, body := range []string{`{"query":"red","id":"d1","filters":["old"]}`, `{"query":"red"}`, `{"id":"d1","limit":1}`, ``} {
		s.expect(refusedExplain(body))
	}
}

// refusedExplain is an explanation that is refused with bad_request through both doors.
func refusedExplain(body string) refused {
	return refused{"explain " + body, request{op: "read.books.explain", body: body, http: "POST /collections/books/explain"}, 400, "bad_request", "", "", -1}
}

// figuresOf gathers the values of an explanation by the names before their colons.
func figuresOf(e *bm25.Explanation, into map[string]float64) {
	if name, _, named := strings.Cut(e.Description, ": "); named {
		into[name] = e.Value
	}
	for i := range e.Details {
		figuresOf(&e.Details[i], into)
	}
}

func codeOf(err error) fault.Code {
	var e *wire.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Code
}
