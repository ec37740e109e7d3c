package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// gate stands before a real system and counts the documents sent through it. It withholds the reply to one bulk, which the system has then written.
type gate struct {
	url      string
	sent     atomic.Int64  // documents, by their lines
	bulks    atomic.Int64  // since the last hold
	at       atomic.Int64  // the bulk that gets no reply; 0: none
	cut      atomic.Bool   // its connection is closed at once
	withheld chan struct{} // told of it
}

func startGate(t *testing.T, system string) *gate {
	t.Helper()
	to, err := url.Parse(system)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{withheld: make(chan struct{}, 1)}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.ModifyResponse = func(r *http.Response) error {
		if strings.HasSuffix(r.Request.URL.Path, "/bulk") && g.bulks.Add(1) == g.at.Load() {
			g.withheld <- struct{}{}
			if !g.cut.Load() {
				<-r.Request.Context().Done() // the command is gone
			}
			return http.ErrAbortHandler
		}
		return nil
	}
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) } // no reply at all
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the command is gone
		}
		g.sent.Add(int64(bytes.Count(body, []byte("\n"))))
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	g.url = server.URL
	return g
}

// hold withholds the reply to a bulk from now, and counts anew.
func (g *gate) hold(bulk int64) {
	g.sent.Store(0)
	g.bulks.Store(0)
	g.at.Store(bulk)
}

// A run that is killed, interrupted, or loses its system is gone on with behind what is known to be written; a file that has changed there begins anew.
func TestIndexGoesOn(t *testing.T) {
	server := start(t, "", "serve", "--groups", "2", "--members", "1", "--http", "127.0.0.1:0", "--data", t.TempDir())
	base := "http://" + server.err.await(minute(t), t, `jetseek ready http=(\S+)`)[1]
	t.Cleanup(func() { // before its folder is removed
		server.stop()
		server.end(t, 0)
	})
	g, bin := startGate(t, base), buildBinary(t)
	folder, states := t.TempDir(), filepath.Join(t.TempDir(), "states")
	const docs, batch = 2600, 500 // documents of a file, and of a bulk when they are short
	text := lines(0, docs)
	array := "[" + strings.ReplaceAll(strings.TrimSpace(text), "\n", ",") + "]" // all in one line
	noIDs := regexp.MustCompile(`"id":"[^"]*",`).ReplaceAllString(text, "")
	changed := strings.Replace(text, `"n":3,`, `"n":4,`, 1)
	for _, c := range []struct {
		name, before, after string
		signal              syscall.Signal // 0: the connection breaks instead
		says                string         // the second run
		sent                int64          // by the second run
	}{
		{"killed", text, text, syscall.SIGKILL, "(?m)^going on at line 1001 of ", docs - 2*batch},
		{"interrupted", text, text, syscall.SIGINT, "(?m)^going on at line 1001 of ", docs - 2*batch},
		{"lost", noIDs, noIDs, 0, "", docs + batch}, // it goes on by itself, and sends one batch twice
		{"without-ids", noIDs, noIDs, syscall.SIGKILL, "(?m)^going on at line 1001 of ", docs - 2*batch},
		{"dropped", text, text, syscall.SIGKILL, "collection dropped has no document: .* begins anew", docs},
		{"array", array, array, syscall.SIGKILL, "(?m)^going on at line 1 of ", docs - 2*batch},
		{"changed", text, changed, syscall.SIGKILL, "has changed .* begins anew", docs},
		{"shortened", text, lines(0, 700), syscall.SIGKILL, "has changed .* begins anew", 700},
		{"longer", text, text + lines(docs, docs+10), syscall.SIGKILL, "(?m)^going on at line 1001 of ", docs + 10 - 2*batch},
	} {
		t.Run(c.name, func(t *testing.T) {
			schema := `{"fields":{"text":{"type":"text"},"n":{"type":"long"}}}`
			fetch(t, "PUT", base+"/collections/"+c.name, schema)
			file := filepath.Join(folder, c.name)
			write(t, file, c.before)
			args := []string{"index", "--url", g.url, "-c", c.name, "--state-dir", states, file}
			g.hold(3)
			g.cut.Store(c.signal == 0)
			first := startProcess(t, bin, args...)
			select {
			case <-g.withheld:
			case <-minute(t).Done():
				t.Fatalf("it sends no third bulk:\n%s", first.err)
			}
			if c.signal != 0 {
				if err := first.cmd.Process.Signal(c.signal); err != nil {
					t.Fatal(err)
				}
			}
			<-first.done
			if text := first.err.String(); c.signal == syscall.SIGINT && !regexp.MustCompile("from line 1001 on: .*; the same command goes on there").MatchString(text) {
				t.Errorf("the first run says:\n%s", text)
			}
			if c.name == "dropped" {
				fetch(t, "DELETE", base+"/collections/"+c.name, "")
				fetch(t, "PUT", base+"/collections/"+c.name, schema)
			}
			write(t, file, c.after)
			second := first
			if c.signal != 0 {
				g.hold(0)
				second = startProcess(t, bin, args...)
				<-second.done
			}
			if code, text := second.cmd.ProcessState.ExitCode(), second.err.String(); code != 0 || !regexp.MustCompile(c.says).MatchString(text) {
				t.Errorf("the second run ends with %d:\n%s", code, text)
			}
			if sent := g.sent.Load(); sent != c.sent {
				t.Errorf("the second run sends %d documents, want %d", sent, c.sent)
			}
			if left, err := os.ReadDir(states); err != nil || len(left) > 0 {
				t.Errorf("states that are left: %v, %v", left, err)
			}
			want := strings.Count(c.after, "\n")
			if c.after != c.before || c.before == array {
				want = max(strings.Count(c.after, `"id"`), 3*batch)
			}
			body := fetch(t, "GET", base+"/collections/"+c.name+"/search?q=*&limit=0&track_total=true", "")
			if !strings.Contains(body, fmt.Sprintf(`"total":{"value":%d,"relation":"eq"}`, want)) {
				t.Errorf("want %d documents: %s", want, body)
			}
		})
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// The place stays before documents that may yet be written, or not, and goes on behind those that were refused for good.
func TestOpenOutcomes(t *testing.T) {
	for _, c := range []struct {
		line wire.LineError
		want bool
	}{
		{wire.LineError{Code: fault.BadDocument}, false},
		{wire.LineError{Code: fault.BadField, Durable: wire.NotDurable}, false},
		{wire.LineError{Code: fault.Unavailable, Durable: wire.DurableUnknown}, true},
		{wire.LineError{Code: fault.Overloaded, Durable: wire.NotDurable}, true},
	} {
		if got := isOpen(&wire.BulkReply{Errors: []wire.LineError{c.line}}); got != c.want {
			t.Errorf("%+v: %t", c.line, got)
		}
	}
}
