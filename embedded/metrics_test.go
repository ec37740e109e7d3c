package embedded

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	dto "github.com/prometheus/client_model/go"

	"github.com/jetseek/jetseek/coordinator/bridge"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// scrape reads /metrics as Prometheus does, and gives every counter and gauge, and of every histogram its count and sum, by name and labels.
func scrape(t *testing.T, url string) map[string]float64 {
	t.Helper()
	resp, err := http.Get(url + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(resp.Body)
	if err != nil {
		t.Fatalf("/metrics is not in the text format: %v", err)
	}
	values := map[string]float64{}
	for name, family := range families {
		for _, m := range family.Metric {
			labels := labelsOf(m)
			switch family.GetType() {
			case dto.MetricType_COUNTER:
				values[name+labels] = m.Counter.GetValue()
			case dto.MetricType_GAUGE:
				values[name+labels] = m.Gauge.GetValue()
			case dto.MetricType_HISTOGRAM:
				values[name+"_count"+labels] = float64(m.Histogram.GetSampleCount())
				values[name+"_sum"+labels] = m.Histogram.GetSampleSum()
			}
		}
	}
	return values
}

func labelsOf(m *dto.Metric) string {
	var parts []string
	for _, l := range m.Label { // the format has them by name
		parts = append(parts, l.GetName()+"="+l.GetValue())
	}
	if len(parts) == 0 {
		return ""
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// A history made by hand moves the metrics by what it says, and by nothing else.
func TestMetricsTellTheHistory(t *testing.T) {
	registry := prometheus.NewRegistry()
	var log bytes.Buffer
	db, err := Open(t.TempDir(), Options{Groups: 2, Members: 2, Lease: 2 * time.Second, Metrics: registry, Slow: time.Nanosecond,
		Log: slog.New(slog.NewJSONHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	closed := false
	defer func() {
		if !closed {
			_ = db.Close()
		}
	}()
	door := httptest.NewServer(bridge.Measured(bridge.NewHandler(db.Client(), nil), registry))
	defer door.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := db.Client()

	// Twelve documents in a bulk, one of them again, one deleted, one delete of nothing.
	var lines strings.Builder
	for _, id := range strings.Split("a b c d e f g h i j k l", " ") {
		lines.WriteString(`{"id":"` + id + `","title":"word ` + id + `"}` + "\n")
	}
	must(t, c.Bulk, ctx, "default", []byte(lines.String()))
	must(t, c.Index, ctx, "default", []byte(`{"id":"a","title":"word again"}`))
	mustDelete(t, c, ctx, "a")
	mustDelete(t, c, ctx, "nobody")
	// Two exact searches, one under local statistics, one that does not parse.
	for range 2 {
		if r, err := c.Search(ctx, "default", wire.NewSearch("word")); err != nil || !r.Exact || r.Total.Value != 11 {
			t.Fatalf("search: %+v, %v", r, err)
		}
	}
	local := wire.NewSearch("word")
	local.Stats = "local"
	if r, err := c.Search(ctx, "default", local); err != nil || r.Exact {
		t.Fatalf("search with local statistics: %+v, %v", r, err)
	}
	if _, err := c.Search(ctx, "default", wire.NewSearch("(word")); err == nil {
		t.Fatal("a query that does not parse was answered")
	}
	get(t, door.URL+"/collections/default/doc?id=b", 200)
	get(t, door.URL+"/collections/default/doc?id=nobody", 404)
	get(t, door.URL+"/no/such/path", 404)

	got := scrape(t, door.URL)
	for name, want := range map[string]float64{
		"jetseek_write_operations_total{outcome=created}":                                        12,
		"jetseek_write_operations_total{outcome=updated}":                                        1,
		"jetseek_write_operations_total{outcome=deleted}":                                        1,
		"jetseek_write_operations_total{outcome=not_found}":                                      1,
		"jetseek_write_batch_operations_sum":                                                     15,
		"jetseek_searches_total{answer=exact,reason=}":                                           2,
		"jetseek_searches_total{answer=inexact,reason=local_statistics}":                         1,
		"jetseek_searches_total{answer=error,reason=bad_query}":                                  1,
		"jetseek_search_duration_seconds_count{phase=whole}":                                     4,
		"jetseek_search_duration_seconds_count{phase=statistics}":                                1, // the others remember
		"jetseek_search_paths_total{path=stats+search}":                                          1,
		"jetseek_search_paths_total{path=believed}":                                              2,
		"jetseek_search_duration_seconds_count{phase=documents}":                                 3,
		"jetseek_search_rounds_count":                                                            3,
		"jetseek_search_rounds_sum":                                                              3,
		"jetseek_search_coverage_ratio_sum":                                                      3,
		"jetseek_scatter_requests_total{op=search}":                                              6,
		"jetseek_scatter_requests_total{op=stats}":                                               2,
		"jetseek_scatter_retries_total{op=search}":                                               0,
		"jetseek_scatter_late_replies_total":                                                     0,
		"jetseek_requests_total{code=ok,op=read.search}":                                         3,
		"jetseek_requests_total{code=bad_query,op=read.search}":                                  1,
		"jetseek_requests_total{code=not_found,op=read.get}":                                     1,
		"jetseek_write_queue_operations{group=g0}":                                               0,
		"jetseek_nats_reconnects_total{connection=requests}":                                     0,
		"jetseek_http_requests_total{method=GET,route=other,status=404}":                         1,
		"jetseek_member_state{group=g0,node=n1,state=serving}":                                   1,
		"jetseek_member_state{group=g0,node=n1,state=failed}":                                    0,
		"jetseek_member_queue_requests{group=g1,node=n2}":                                        0,
		"jetseek_lease_renewals_total{group=g0,node=n1,result=failed}":                           0,
		"jetseek_http_requests_total{method=GET,route=/collections/{collection}/doc,status=200}": 1,
		"jetseek_http_requests_total{method=GET,route=/collections/{collection}/doc,status=404}": 1,
	} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	for _, direction := range []string{"sent", "received"} {
		if n := got["jetseek_scatter_bytes_total{direction="+direction+"}"]; n < 500 || n > 20_000 {
			t.Errorf("%v bytes %s in 14 requests to members", n, direction)
		}
	}
	messages := got["jetseek_write_batch_bytes_count"]
	if messages < 4 || messages > 5 { // the bulk touches one group or two
		t.Errorf("%v messages to the logs, want 4 or 5", messages)
	}
	for _, until := range []string{"stored", "decided", "visible"} {
		if n := got["jetseek_write_wait_seconds_count{until="+until+"}"]; n != messages {
			t.Errorf("%v messages were waited for until %s, of %v", n, until, messages)
		}
	}
	for _, node := range []string{"n1", "n2"} {
		documents := got["jetseek_engine_documents{collection=default,group=g0,node="+node+"}"] + got["jetseek_engine_documents{collection=default,group=g1,node="+node+"}"]
		if documents != 11 {
			t.Errorf("node %s holds %v documents, want 11", node, documents)
		}
		member := "{group=g0,node=" + node + "}"
		if a, s := got["jetseek_apply_messages_total"+member], got["jetseek_apply_sequence"+member]; a == 0 || a != s || got["jetseek_apply_batch_messages_sum"+member] != a {
			t.Errorf("member g0/%s applied %v messages up to %v, in batches of %v", node, a, s, got["jetseek_apply_batch_messages_sum"+member])
		}
		if left := got["jetseek_lease_remaining_seconds"+member]; left <= 0 || left > 2 {
			t.Errorf("member g0/%s has a lease for %v s, want some of 2 s", node, left)
		}
	}
	if n := strings.Count(log.String(), `"msg":"slow search"`); n != 4 {
		t.Errorf("%d slow searches were logged, want 4:\n%s", n, log.String())
	}

	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	closed = true
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if !strings.HasPrefix(f.GetName(), "jetseek_http_") {
			t.Errorf("%s stands in the registry after the end", f.GetName())
		}
	}
}

// A group that is gone makes answers partial, with its reason.
func TestMetricsTellOfAMissingGroup(t *testing.T) {
	registry := prometheus.NewRegistry()
	db, err := Open(t.TempDir(), Options{Groups: 2, Members: 1, Lease: 2 * time.Second, Metrics: registry})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	door := httptest.NewServer(bridge.Measured(http.NotFoundHandler(), registry))
	defer door.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	must(t, db.Client().Index, ctx, "default", []byte(`{"id":"a","title":"word"}`))
	gone, err := db.running("g1/n1")
	if err != nil {
		t.Fatal(err)
	}
	gone.kill()
	if r, err := db.Client().Search(ctx, "default", wire.NewSearch("word")); err != nil || !r.Partial {
		t.Fatalf("search beside a dead group: %+v, %v", r, err)
	}
	got := scrape(t, door.URL)
	if n := got["jetseek_searches_total{answer=partial,reason=no_serving_member}"]; n != 1 {
		t.Errorf("%v partial answers with the reason no_serving_member, want 1: %v", n, got)
	}
	if n := got["jetseek_scatter_retries_total{op=stats}"]; n != 1 { // the second look
		t.Errorf("%v retries, want 1", n)
	}
}

// must does a write with no options.
func must[R any](t *testing.T, write func(context.Context, string, []byte, client.WriteOptions) (R, error), ctx context.Context, collection string, body []byte) {
	t.Helper()
	if _, err := write(ctx, collection, body, client.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func mustDelete(t *testing.T, c *client.Client, ctx context.Context, id string) {
	t.Helper()
	if _, err := c.Delete(ctx, "default", id, client.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, url string, status int) {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != status {
		t.Fatalf("GET %s: %d %s, %v", url, resp.StatusCode, body, err)
	}
}
