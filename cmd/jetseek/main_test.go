package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"
)

// screen collects what a program prints, and tells when a line has come.
type screen struct {
	mu   sync.Mutex // guards both below
	text strings.Builder
	want []chan struct{} // told of every write
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.want {
		close(c)
	}
	s.want = nil
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await gives the first match of a pattern in what was printed, once it is there.
func (s *screen) await(ctx context.Context, t *testing.T, pattern string) []string {
	t.Helper()
	re := regexp.MustCompile(pattern)
	for {
		s.mu.Lock()
		more := make(chan struct{})
		s.want = append(s.want, more)
		m := re.FindStringSubmatch(s.text.String())
		s.mu.Unlock()
		if m != nil {
			return m
		}
		select {
		case <-more:
		case <-ctx.Done():
			t.Fatalf("no %s in:\n%s", pattern, s)
		}
	}
}

// running is a program under test.
type running struct {
	out, err *screen
	stop     context.CancelFunc // as a signal does
	code     chan int
}

func start(t *testing.T, goroot string, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	r := &running{out: &screen{}, err: &screen{}, stop: stop, code: make(chan int, 1)}
	go func() {
		r.code <- program{stdout: r.out, stderr: r.err, goroot: goroot}.run(ctx, append([]string{"jetseek"}, args...))
	}()
	t.Cleanup(stop)
	return r
}

// end waits for the exit code.
func (r *running) end(t *testing.T, want int) {
	t.Helper()
	select {
	case code := <-r.code:
		if code != want {
			t.Fatalf("exit code %d, want %d:\n%s", code, want, r.err)
		}
	case <-time.After(time.Minute):
		t.Fatalf("it does not end:\n%s", r.err)
	}
}

func minute(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

func TestBadCommandLinesSayWhatToDo(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args string
		code int
		word string
	}{
		{"surf", 2, "jetseek --help"},
		{"serve --grops 3", 2, "jetseek serve --help"},
		{"serve --groups three", 2, "groups"},
		{"serve --groups 0", 2, "--groups"},
		{"demo --members -1", 2, "--members"},
		{"serve --nats-port 70000", 2, "--nats-port"},
		{"serve --nats-port 0 --nats nats://127.0.0.1:4222", 2, "one of them"},
		{"serve --data=", 2, "--data"},
		{"serve --http 0.0.0.0:0", 2, "--insecure"},
		{"serve --http 7700", 2, "host:port"},
		{"serve now", 2, "no argument"},
		{"serve --http 127.0.0.1:0 --data " + file, 1, "data folder"},
		{"serve --http 127.0.0.1:0 --groups 1000", 1, "1000 groups"},
	} {
		r := start(t, "", strings.Fields(c.args)...)
		r.end(t, c.code)
		if text := r.err.String(); !strings.Contains(text, c.word) || !strings.HasPrefix(text, "jetseek: ") {
			t.Errorf("jetseek %s says %q, want something about %q", c.args, text, c.word)
		}
		if r.out.String() != "" {
			t.Errorf("jetseek %s prints on stdout: %s", c.args, r.out)
		}
	}
}

func TestHelpNamesFlagsAndEnvironment(t *testing.T) {
	for args, words := range map[string][]string{
		"--help":             {"serve", "demo", "nats", "shard", "coordinator", "index", "get", "delete", "search", "collections", "status", "members", "ring", "plan", "repair", "quarantine", "requeue", "bench"},
		"shard --help":       {"--nats", "NATS_URL", "JETSEEK_NATS", "--creds", "NATS_CREDS", "--context", "NATS_CONTEXT", "--prefix", "--inbox-prefix", "JETSEEK_INBOX_PREFIX", "--node", "JETSEEK_SHARD_GROUPS", "--assets"},
		"coordinator --help": {"--http", "--expect-groups", "JETSEEK_EXPECT_GROUPS", "--nats"},
		"nats --help":        {"--nats-port", "JETSEEK_NATS_PORT", "--data", "4222"},
		"serve --help":       {"--http", "JETSEEK_HTTP", "--groups", "JETSEEK_SERVE_GROUPS", "--members", "--data", ".jetseek/serve", "--nats-port", "JETSEEK_NATS_PORT", "NATS_URL", "--insecure"},
		"demo --help":        {"--once", "JETSEEK_ONCE", "--reindex", "JETSEEK_DEMO_GROUPS", ".jetseek/demo"},
	} {
		r := start(t, "", strings.Fields(args)...)
		r.end(t, 0)
		for _, w := range words {
			if !strings.Contains(r.out.String(), w) {
				t.Errorf("jetseek %s does not name %s", args, w)
			}
		}
	}
}

// Serve is ready when it says so, keeps what it was given, holds its folder, and ends with 0.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("JETSEEK_SERVE_GROUPS", "2")
	t.Setenv("JETSEEK_MEMBERS", "1")
	args := []string{"serve", "--http", "127.0.0.1:0", "--nats-port", "0", "--data", dir}
	r := start(t, "", args...)
	ready := r.err.await(minute(t), t, `(?m)^jetseek ready http=(\S+) nats=nats://127\.0\.0\.1:(\d+)$`)
	base := "http://" + ready[1]
	if got := fetch(t, "GET", base+"/ready", ""); got != `{"ready":true,"groups":{"g0":true,"g1":true}}`+"\n" {
		t.Errorf("/ready: %s", got)
	}
	var wrote struct{ Outcome string }
	if err := json.Unmarshal([]byte(fetch(t, "POST", base+"/index", `{"id":"a b","n":9007199254740993}`)), &wrote); err != nil || wrote.Outcome != "created" {
		t.Errorf("index: %+v, %v", wrote, err)
	}
	second := start(t, "", args...)
	second.end(t, 1)
	if !strings.Contains(second.err.String(), "in use by another process") {
		t.Errorf("a second process on the folder says %s", second.err)
	}
	r.stop()
	r.end(t, 0)

	r = start(t, "", args...)
	base = "http://" + r.err.await(minute(t), t, `jetseek ready http=(\S+)`)[1]
	if got := fetch(t, "GET", base+"/doc?id=a+b", ""); !strings.Contains(got, `"source":{"id":"a b","n":9007199254740993}`) {
		t.Errorf("after a restart: %s", got)
	}
	r.stop()
	r.end(t, 0)
}

