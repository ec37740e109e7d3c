package bridge

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/embedded/natstest"
)

func TestRepliesArePassedOn(t *testing.T) {
	d := openDoor(t)
	for _, c := range []struct {
		reply  func(*nats.Msg) *nats.Msg
		status int
		body   string
	}{
		{success("201", `{"ok":true, "n":9007199254740993}`), 201, `{"ok":true, "n":9007199254740993}`},
		{success("202", `{}`), 202, `{}`},
		{success("409", `{"outcome":"version_conflict"}`), 409, `{"outcome":"version_conflict"}`},
		{failure("400", `{"error":{"code":"bad_field","message":"m"}}`), 400, `{"error":{"code":"bad_field","message":"m"}}`},
		{failure("410", `{"error":{"code":"cursor_expired","message":"m"}}`), 410, `{"error":{"code":"cursor_expired","message":"m"}}`},
		{failure("500", `{"error":{"code":"x","message":"m"}}`), 503, `{"error":{"code":"x","message":"m"}}`},
	} {
		d.reply = c.reply
		got := d.call("POST", "/index", "{}")
		if got.status != c.status || got.body != c.body+"\n" {
			t.Errorf("got %d %s, want %d %s", got.status, got.body, c.status, c.body)
		}
		for k, v := range map[string]string{"Content-Type": "application/json", "X-Content-Type-Options": "nosniff", "Access-Control-Allow-Origin": ""} {
			if got.header.Get(k) != v {
				t.Errorf("header %s is %q, want %q", k, got.header.Get(k), v)
			}
		}
	}
}

func TestBadParametersAreRefused(t *testing.T) {
	d := openDoor(t)
	for target, word := range map[string]string{
		"/search?limt=1":                       "limt",
		"/search?b=1&a=1":                      `"a"`,
		"/search?limit=1&limit=2":              "limit",
		"/search?limit=ten":                    "limit",
		"/search?limit=-5":                     "limit",
		"/search?limit=":                       "limit",
		"/search?limit=1e3":                    "limit",
		"/search?from=18446744073709551615":    "from",
		"/search?lenient=yes":                  "lenient",
		"/search?min_seq=g0":                   "min_seq",
		"/search?min_seq=g0:1,g0:2":            "min_seq",
		"/search?min_seq=g0:-1":                "min_seq",
		"/search?min_seq=":                     "min_seq",
		"/search?min_score=NaN":                "min_score",
		"/search?min_score=1%20":               "min_score",
		"/search?track_total=some":             "track_total",
		"/search?track_total=-1":               "track_total",
		"/search?aggs={":                       "aggs",
		"/search?knn=v":                        "knn",
		"/search?knn=v:1,x":                    "knn",
		"/search?knn=:1":                       "knn",
		"/search?timeout_ms=0":                 "timeout_ms",
		"/search?q=%ff":                        "q",
		"/search?q=%zz":                        "query string",
		"/search?q=a;b":                        "query string",
		"/search?collection=A":                 "collection",
		"/search?collection=":                  "collection",
		"/search?collection=a.b":               "collection",
		"/collections/a.b/search":              "collection",
		"/collections/a*/search":               "collection",
		"/collections/books/search?collection": "collection",
		"/doc":                                 "id",
		"/doc?id=a&id=b":                       "id",
		"/doc?id=%ff":                          "id",
		"/_placement":                          "id",
		"/_ring?x=1":                           "take none",
		"/doc?idd=a&id=a":                      "take id, collection",
	} {
		got := d.call("GET", target, "")
		if got.status != 400 || got.code() != "bad_request" || !strings.Contains(got.body, strings.Trim(word, `"`)) {
			t.Errorf("GET %s: %d %s, want bad_request about %s", target, got.status, got.body, word)
		}
	}
	for _, query := range []string{"wait=soon", "wait=", "timeout_ms=-1", "timeout_ms=x", "if_version=-1", "if_version=1.0", "request_id=", "request_id=a%0Ab",
		"request_id=%20a", "report=1", "id=a&id=b", "refresh=true"} {
		if got := d.call("POST", "/index?"+query, "{}"); got.status != 400 || got.code() != "bad_request" {
			t.Errorf("POST /index?%s: %d %s", query, got.status, got.body)
		}
	}
	if got := d.call("PUT", "/collections/books", `{},"name":"other"`); got.status != 400 || got.code() != "bad_request" {
		t.Errorf("a schema that is no JSON: %d %s", got.status, got.body)
	}
	d.notAsked("bad parameters")
}

