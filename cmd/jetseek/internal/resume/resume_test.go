package resume

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

// abc is the digest of "abc", from FIPS 180-2, appendix B.1.
const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

func TestTrail(t *testing.T) {
	trail := NewTrail(iotest.OneByteReader(strings.NewReader("abcdef")))
	if _, err := io.ReadAll(trail); err != nil {
		t.Fatal(err)
	}
	trail.Advance(1)
	trail.Advance(3)
	if got, want := trail.Place(2), (Place{Documents: 2, End: 3, SHA256: abc}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestStateIsKeptAndForgotten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "not", "yet")
	key := Key{File: "/a", Collection: "books", Target: "http://127.0.0.1:1"}
	s := Open(folder, key)
	s.Run = "r1"
	if p, ok := s.Load(); ok {
		t.Errorf("before the first: %+v", p)
	}
	for _, want := range []Place{{2, 3, abc}, {500, 70_000, abc}} {
		if err := s.Save(want); err != nil {
			t.Fatal(err)
		}
		back := Open(folder, key)
		if got, ok := back.Load(); !ok || got != want || back.Run != "r1" {
			t.Errorf("%+v of run %q, %t, want %+v", got, back.Run, ok, want)
		}
	}
	for range 2 {
		if err := s.Remove(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

// A state is another one for every part of its key, and none that was not written whole for its key is believed.
func TestForeignAndTornStates(t *testing.T) {
	folder := t.TempDir()
	key := Key{File: "/a", Collection: "b", Target: "c"}
	s := Open(folder, key)
	s.Run = "r1"
	if err := s.Save(Place{2, 3, abc}); err != nil {
		t.Fatal(err)
	}
	for _, other := range []Key{{"/b", "b", "c"}, {"/a", "c", "c"}, {"/a", "b", "d"}, {"/ab", "", "c"}} {
		o := Open(folder, other)
		if p, ok := o.Load(); ok {
			t.Errorf("%+v has the place %+v", other, p)
		}
		if err := os.Link(s.path, o.path); err != nil {
			t.Fatal(err)
		}
		if p, ok := o.Load(); ok {
			t.Errorf("%+v takes the place of another: %+v", other, p)
		}
	}
	whole, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	for end := range len(whole) - 1 { // the last byte is the end of the line
		if err := os.WriteFile(s.path, whole[:end], 0o600); err != nil {
			t.Fatal(err)
		}
		if p, ok := s.Load(); ok {
			t.Errorf("torn after %d bytes: %+v", end, p)
		}
	}
	for _, wrong := range []string{strings.Repeat(" ", mostState) + string(whole), strings.Replace(string(whole), `"documents":2`, `"documents":-2`, 1),
		strings.Replace(string(whole), `"end"`, `"ende"`, 1)} {
		if err := os.WriteFile(s.path, []byte(wrong), 0o600); err != nil {
			t.Fatal(err)
		}
		if p, ok := s.Load(); ok {
			t.Errorf("%.80s: %+v", wrong, p)
		}
	}
}

func TestFolder(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	for state, want := range map[string]string{"": "/home/ann/.local/state/jetseek/index", "relative": "/home/ann/.local/state/jetseek/index", "/var/s": "/var/s/jetseek/index"} {
		got, err := Folder(func(string) string { return state })
		if err != nil || got != want {
			t.Errorf("%q: %s, %v", state, got, err)
		}
	}
}