func fetch(t *testing.T, method, url, body string) string {
	t.Helper()
	r, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The demo indexes once, finds its index again, and makes it again when asked.
func TestDemo(t *testing.T) {
	goroot, dir := t.TempDir(), t.TempDir()
	pkg := filepath.Join(goroot, "src", "os")
	if err := os.MkdirAll(pkg, 0o755); err != nil {
		t.Fatal(err)
	}
	text := "// Package os reads files.\npackage os\n\n// ReadFile reads a whole file.\nfunc ReadFile() {}\n"
	if err := os.WriteFile(filepath.Join(pkg, "os.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"demo", "--once", "--http", "127.0.0.1:0", "--groups", "2", "--members", "1", "--data", dir}
	first := start(t, goroot, args...)
	first.end(t, 0)
	for _, want := range []string{"read 2 documents", "indexed 2 documents in ", "jetseek ready http=127.0.0.1:"} {
		if !strings.Contains(first.err.String(), want) {
			t.Errorf("the first start does not say %q:\n%s", want, first.err)
		}
	}
	if strings.Contains(first.err.String(), "nats=") {
		t.Errorf("a NATS that does not listen is shown:\n%s", first.err)
	}
	second := start(t, goroot, args...)
	second.end(t, 0)
	if !strings.Contains(second.err.String(), "found the index of 2 documents") || strings.Contains(second.err.String(), "indexed") {
		t.Errorf("the second start:\n%s", second.err)
	}
	again := start(t, goroot, append(args, "--reindex")...)
	again.end(t, 0)
	if !strings.Contains(again.err.String(), "indexed 2 documents") {
		t.Errorf("the start with --reindex:\n%s", again.err)
	}
	for _, r := range []*running{first, second, again} {
		if !strings.Contains(r.out.String(), "1.") || !strings.Contains(r.out.String(), "os.ReadFile  func") {
			t.Errorf("the answers:\n%s", r.out)
		}
	}
}

// Without --once it serves on until it is told to end.
func TestDemoServesOn(t *testing.T) {
	goroot := t.TempDir()
	if err := os.MkdirAll(filepath.Join(goroot, "src", "os"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(goroot, "src", "os", "os.go"), []byte("// Package os reads.\npackage os\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := start(t, goroot, "demo", "--http", "127.0.0.1:0", "--groups", "1", "--members", "1", "--data", t.TempDir())
	base := "http://" + r.err.await(minute(t), t, `curl 'http://([^/]+)/`)[1]
	if got := fetch(t, "GET", base+"/search?q=reads&fields=", ""); !strings.Contains(got, `"id":"os"`) {
		t.Errorf("search: %s", got)
	}
	r.stop()
	r.end(t, 0)
}