func TestUnknownPathsAndMethods(t *testing.T) {
	d := openDoor(t)
	for _, path := range []string{"/nope", "/search/", "/collections/books/nope", "/collections/", "/index/bulk/x", "/_Ring"} {
		if got := d.call("GET", path, ""); got.status != 404 || got.code() != "not_found" {
			t.Errorf("GET %s: %d %s", path, got.status, got.body)
		}
	}
	for _, c := range [][3]string{
		{"PATCH", "/search", "GET, HEAD, POST"}, {"GET", "/index", "DELETE, POST"}, {"OPTIONS", "/search", "GET, HEAD, POST"},
		{"POST", "/collections/books", "DELETE, GET, HEAD, PUT"}, {"PUT", "/health", "GET, HEAD"},
	} {
		got := d.call(c[0], c[1], "")
		if got.status != 405 || got.code() != "bad_request" || got.header.Get("Allow") != c[2] {
			t.Errorf("%s %s: %d %s, Allow %q, want %q", c[0], c[1], got.status, got.body, got.header.Get("Allow"), c[2])
		}
	}
	d.notAsked("unknown paths")
	if got := d.call("HEAD", "/health", ""); got.status != 200 || got.body != "" {
		t.Errorf("HEAD /health: %d %q", got.status, got.body)
	}
}

// A path is understood in one way or refused.
func TestPathsThatTwoReadersCouldTakeDifferently(t *testing.T) {
	d := openDoor(t)
	for _, path := range []string{"//search", "/collections//search", "/x/../search", "/./search", "/%2e%2e/search", "/collections/%2e/search", "/collections/a%2fb/search",
		"/collections/a%2Fb", "/search;x=1", "/collections/a;x/search", "/search%00", "/collections/a%0Ab", `/collections/a%5Cb`, "/..", "/collections/.."} {
		got := d.raw("GET " + path + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 400") || !strings.Contains(got, `"bad_request"`) {
			t.Errorf("%s: %s", path, got)
		}
	}
	d.notAsked("odd paths")
}

// raw sends bytes and reads until the server hangs up.
func (d *door) raw(request string) string {
	d.t.Helper()
	conn, err := net.Dial("tcp", d.http.Listener.Addr().String())
	if err != nil {
		d.t.Fatal(err)
	}
	defer conn.Close()
	if _, err := fmt.Fprint(conn, request); err != nil {
		d.t.Fatal(err)
	}
	var b strings.Builder
	for r := bufio.NewScanner(conn); r.Scan(); {
		b.WriteString(r.Text() + "\n")
	}
	return b.String()
}

