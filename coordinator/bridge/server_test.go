package bridge

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

func TestCheckAddress(t *testing.T) {
	for address, ok := range map[string]bool{
		"127.0.0.1:7700": true, "[::1]:0": true, "localhost:80": true, "127.9.9.9:1": true,
		"0.0.0.0:7700": false, ":7700": false, "[::]:1": false, "192.168.1.1:1": false, "example.org:80": false,
	} {
		if err := CheckAddress(address, false); (err == nil) != ok {
			t.Errorf("%s: %v", address, err)
		}
		if err := CheckAddress(address, true); err != nil {
			t.Errorf("%s with insecure: %v", address, err)
		}
	}
	for _, address := range []string{"", "7700", "127.0.0.1"} {
		if CheckAddress(address, true) == nil {
			t.Errorf("%q was taken", address)
		}
	}
	if _, err := Listen("0.0.0.0:0", false); err == nil || !strings.Contains(err.Error(), "--insecure") {
		t.Errorf("open to all: %v", err)
	}
}

// Run answers what it has accepted before it returns, and takes nothing new.
func TestRunDrains(t *testing.T) {
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	entered, leave := make(chan struct{}), make(chan struct{})
	s := NewServer(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(entered)
		<-leave
		_, _ = io.WriteString(w, "done")
	}), nil)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	body := make(chan string, 1)
	go func() {
		resp, err := http.Get("http://" + s.Addr())
		if err != nil {
			body <- err.Error()
			return
		}
		defer resp.Body.Close()
		b, _ := io.ReadAll(resp.Body)
		body <- string(b)
	}()
	<-entered
	stop()
	for { // the listener closes before the drain
		c, err := net.Dial("tcp", s.Addr())
		if err != nil {
			break
		}
		_ = c.Close()
	}
	select {
	case err := <-ended:
		t.Fatalf("Run returned %v before its last answer", err)
	default:
	}
	close(leave)
	if got := <-body; got != "done" {
		t.Errorf("the request in flight got %q", got)
	}
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

func TestRunTellsWhenItCannotServe(t *testing.T) {
	l, err := Listen("127.0.0.1:0", false)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if err := NewServer(l, http.NotFoundHandler(), nil).Run(t.Context()); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v", err)
	}
}

func TestCappedListener(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := capped(inner, 1)
	for range 2 {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan error, 1)
	go func() {
		c, err := l.Accept()
		if err == nil {
			_ = c.Close()
		}
		second <- err
	}()
	select {
	case err := <-second:
		t.Fatalf("two at a time: %v", err)
	default:
	}
	_ = first.Close()
	_ = first.Close() // once more gives no second place
	if err := <-second; err != nil {
		t.Error(err)
	}
	if len(l.free) != 0 {
		t.Errorf("%d places taken after all are closed", len(l.free))
	}
	_ = l.Close()
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
}
