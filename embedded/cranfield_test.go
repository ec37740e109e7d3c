package embedded

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// TestCranfield holds a cluster against a single group on a real collection, in every score of every query, and says how well the standard analyzer ranks it.
// The collection is not part of the project.
func TestCranfield(t *testing.T) {
	dir := filepath.Join(cmp.Or(os.Getenv("JETSEEK_SHARED"), filepath.Join("..", "..", "shared")), "data", "judged", "cranfield")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the Cranfield collection is not here: %v", err)
	}
	var bulk strings.Builder
	for _, line := range lines(t, filepath.Join(dir, "corpus.jsonl.gz")) {
		var d struct{ ID, Title, Body string }
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&bulk, "{\"id\":%q,\"text\":%s}\n", d.ID, quoted(t, d.Title+" "+d.Body))
	}
	relevant := map[string]map[string]bool{}
	for _, line := range lines(t, filepath.Join(dir, "qrels.tsv.gz")) {
		f := strings.Split(line, "\t")
		if f[2] == "0" {
			continue
		}
		if relevant[f[0]] == nil {
			relevant[f[0]] = map[string]bool{}
		}
		relevant[f[0]][f[1]] = true
	}
	queries := lines(t, filepath.Join(dir, "queries.tsv.gz"))
	one := ranking(t, open(t, Options{}), bulk.String(), queries)
	cluster := ranking(t, open(t, Options{Groups: 3, Members: 2}), bulk.String(), queries)
	if len(one) != 225 {
		t.Fatalf("%d queries, want 225", len(one))
	}
	sum := 0.0
	for qid, hits := range one {
		if !slices.Equal(hits, cluster[qid]) {
			t.Errorf("query %s: a single group gives %v, the cluster %v", qid, hits[:3], cluster[qid][:3])
		}
		sum += ndcg10(hits, relevant[qid])
	}
	ndcg := sum / float64(len(relevant))
	t.Logf("nDCG@10 %.4f over %d queries, 1,400 documents, analyzer standard (no stop words, no stemmer)", ndcg, len(relevant))
	// Without a stemmer the ranking is below that of the reference run with one, .5160; far below it something would be broken.
	if ndcg < 0.42 {
		t.Errorf("nDCG@10 is %.4f", ndcg)
	}
}

// scored is a hit as far as rankings are compared.
type scored struct {
	id   string
	bits uint64 // of the score
}

// ranking indexes the collection and gives the first 100 hits of every query.
func ranking(t *testing.T, db *DB, bulk string, queries []string) map[string][]scored {
	t.Helper()
	ctx := t.Context()
	if _, err := db.Client().CreateCollection(ctx, "default", json.RawMessage(`{"fields":{"text":{"type":"text"}}}`)); err != nil {
		t.Fatal(err)
	}
	for len(bulk) > 0 {
		end := len(bulk)
		if end > 500_000 {
			end = strings.LastIndexByte(bulk[:500_000], '\n') + 1
		}
		reply, err := db.Client().Bulk(ctx, "default", []byte(bulk[:end]), client.WriteOptions{Timeout: time.Minute})
		if err != nil || !reply.OK {
			t.Fatalf("bulk: %+v, %v", reply, err)
		}
		bulk = bulk[end:]
	}
	all := map[string][]scored{}
	for _, line := range queries {
		qid, text, _ := strings.Cut(line, "\t")
		body := wire.NewSearch("")
		body.Query = json.RawMessage(`{"match":{"text":` + quoted(t, text) + `}}`)
		body.Limit, body.TimeoutMs = 100, 30_000
		reply, err := db.Client().Search(ctx, "default", body)
		if err != nil || !reply.Exact {
			t.Fatalf("query %s: %+v, %v", qid, reply, err)
		}
		for _, hit := range reply.Hits {
			all[qid] = append(all[qid], scored{hit.ID, math.Float64bits(*hit.Score)})
		}
	}
	return all
}

// ndcg10 is trec_eval's ndcg_cut.10 for binary judgments.
func ndcg10(hits []scored, relevant map[string]bool) float64 {
	gain, ideal := 0.0, 0.0
	for place := range 10 {
		discount := 1 / math.Log2(float64(place)+2)
		if place < len(hits) && relevant[hits[place].id] {
			gain += discount
		}
		if place < len(relevant) {
			ideal += discount
		}
	}
	return gain / ideal
}

func quoted(t *testing.T, s string) string {
	t.Helper()
	b, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// lines reads a gzipped file.
func lines(t *testing.T, name string) []string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	scan := bufio.NewScanner(unzipped)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		all = append(all, scan.Text())
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