func TestBodies(t *testing.T) {
	d := openDoor(t, natstest.MaxPayload(100_000))
	fits := strings.Repeat("x", 90_000)
	if got := d.call("POST", "/index", fits); got.status != 200 {
		t.Errorf("a body that fits: %d %s", got.status, got.body)
	}
	<-d.asked
	for _, c := range []struct {
		name, method, target, body string
		header                     []string
		status                     int
		code, word                 string
	}{
		{"more than a message takes", "POST", "/index", strings.Repeat("x", 2_000_000), nil, 413, "too_large", "max_payload"},
		{"a bulk of more than any way takes", "POST", "/index/bulk", strings.Repeat("x", 64<<20+1), nil, 413, "too_large", "67108864"},
		{"a query of more than a message takes", "POST", "/search", strings.Repeat("x", 200_000), nil, 413, "too_large", "max_payload"},
		{"a body where none goes", "GET", "/search?q=x", `{"query":"y"}`, nil, 400, "bad_request", "no body"},
		{"compressed", "POST", "/index", "{}", []string{"Content-Encoding", "gzip"}, 400, "bad_request", "gzip"},
		{"from another site's page", "POST", "/index", "{}", []string{"Origin", "https://evil.example"}, 403, "forbidden", "origin"},
		{"from another site's page, new browsers", "DELETE", "/index?id=a", "", []string{"Sec-Fetch-Site", "cross-site"}, 403, "forbidden", "origin"},
	} {
		got := d.call(c.method, c.target, c.body, c.header...)
		if got.status != c.status || got.code() != c.code || !strings.Contains(got.body, c.word) {
			t.Errorf("%s: %d %.500s, want %d %s about %s", c.name, got.status, got.body, c.status, c.code, c.word)
		}
	}
	d.notAsked("refused bodies")

	short := d.raw("POST /index HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 99999999999\r\n\r\n{}")
	if !strings.HasPrefix(short, "HTTP/1.1 413") {
		t.Errorf("announced past all limits: %s", short)
	}
	chunked := "POST /index HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n" +
		fmt.Sprintf("%x\r\n%s\r\n", 200_000, strings.Repeat("x", 200_000)) + "0\r\n\r\n"
	if got := d.raw(chunked); !strings.HasPrefix(got, "HTTP/1.1 413") {
		t.Errorf("chunked past the limit: %s", got)
	}
	if got := d.raw("POST /index HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("chunked that fits: %s", got)
	}
}

func TestWhatIsWrongInsideIsA503(t *testing.T) {
	d := openDoor(t)
	h := d.handler().(*handler)
	h.mux.HandleFunc("/panics", func(http.ResponseWriter, *http.Request) { panic("no") })
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/panics", nil))
	if w.Code != 503 || !strings.Contains(w.Body.String(), `"reason":"internal"`) {
		t.Errorf("a panic: %d %s", w.Code, w.Body)
	}
}

func TestNobodyThere(t *testing.T) {
	s := natstest.Start(t)
	d := &door{t: t, nats: s}
	d.http = httptest.NewServer(d.handler())
	defer d.http.Close()
	for _, c := range []struct{ method, target, body, want string }{
		{"GET", "/search", "", `"reason":"no_coordinator"`},
		{"POST", "/index", "{}", `"reason":"no_coordinator","durable":false`},
		{"GET", "/ready", "", `{"ready":false,"groups":{},"error":`},
		{"GET", "/health?group=g0", "", `"reason":"no_coordinator"`},
	} {
		if got := d.call(c.method, c.target, c.body); got.status != 503 || !strings.Contains(got.body, c.want) {
			t.Errorf("%s %s: %d %s, want %s", c.method, c.target, got.status, got.body, c.want)
		}
	}
	s.Stop()
	start := time.Now()
	if got := d.call("POST", "/index", "{}"); got.status != 503 || !strings.Contains(got.body, `"durable"`) || time.Since(start) > time.Second {
		t.Errorf("without NATS: %d %s after %s", got.status, got.body, time.Since(start))
	}
	if got := d.call("GET", "/health", ""); got.status != 200 || got.body != `{"status":"ok"}`+"\n" {
		t.Errorf("/health without NATS: %d %s", got.status, got.body)
	}
}

