package query_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// The tables of examples that stand beside the repository say what users send and expect. This test runs what of them concerns the language: documents,
// queries, scores and orders, in the naive model of bruteforce_test.go.

type exampleCase struct {
	Name   string
	Schema json.RawMessage
	Docs   []json.RawMessage
	Steps  []map[string]json.RawMessage
}

type expectation struct {
	IDs    []string `json:"ids"`
	IDsSet []string `json:"ids_set"`
	HasIDs []string `json:"has_ids"`
	Total  *int     `json:"total"`
	Scores []float64
	Error  string
	Status json.RawMessage
}

func TestExamples(t *testing.T) {
	dir := os.Getenv("JETSEEK_SHARED")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared")
	}
	if _, err := os.Stat(filepath.Join(dir, "cases")); err != nil {
		t.Skip("the tables of examples are not there: ", err)
	}
	checked := 0
	for _, name := range []string{"queries", "scoring", "text", "numbers", "dates", "sorting", "ids", "limits", "writes"} {
		text, err := os.ReadFile(filepath.Join(dir, "cases", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var cases []exampleCase
		if err := json.Unmarshal(text, &cases); err != nil {
			t.Fatal(err)
		}
		for _, c := range cases {
			t.Run(name+"/"+c.Name, func(t *testing.T) { checked += runCase(t, c) })
		}
	}
	t.Logf("%d steps", checked)
	if checked < 250 {
		t.Errorf("only %d steps were checked", checked)
	}
}

// expand replaces {"$repeat":x,"times":n} and {"$cat":[…]} by the strings that they stand for. Other texts keep their digits.
func expand(t *testing.T, raw json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(`"$`)) {
		return raw
	}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(expandValue(v))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func expandValue(v any) any {
	switch v := v.(type) {
	case []any:
		for i := range v {
			v[i] = expandValue(v[i])
		}
	case map[string]any:
		if text, ok := v["$repeat"].(string); ok {
			times, _ := v["times"].(json.Number).Int64()
			return strings.Repeat(text, int(times))
		}
		if parts, ok := v["$cat"].([]any); ok {
			var b strings.Builder
			for _, part := range parts {
				fmt.Fprint(&b, expandValue(part))
			}
			return b.String()
		}
		for key := range v {
			v[key] = expandValue(v[key])
		}
	}
	return v
}

func runCase(t *testing.T, c exampleCase) (checked int) {
	if c.Schema == nil || string(c.Schema) == "null" {
		c.Schema = json.RawMessage(`{}`)
	}
	s, err := schema.Parse(c.Schema)
	if err != nil {
		if strings.Contains(err.Error(), "unknown analyzer") {
			t.Skip("the analyzers of languages come later")
		}
		t.Fatal(err)
	}
	docs := newCorpus(s)
	for _, body := range c.Docs {
		if err := docs.put(expand(t, body), ""); err != nil {
			t.Fatal(err)
		}
	}
	for i, step := range c.Steps {
		var want expectation
		if err := json.Unmarshal(expand(t, step["expect"]), &want); err != nil {
			t.Fatal(err)
		}
		where := fmt.Sprintf("step %d: %.200s", i+1, step)
		switch {
		case step["search"] != nil:
			if checkSearch(t, where, docs, expand(t, step["search"]), want) {
				checked++
			}
		case step["put"] != nil:
			checkError(t, where, docs.put(expand(t, step["put"]), ""), want)
			checked++
		case step["delete"] != nil:
			var id string
			if err := json.Unmarshal(expand(t, step["delete"]), &id); err != nil {
				t.Fatal(err)
			}
			docs.remove(id)
		case step["bulk"] != nil:
			var lines []json.RawMessage
			if err := json.Unmarshal(expand(t, step["bulk"]), &lines); err != nil {
				t.Fatal(err)
			}
			for n, line := range lines {
				bulk(docs, line, n)
			}
		case step["raw"] != nil:
			if checkRaw(t, where, docs, expand(t, step["raw"]), want) {
				checked++
			}
		}
	}
	return checked
}

func bulk(docs *corpus, line []byte, n int) {
	parsed, err := schema.ParseBulkLine(line)
	switch {
	case err != nil:
	case parsed.Delete:
		docs.remove(parsed.ID)
	default:
		_ = docs.put(parsed.Body, map[bool]string{true: fmt.Sprintf("made-%d", n)}[parsed.ID == ""]) // bad lines fail alone
	}
}

// checkRaw does what concerns documents sent as raw text.
func checkRaw(t *testing.T, where string, docs *corpus, raw json.RawMessage, want expectation) bool {
	var r struct {
		Method, Path string
		Text         *string
		Body         json.RawMessage
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		t.Fatal(err)
	}
	body := []byte(r.Body)
	if r.Text != nil {
		body = []byte(*r.Text)
	}
	switch {
	case r.Method == "POST" && r.Path == "./index", r.Method == "POST" && strings.HasPrefix(r.Path, "./index?id="):
		address, err := url.Parse(r.Path)
		if err != nil {
			t.Fatal(err)
		}
		checkError(t, where, docs.put(body, address.Query().Get("id")), want)
		return true
	case r.Method == "POST" && r.Path == "./index/bulk":
		for n, line := range strings.Split(string(body), "\n") {
			bulk(docs, []byte(line), n)
		}
	case r.Method == "POST" && strings.HasPrefix(r.Path, "./index?if_version"):
		t.Skip("conditions are for the engine")
	}
	return false
}

func checkError(t *testing.T, where string, err error, want expectation) {
	t.Helper()
	refused := want.Error != "" || len(want.Status) > 0 && !strings.HasPrefix(string(want.Status), "2") && !strings.HasPrefix(string(want.Status), "[2")
	code := string(fault.CodeOf(err))
	if want.Error != "" && code != want.Error || refused != (err != nil) {
		t.Errorf("%s: error %v, want %q %s", where, err, want.Error, want.Status)
	}
}

// checkSearch tells whether it could check the step.
func checkSearch(t *testing.T, where string, docs *corpus, body json.RawMessage, want expectation) bool {
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(body, &keys); err != nil {
		t.Fatal(err)
	}
	for key := range keys {
		if !slices.Contains([]string{"query", "filters", "sort", "default_operator", "lenient", "limit", "timeout_ms"}, key) {
			return false
		}
	}
	hits, err := search(docs, keys)
	if err != nil && strings.Contains(err.Error(), "not supported yet") {
		return false
	}
	checkError(t, where, err, want)
	if err != nil || t.Failed() {
		return true
	}
	got, total := ids(hits), len(hits)
	limit := 10
	if keys["limit"] != nil {
		_ = json.Unmarshal(keys["limit"], &limit)
	}
	got = got[:min(limit, len(got))]
	switch {
	case want.IDs != nil && !slices.Equal(got, want.IDs):
		t.Errorf("%s: ids %q, want %q", where, got, want.IDs)
	case want.IDsSet != nil && !slices.Equal(sorted(got), sorted(want.IDsSet)):
		t.Errorf("%s: ids %q, want %q in any order", where, got, want.IDsSet)
	case want.Total != nil && total != *want.Total:
		t.Errorf("%s: total %d, want %d", where, total, *want.Total)
	}
	for _, id := range want.HasIDs {
		if !slices.Contains(got, id) {
			t.Errorf("%s: ids %q lack %q", where, got, id)
		}
	}
	for i, score := range want.Scores {
		if i < len(hits) && math.Float64bits(hits[i].score) != math.Float64bits(score) {
			t.Errorf("%s: score %v, want %v", where, hits[i].score, score)
		}
	}
	return true
}

// search reads the parts of a request that concern the language.
func search(docs *corpus, keys map[string]json.RawMessage) ([]hit, error) {
	var opts query.Options
	opts.DefaultOperatorAnd = string(keys["default_operator"]) == `"and"`
	opts.Lenient = string(keys["lenient"]) == "true"
	raw := keys["query"]
	if raw == nil {
		raw = json.RawMessage(`"*"`)
	}
	resolve := func(raw []byte, filter bool) (query.Node, error) {
		n, err := query.DecodeJSON(raw, opts)
		if err != nil {
			return nil, err
		}
		n, err = query.Resolve(n, docs.schema, filter)
		if err != nil {
			return nil, err
		}
		if n, err = docs.expand(n, filter); err != nil {
			return nil, err
		}
		back, rest, err := query.DecodeNode(query.AppendNode(nil, n))
		if err != nil || len(rest) > 0 {
			return nil, fmt.Errorf("round trip of %s: %w", raw, err)
		}
		return back, nil
	}
	n, err := resolve(raw, false)
	if err != nil {
		return nil, err
	}
	var rawFilters []json.RawMessage
	if keys["filters"] != nil {
		if err := json.Unmarshal(keys["filters"], &rawFilters); err != nil {
			return nil, err
		}
	}
	var filters []query.Node
	for _, f := range rawFilters {
		filter, err := resolve(f, true)
		if err != nil {
			return nil, err
		}
		filters = append(filters, filter)
	}
	var specs []query.SortSpec
	if keys["sort"] != nil {
		if err := json.Unmarshal(keys["sort"], &specs); err != nil {
			return nil, err
		}
	}
	sortKeys, err := query.ResolveSort(specs, docs.schema)
	if err != nil {
		return nil, err
	}
	return docs.search(n, filters, sortKeys)
}
