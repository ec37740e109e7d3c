package bridge

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
)

// Requests are counted by the pattern of their route, whatever stands in their paths: nobody can make more labels than there are routes.
func TestMeasuredCountsByRoute(t *testing.T) {
	d := openDoor(t)
	d.reply = success("200", "{}")
	registry := prometheus.NewRegistry()
	door := httptest.NewServer(Measured(d.handler(), registry))
	defer door.Close()
	for _, c := range [][2]string{
		{"GET", "/collections/a/search"}, {"GET", "/collections/b/search?q=x"}, {"GET", "/collections/b/search?nope=1"}, {"GET", "/no/1"}, {"GET", "/no/2"},
		{"PATCH", "/search"}, {"BREW", "/search"}, {"GET", "/a//b"}, {"GET", "/"}, {"GET", "/assets/page.css"}, {"POST", "/metrics"},
	} {
		r, err := http.NewRequest(c[0], door.URL+c[1], nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	want := `# HELP jetseek_http_requests_total HTTP requests that were answered, by the pattern of the route.
# TYPE jetseek_http_requests_total counter
jetseek_http_requests_total{method="GET",route="/assets/{name}",status="200"} 1
jetseek_http_requests_total{method="GET",route="/collections/{collection}/search",status="200"} 2
jetseek_http_requests_total{method="GET",route="/collections/{collection}/search",status="400"} 1
jetseek_http_requests_total{method="GET",route="/{$}",status="200"} 1
jetseek_http_requests_total{method="GET",route="other",status="400"} 1
jetseek_http_requests_total{method="GET",route="other",status="404"} 2
jetseek_http_requests_total{method="POST",route="other",status="404"} 1
jetseek_http_requests_total{method="other",route="/search",status="405"} 2
`
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, f := range families {
		if f.GetName() != "jetseek_http_requests_total" {
			continue
		}
		if _, err := expfmt.MetricFamilyToText(&got, f); err != nil {
			t.Fatal(err)
		}
	}
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &got, want)
	}
	resp, err := http.Get(door.URL + metricsPath)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, "text/plain") || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("/metrics comes as %q", kind)
	}
}
