package bridge

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/embedded/natstest"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := io.WriteString(z, text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestCompressedBodies(t *testing.T) {
	d := openDoor(t, natstest.MaxPayload(100_000))
	query := `{"query":"` + strings.Repeat("red green blue ", 1000) + `"}`
	for name, body := range map[string]string{"a query": query, "one repeated": strings.Repeat(" ", 60_000), "nothing": "", "gzip in gzip, which is not undone twice": gzipped(t, query)} {
		if got := d.call("POST", "/search", gzipped(t, body), "Content-Encoding", "GZIP"); got.status != 200 {
			t.Errorf("%s: %d %s", name, got.status, got.body)
			continue
		}
		if m := <-d.asked; string(m.Data) != body {
			t.Errorf("%s: the coordinator was asked %.80q", name, m.Data)
		}
	}
	// A block of a compressed body that holds nothing: a body of them is large to send and gives no byte.
	empty := "\x00\x00\x00\xff\xff"
	whole, head := gzipped(t, query), gzipped(t, "")[:10]
	for _, c := range []struct {
		name, encoding, body string
		status               int
		word                 string
	}{
		{"no gzip", "gzip", query, 400, "decompress"},
		{"no body", "gzip", "", 400, "decompress"},
		{"cut off", "gzip", whole[:40], 400, "whole"},
		{"another checksum", "gzip", whole[:len(whole)-8] + "xxxx" + whole[len(whole)-4:], 400, "checksum"},
		{"bytes behind it", "gzip", whole + "x", 400, "behind"},
		{"two of them", "gzip", whole + whole, 400, "behind"},
		{"two layers", "gzip, gzip", gzipped(t, whole), 400, "once"},
		{"another encoding", "br", query, 400, "br"},
		{"more than a message takes", "gzip", gzipped(t, strings.Repeat(query, 10)), 413, ""},
		{"blocks of nothing without end", "gzip", head + strings.Repeat(empty, 60_000), 413, "max_payload"},
	} {
		got := d.call("POST", "/search", c.body, "Content-Encoding", c.encoding)
		if got.status != c.status || !strings.Contains(got.body, c.word) {
			t.Errorf("%s: %d %s, want %d about %q", c.name, got.status, got.body, c.status, c.word)
		}
	}
	d.notAsked("refused bodies")
}

// A bomb is refused after the first of what it would become, and costs no more memory than that.
func TestDecompressionBomb(t *testing.T) {
	d := openDoor(t)
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	zeros := make([]byte, 1<<20)
	for range 32 {
		if _, err := z.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	bomb := b.String()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 10 {
		got := d.call("POST", "/index", bomb, "Content-Encoding", "gzip")
		if got.status != 413 || got.code() != "too_large" || !strings.Contains(got.body, "100 times") {
			t.Errorf("%d %s", got.status, got.body)
		}
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
		t.Errorf("ten bombs of 32 MiB took %d MiB", grown>>20)
	}
	d.notAsked("bombs")
}

func TestCompressedReplies(t *testing.T) {
	d := openDoor(t)
	long := `{"hits":["` + strings.Repeat("red ", 1000) + `"]}`
	for _, c := range []struct {
		accept, reply string
		compressed    bool
	}{
		{"gzip", long, true},
		{"br;q=1.0, GZIP;q=0.5", long, true},
		{"*", long, true},
		{"gzip;q=0", long, false},
		{"gzip;q=0, *", long, false},
		{"gzip;q=x", long, false},
		{"br", long, false},
		{"", long, false},
		{"gzip", "{}", false},
	} {
		d.reply = success("200", c.reply)
		got := d.call("GET", "/search", "", "Accept-Encoding", c.accept)
		text := got.body
		if got.header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(strings.NewReader(got.body))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			text = string(plain)
		}
		if text != c.reply+"\n" || (text != got.body) != c.compressed || got.header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("Accept-Encoding %q: %d, %v, %.60q", c.accept, got.status, got.header, text)
		}
	}
	var sent int
	for _, accept := range []string{"gzip", "identity"} {
		d.reply = success("200", long)
		got := d.raw(fmt.Sprintf("HEAD /search HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAccept-Encoding: %s\r\n\r\n", accept))
		_, body, _ := strings.Cut(got, "\n\n")
		sent += len(body)
	}
	if sent > 0 {
		t.Errorf("a HEAD got %d bytes of body", sent)
	}
}
