package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

func TestBadObserveFlags(t *testing.T) {
	for args, word := range map[string]string{
		"serve --http 127.0.0.1:0 --log-format xml":             "--log-format",
		"serve --http 127.0.0.1:0 --log-level loud":             "--log-level",
		"serve --http 127.0.0.1:0 --slow-ms -1":                 "--slow-ms",
		"serve --http 127.0.0.1:0 --insecure --pprof 0.0.0.0:0": "--pprof",
		"shard --node n1 --groups g0 --pprof 6060":              "--pprof",
		"coordinator --http 127.0.0.1:0 --log-level 7":          "--log-level",
	} {
		line := strings.Fields(args)
		if line[0] != "coordinator" { // which owns no folder
			line = append(line, "--data", t.TempDir())
		}
		r := start(t, "", line...)
		r.end(t, exitUsage)
		if !strings.Contains(r.err.String(), word) {
			t.Errorf("%s says %s", args, r.err)
		}
	}
}

// A slow search stands in the log once, as one line of JSON in which the query is cut and steers nothing; profiles and metrics have a door of their own.
func TestObserve(t *testing.T) {
	r := start(t, "", "serve", "--http", "127.0.0.1:0", "--groups", "1", "--members", "1", "--data", t.TempDir(), "--slow-ms", "1", "--log-format", "json", "--pprof", "127.0.0.1:0")
	base := "http://" + r.err.await(minute(t), t, `jetseek ready http=(\S+)`)[1]
	profiles := "http://" + r.err.await(minute(t), t, `jetseek profiles http=(\S+)`)[1]
	fetch(t, "POST", base+"/index", `{"id":"a","title":"word"}`)
	query := "word \u001b\r\n\u2028" + strings.Repeat("é", 300)
	body, err := json.Marshal(map[string]any{"query": query, "timeout_ms": 5000})
	if err != nil {
		t.Fatal(err)
	}
	for searches := 0; !strings.Contains(r.err.String(), `"slow search"`); searches++ { // until one took a millisecond
		if searches == 10_000 {
			t.Fatal("no search took a millisecond")
		}
		fetch(t, "POST", base+"/search", string(body))
	}
	var line struct {
		Level, Msg, Collection, Query, Path string
		Took                                float64 `json:"took_ms"`
		Groups                              int
	}
	text := r.err.String()
	for l := range strings.Lines(text) {
		if strings.Contains(l, "slow search") {
			if err := json.Unmarshal([]byte(l), &line); err != nil {
				t.Fatalf("%q: %v", l, err)
			}
		}
	}
	if line.Level != "WARN" || line.Collection != "default" || line.Took < 1 || line.Groups != 1 || line.Path == "" {
		t.Errorf("logged %+v", line)
	}
	if !strings.HasPrefix(line.Query, `word \u001b\u000d\u000a\u2028éé`) || len(line.Query) > 300 || !strings.HasSuffix(line.Query, "…") {
		t.Errorf("the query is logged as %q", line.Query)
	}
	if strings.ContainsAny(text, "\u001b\r\u2028") {
		t.Errorf("the log holds control characters: %q", text)
	}

	if got := fetch(t, "GET", base+"/metrics", ""); !strings.Contains(got, "\njetseek_searches_total{answer=\"exact\",reason=\"\"} ") || !strings.Contains(got, "\ngo_goroutines ") {
		t.Errorf("/metrics: %s", got)
	}
	if got := fetch(t, "GET", profiles+"/metrics", ""); !strings.Contains(got, "\njetseek_engine_documents{collection=\"default\",group=\"g0\",node=\"n1\"} 1\n") {
		t.Errorf("/metrics beside the profiles: %s", got)
	}
	if got := fetch(t, "GET", profiles+"/debug/pprof/goroutine?debug=1", ""); !strings.HasPrefix(got, "goroutine profile: total ") {
		t.Errorf("the profile of goroutines: %.200s", got)
	}
	if got := fetch(t, "GET", base+"/debug/pprof/", ""); !strings.Contains(got, `"not_found"`) {
		t.Errorf("the door of the API shows profiles: %s", got)
	}
	if got := fetch(t, "GET", base+"/", ""); !strings.Contains(got, `<form class="ask"`) {
		t.Errorf("the page: %.200s", got)
	}
	r.stop()
	r.end(t, 0)
	if resp, err := http.Get(profiles); err == nil {
		_ = resp.Body.Close()
		t.Error("the door of the profiles is still open")
	}
}