// A client that sends its whole body before it looks for an answer gets the error, whatever the request is refused for, and the connection goes on.
func TestRefusalsReachClientsThatStillSend(t *testing.T) {
	d := openDoor(t)
	const size = 2 << 20 // more than any limit here, and than a server reads of its own accord
	for _, c := range []struct {
		line, header string
		size, status int
	}{
		{"POST /search", "", size, 413},
		{"PUT /collections/books", "", size, 413},
		{"POST /index", "", size, 413},
		{"POST /index", "", 17 << 20, 413},
		{"POST /index", "Content-Encoding: br\r\n", size, 400},
		{"POST /index", "Origin: https://evil.example\r\n", size, 403},
		{"POST /index?wait=soon", "", size, 400},
		{"POST /index?collection=A", "", size, 400},
		{"GET /search", "", size, 400},
		{"POST /nope", "", size, 404},
		{"PATCH /search", "", size, 405},
		{"POST /a/../index", "", size, 400},
	} {
		for _, chunked := range []bool{false, true} {
			conn, err := net.Dial("tcp", d.http.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			body, length := strings.Repeat("x", c.size), fmt.Sprintf("Content-Length: %d", c.size)
			if chunked {
				body, length = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", c.size, body), "Transfer-Encoding: chunked"
			}
			answers := bufio.NewReader(conn)
			for i := range 2 {
				request := c.line + " HTTP/1.1\r\nHost: x\r\n" + c.header + length + "\r\n\r\n" + body
				if i == 1 {
					request = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
				}
				if _, err := io.WriteString(conn, request); err != nil {
					t.Errorf("%s, %d bytes, chunked %v: request %d: %v", c.line, c.size, chunked, i+1, err)
					break
				}
				got, err := http.ReadResponse(answers, nil)
				if err != nil {
					t.Errorf("%s, %d bytes, chunked %v: answer %d: %v", c.line, c.size, chunked, i+1, err)
					break
				}
				want := [...]int{c.status, 200}[i]
				if text, err := io.ReadAll(got.Body); err != nil || got.StatusCode != want {
					t.Errorf("%s, %d bytes, chunked %v: answer %d: %d %.200s, %v, want %d", c.line, c.size, chunked, i+1, got.StatusCode, text, err, want)
				}
			}
			_ = conn.Close()
		}
	}
	d.notAsked("refused requests")
}

// A client that asks before it sends is told at once.
func TestRefusalsBeforeTheBodyIsSent(t *testing.T) {
	d := openDoor(t)
	got := d.raw("POST /search HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 9000000\r\n\r\n")
	if !strings.HasPrefix(got, "HTTP/1.1 413") {
		t.Errorf("%s", got)
	}
}

func TestAWriteWithoutAnAnswerIsUnknown(t *testing.T) {
	d := openDoor(t)
	d.reply = func(*nats.Msg) *nats.Msg { return nil }
	got := d.call("POST", "/search", `{"timeout_ms":1}`)
	if got.status != 504 || got.code() != "deadline" || strings.Contains(got.body, "durable") {
		t.Errorf("search: %d %s", got.status, got.body)
	}
	got = d.call("POST", "/index?timeout_ms=1", "{}")
	if got.status != 504 || !strings.Contains(got.body, `"durable":"unknown"`) {
		t.Errorf("index: %d %s", got.status, got.body)
	}
}

func TestHealthAndReady(t *testing.T) {
	d := openDoor(t)
	for _, c := range []struct {
		status string
		target string
		want   int
		body   string
	}{
		{`{"ready":true,"groups":{"g0":true}}`, "/ready", 200, `{"ready":true,"groups":{"g0":true}}`},
		{`{"ready":false,"groups":{"g0":true,"g1":false}}`, "/ready", 503, `{"ready":false,"groups":{"g0":true,"g1":false}}`},
		{`{"ready":true,"groups":{"g0":true}}`, "/health?group=g0", 200, `{"status":"ok"}`},
		{`{"ready":false,"groups":{"g0":false}}`, "/health?group=g0", 503, "group_down"},
		{`{"ready":true,"groups":{"g0":true}}`, "/health?group=g9", 404, "not_found"},
	} {
		d.reply = success("200", c.status)
		if got := d.call("GET", c.target, ""); got.status != c.want || !strings.Contains(got.body, c.body) {
			t.Errorf("%s on %s: %d %s, want %d %s", c.target, c.status, got.status, got.body, c.want, c.body)
		}
	}
}
