package bridge

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"
)

// serve runs a server over the door's handler until the test ends, on a loopback address. change sets shorter limits than those of a day's work.
func (d *door) serve(change func(*http.Server)) *Server {
	d.t.Helper()
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		d.t.Fatal(err)
	}
	s := NewServer(l, d.handler(), nil)
	if change != nil {
		change(s.http)
	}
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	d.t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			d.t.Error(err)
		}
	})
	return s
}

// exchange sends bytes to a server and reads until it hangs up, ten seconds at most.
func exchange(t *testing.T, address, request string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(conn, request) // a server that has hung up already has said why
	reply, _ := io.ReadAll(conn)
	return string(reply)
}

// A page of another site that has its name resolve to this machine is told from people here by its Host.
func TestOnlyLocalNamesAreServedOnLoopback(t *testing.T) {
	d := openDoor(t)
	s := d.serve(nil)
	_, port, err := net.SplitHostPort(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	for host, served := range map[string]bool{
		"localhost": true, "localhost:" + port: true, "LOCALHOST:1": true, "127.0.0.1:" + port: true, "127.1.2.3": true, "[::1]:" + port: true, "[::1]": true,
		"jetseek.localhost": true, "localhost.": true,
		"evil.example": false, "evil.example:" + port: false, "localhost.evil.example": false, "127.0.0.1.evil.example": false, "notlocalhost": false,
		"192.168.0.1": false, "[2001:db8::1]:80": false, "0.0.0.0": false, "2130706433": false,
	} {
		for _, request := range []string{"GET /search", "GET /health", "GET /"} {
			got := exchange(t, s.Addr(), request+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
			refused := strings.HasPrefix(got, "HTTP/1.1 403") && strings.Contains(got, `"forbidden"`) && strings.Contains(got, "nosniff")
			if served && !strings.HasPrefix(got, "HTTP/1.1 200") || !served && !refused {
				t.Errorf("%s of host %s: %.200s", request, host, got)
			}
		}
	}
	if got := exchange(t, s.Addr(), "GET /health HTTP/1.0\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.0 200") {
		t.Errorf("HTTP/1.0 without a host: %s", got)
	}
}

func TestNoOtherOriginIsTalkedTo(t *testing.T) {
	d := openDoor(t)
	for _, c := range []struct {
		method, target string
		status         int
	}{{"OPTIONS", "/search", 405}, {"OPTIONS", "/index", 405}, {"GET", "/search", 200}, {"POST", "/index", 403}, {"PUT", "/collections/books", 403}, {"DELETE", "/index?id=a", 403}} {
		got := d.call(c.method, c.target, "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type")
		if got.status != c.status {
			t.Errorf("%s %s: %d %s, want %d", c.method, c.target, got.status, got.body, c.status)
		}
		for name := range got.header {
			if strings.HasPrefix(name, "Access-Control-") {
				t.Errorf("%s %s allows another origin: %s", c.method, c.target, name)
			}
		}
	}
}

// No path is decoded twice, and none that two readers could take differently reaches a coordinator.
func TestOddPathsAreRefused(t *testing.T) {
	d := openDoor(t)
	s := d.serve(nil)
	for _, path := range []string{
		"//", "//search", "/search//", "/collections//search", "/collections/books//search",
		"/./search", "/../search", "/search/..", "/search/.", "/collections/../search", "/collections/./search", "/a/b/../../search",
		"/%2e/search", "/%2e%2e/search", "/%2E%2E/search", "/.%2e/search", "/%2e./search", "/collections/%2e%2e/search",
		"/collections/%252e%252e/search", "/collections/..%252fx/search", "/%252e%252e/search", "/%25252e/search",
		"/collections/a%2fb/search", "/collections/a%2Fb", "/collections%2fbooks", "/%2fsearch", "/search%2f",
		"/collections/a%5cb/search", `/collections/a\b/search`, `\search`, "/..%5csearch", "/%5c..%5csearch",
		"/search;x=1", "/;x/search", "/collections/books;v=1/search", "/search%3bx", "/search%3B",
		"/search%00", "/%00search", "/collections/a%00b/search", "/collections/%00", "/search%0a", "/search%0d%0aX:%20y", "/search%7f", "/search%09",
		"/collections/%c0%ae%c0%ae/search", "/%c0%ae%c0%ae/search", "/collections/%e0%80%af/search", "/%ff", "/collections/%ff/search",
		"/collections/books%20/search", "/collections/%20/search", "/collections/Books/search", "/collections/b%C3%B6/search", "/collections/*/search", "/collections/%3E/search",
		"/collections/a.b/search", "/collections/$KV/search", "/collections/%EF%BC%8E%EF%BC%8E/search", "/SEARCH", "/Search", "/search/", "/search.json", "/search%3Fq=x",
		"/collections/{collection}/search", "/collections/" + strings.Repeat("a", 65) + "/search", "/%", "/%zz", "/%2", "search", "*", "",
	} {
		got := exchange(t, s.Addr(), "GET "+path+" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(got, "HTTP/1.1 400") && !strings.HasPrefix(got, "HTTP/1.1 404") {
			t.Errorf("%q: %.100s", path, got)
		}
	}
	d.notAsked("odd paths")
}

func TestLargeHeadersAndMalformedRequests(t *testing.T) {
	d := openDoor(t)
	s := d.serve(nil)
	for name, c := range map[string]struct{ request, want string }{
		"headers of 32 KiB":       {"GET /search HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 32<<10) + "\r\n\r\n", "HTTP/1.1 431"},
		"many headers":            {"GET /search HTTP/1.1\r\nHost: localhost\r\n" + strings.Repeat("X: y\r\n", 8000) + "\r\n", "HTTP/1.1 431"},
		"a line of 32 KiB":        {"GET /search?q=" + strings.Repeat("x", 32<<10) + " HTTP/1.1\r\nHost: localhost\r\n\r\n", "HTTP/1.1 431"},
		"no host":                 {"GET /search HTTP/1.1\r\n\r\n", "HTTP/1.1 400"},
		"two hosts":               {"GET /search HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", "HTTP/1.1 400"},
		"no HTTP":                 {"hello\r\n\r\n", "HTTP/1.1 400"},
		"a length and chunks":     {"POST /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n", "HTTP/1.1 200"},
		"two lengths":             {"POST /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}", "HTTP/1.1 400"},
		"a negative length":       {"POST /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n{}", "HTTP/1.1 400"},
		"another encoding":        {"POST /index HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n{}", "HTTP/1.1 501"},
		"a chunk that is no size": {"POST /index HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\nzz\r\n{}\r\n0\r\n\r\n", "HTTP/1.1 400"},
		"a method of its own":     {"BREW /search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "HTTP/1.1 405"},
		"CONNECT":                 {"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", "HTTP/1.1 403"},
		"a whole URL":             {"GET http://evil.example/search HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", "HTTP/1.1 403"},
	} {
		if got := exchange(t, s.Addr(), c.request); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %.120q, want %s", name, got, c.want)
		}
	}
}

// Clients that take their time lose their connections, and others do not notice them.
func TestSlowClients(t *testing.T) {
	d := openDoor(t)
	s := d.serve(func(h *http.Server) { h.ReadHeaderTimeout, h.ReadTimeout = 500*time.Millisecond, time.Second })
	if got := NewServer(d.http.Listener, nil, nil).http; got.ReadHeaderTimeout != 5*time.Second || got.ReadTimeout != 30*time.Second ||
		got.WriteTimeout != 35*time.Second || got.IdleTimeout != 60*time.Second || got.MaxHeaderBytes != 16<<10 {
		t.Errorf("the limits of a server: %+v", got)
	}
	const slow = 200
	starts := []string{"G", "GET /search HTTP/1.1\r\nHost: localhost\r\n", "POST /index HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\n{"}
	ended := make(chan error, slow)
	for i := range slow {
		conn, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, starts[i%len(starts)]); err != nil {
			t.Fatal(err)
		}
		go func() { // ends with the connection
			_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
			r := bufio.NewReader(conn)
			_, err := io.Copy(io.Discard, r) // until the server hangs up
			ended <- err
		}()
	}
	began := time.Now()
	if got := exchange(t, s.Addr(), "GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"); !strings.HasPrefix(got, "HTTP/1.1 200") {
		t.Errorf("beside slow clients: %s", got)
	}
	if took := time.Since(began); took > 2*time.Second {
		t.Errorf("beside slow clients an answer takes %s", took)
	}
	for range slow {
		if err := <-ended; err != nil {
			if e, ok := err.(net.Error); ok && e.Timeout() {
				t.Fatal("a slow client was kept")
			}
		}
	}
	if len(d.asked) > 0 {
		t.Errorf("the coordinator was asked %s", (<-d.asked).Subject)
	}
}

// A large body may take longer than the server's time for a request, as long as it goes on arriving.
func TestSlowBodiesThatGoOnAreRead(t *testing.T) {
	d := openDoor(t)
	d.reply = success("200", "{}")
	s := d.serve(func(h *http.Server) { h.ReadTimeout, h.WriteTimeout = 300*time.Millisecond, 300*time.Millisecond })
	const bytes = 128 << 10 // worth 8 s
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	head := "POST /index/bulk HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: " + strconv.Itoa(bytes) + "\r\n\r\n"
	if _, err := io.WriteString(conn, head+strings.Repeat("x", bytes-1)); err != nil {
		t.Fatal(err)
	}
	// The pause is what is tested: more than three times the server's limits pass in it. The server's deadlines are those of a real socket, where virtual time
	// does not reach. A longer pause, on a slow machine, is as good: nothing is raced.
	time.Sleep(time.Second)
	if _, err := io.WriteString(conn, "\n"); err != nil {
		t.Fatal(err)
	}
	reply, err := io.ReadAll(conn)
	if err != nil || !strings.HasPrefix(string(reply), "HTTP/1.1 200") {
		t.Errorf("%.200s, %v", reply, err)
	}
}
