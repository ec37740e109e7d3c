package effectiveness

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// floor is what a reference reaches on a collection.
type floor struct {
	Collection string
	Qrels      string
	Fields     string
	Analysis   string
	K1, B      float64
	Docs       int
	Queries    int
	NDCG10     float64
	MAP1000    float64
	R100       float64
}

// tolerance is how far below the reference a figure may be: it breaks words otherwise.
const tolerance = .01

// mostUnderRace is how many documents a collection may have to be tested under the race detector, which makes all ten times as slow.
const mostUnderRace = 2000

// TestEnglishCollections indexes each collection with the analyzer english, and holds nDCG@10, MAP and Recall@100 to those of the reference: BM25 with the engine's k1
// and b, the same 33 stop words, and Porter's first stemmer or this one.
func TestEnglishCollections(t *testing.T) {
	folder := filepath.Join(cmp.Or(os.Getenv("JETSEEK_SHARED"), filepath.Join("..", "..", "..", "..", "shared")), "data")
	text, err := os.ReadFile(filepath.Join(folder, "floors.json"))
	if err != nil {
		t.Skipf("the judged collections are not there (JETSEEK_SHARED says where): %v", err)
	}
	var floors []floor
	if err := json.Unmarshal(text, &floors); err != nil {
		t.Fatal(err)
	}
	tested := map[string][]floor{} // by collection: its documents are indexed once
	for _, f := range floors {
		if f.K1 == 1.2 && f.B == .75 && slices.Contains([]string{"porter+stop33", "snowball:english"}, f.Analysis) {
			tested[f.Collection] = append(tested[f.Collection], f)
		}
	}
	for name, floors := range tested {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if underRace && floors[0].Docs > mostUnderRace {
				t.Skipf("%d documents take too long under the race detector: go test without -race has them", floors[0].Docs)
			}
			c := collection{filepath.Join(folder, "judged", name), floors[0].Fields == "body", indexed(t)}
			defer c.x.Close()
			if docs := c.fill(t); docs != floors[0].Docs {
				t.Fatalf("%d documents, want %d", docs, floors[0].Docs)
			}
			for _, f := range floors {
				c.hold(t, f)
			}
		})
	}
	if len(tested) < 9 {
		t.Errorf("only %d collections", len(tested))
	}
}

// collection is a folder with documents, queries and judgments, and the index of it.
type collection struct {
	folder   string
	bodyOnly bool
	x        *engine.Index
}

const incarnation = schema.Incarnation(1)

var fields = &schema.Schema{Fields: []schema.Field{{Name: "text", Type: schema.Text, Analyzer: "english", Boost: 1}}}

func indexed(t *testing.T) *engine.Index {
	x, err := engine.Open(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, x, 1, []engine.Op{
		{Kind: engine.OpOwn, Slots: engine.AllSlots()},
		{Kind: engine.OpSchema, Collection: incarnation, Version: 1, Name: "judged", Schema: fields},
	})
	return x
}

func apply(t *testing.T, x *engine.Index, seq uint64, ops []engine.Op) {
	if _, err := x.Apply([]engine.Message{{Seq: seq, Ops: ops}}); err != nil {
		t.Fatal(err)
	}
}

// fill indexes all documents, a few thousand at a time, and counts them.
func (c *collection) fill(t *testing.T) int {
	const atOnce = 2000
	docs, seq := 0, uint64(1)
	var ops []engine.Op
	eachLine(t, filepath.Join(c.folder, "corpus.jsonl.gz"), func(line string) {
		var d struct{ ID, Title, Body string }
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		text := d.Title + " " + d.Body
		if c.bodyOnly {
			text = d.Body
		}
		body, err := json.Marshal(map[string]string{"text": text})
		if err != nil {
			t.Fatal(err)
		}
		ops = append(ops, engine.Op{Kind: engine.OpPut, Collection: incarnation, ID: d.ID, IfVersion: -1, Body: body})
		if docs++; len(ops) == atOnce {
			seq++
			apply(t, c.x, seq, ops)
			ops = nil
		}
	})
	apply(t, c.x, seq+1, ops)
	for did := true; did; {
		var err error
		if did, err = c.x.Merge(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return docs
}

// hold asks all queries that belong to the judgments of a floor, and compares.
func (c *collection) hold(t *testing.T, f floor) {
	judged := map[string]Judgments{}
	eachLine(t, filepath.Join(c.folder, f.Qrels+".gz"), func(line string) {
		part := strings.Split(line, "\t")
		grade, err := strconv.Atoi(part[2])
		if err != nil {
			t.Fatal(err)
		}
		if judged[part[0]] == nil {
			judged[part[0]] = Judgments{}
		}
		judged[part[0]][part[1]] = grade
	})
	queries := "queries.tsv.gz"
	if f.Qrels == "qrels.train.tsv" {
		queries = "queries.train.tsv.gz"
	}
	snapshot := c.x.Snapshot()
	defer snapshot.Close()
	rankings := map[string][]string{}
	eachLine(t, filepath.Join(c.folder, queries), func(line string) {
		id, text, _ := strings.Cut(line, "\t")
		if judged[id] != nil {
			rankings[id] = rank(t, snapshot, text)
		}
	})
	got, n := Evaluate(judged, rankings)
	t.Logf("%s, %s, %d queries: nDCG@10 %.4f (reference %.4f), MAP %.4f (%.4f), Recall@100 %.4f (%.4f)",
		f.Collection, f.Qrels, n, got.NDCG10, f.NDCG10, got.MAP, f.MAP1000, got.Recall100, f.R100)
	if n != f.Queries {
		t.Errorf("%d queries are judged, want %d", n, f.Queries)
	}
	if got.NDCG10 < f.NDCG10-tolerance || got.MAP < f.MAP1000-tolerance || got.Recall100 < f.R100-tolerance {
		t.Errorf("%s, %s: %+v is below the reference, %.4f, %.4f, %.4f", f.Collection, f.Qrels, got, f.NDCG10, f.MAP1000, f.R100)
	}
}

// rank gives the first documents that have any word of a text.
func rank(t *testing.T, s *engine.Snapshot, text string) []string {
	const depth = 1000
	resolved, err := query.Resolve(&query.Match{Field: "text", Value: query.Value{Kind: query.StringValue, Text: text}, Fuzziness: "0", Boost: 1}, fields, false)
	if err != nil {
		t.Fatal(err)
	}
	leaves := query.Leaves(resolved)
	asked, terms := query.Question(leaves)
	weights, err := query.Weigh(leaves, asked, terms, s.Stats(incarnation, asked, terms))
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.Search(t.Context(), engine.SearchRequest{Collection: incarnation, Query: resolved, Weights: weights, Limit: depth, CountTo: depth})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(found.Candidates))
	for i := range found.Candidates {
		ids[i] = found.Candidates[i].ID
	}
	return ids
}

// eachLine visits the lines of a gzipped file.
func eachLine(t *testing.T, path string, visit func(string)) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(unpacked)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		visit(lines.Text())
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}
