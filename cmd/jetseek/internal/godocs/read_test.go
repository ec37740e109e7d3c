package godocs

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// tree writes a small Go tree.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

var small = map[string]string{
	"src/net/wire/wire.go": `// Package wire sends things.
package wire

// Sizes of things.
const (
	Small = 1 // the least
	Big   = 2
	tiny  = 0
)

// ErrLost is for the lost.
var ErrLost, errFound = error(nil), error(nil)

// Conn is a connection.
type Conn[T any] struct {
	Name string
	n    int
}

// Dial opens one.
func Dial[T any](to string) (*Conn[T], error) { return nil, nil }

// SendAll sends
// everything.
func (c *Conn[T]) SendAll(v ...T) error { return nil }

func (c *Conn[T]) hidden() {}

// ReadHTTPBody reads.
func ReadHTTPBody() {}
`,
	"src/net/wire/other_plan9.go":        "package wire\n\n// Plan9 is elsewhere.\nfunc Plan9() {}\n",
	"src/net/wire/tagged.go":             "//go:build arm64 && linux\n\npackage wire\n\n// Arm is for arms.\nfunc Arm() {}\n",
	"src/net/wire/wire_test.go":          "package wire\n\n// Helper helps.\nfunc Helper() {}\n",
	"src/net/wire/internal/deep/deep.go": "package deep\n\nfunc Exported() {}\n",
	"src/internal/abi/abi.go":            "package abi\n\nfunc Exported() {}\n",
	"src/cmd/tool/tool.go":               "package main\n\nfunc Exported() {}\n",
	"src/vendor/x/x.go":                  "package x\n\nfunc Exported() {}\n",
	"src/net/testdata/t.go":              "package t\n\nfunc Exported() {}\n",
	"src/net/run.go":                     "//go:build ignore\n\npackage main\n\nfunc Exported() {}\n",
	"src/builtin/builtin.go":             "// Package builtin is predeclared.\npackage builtin\n\n// append appends.\nfunc append() {}\n",
	"api/go1.txt":                        "pkg net/wire, const Small = 1\npkg net/wire, func Dial(string)\npkg net/wire (plan9-amd64), func Plan9()\n",
	"api/go1.22.txt":                     "pkg net/wire, method (*Conn[$0]) SendAll(...$0) error #1\npkg net/wire, type Conn[$0 any] struct #1\npkg net/wire (linux-amd64-cgo), var ErrLost error\n",
	"api/except.txt":                     "pkg net/wire, func ReadHTTPBody()\n",
}

func TestReadGivesPackagesAndExportedSymbols(t *testing.T) {
	docs, err := Read(t.Context(), Options{Root: tree(t, small), GOOS: "linux", GOARCH: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	want := []Document{
		{ID: "builtin", Name: "builtin", Symbol: "builtin", Kind: "package", Package: "builtin", Signature: "package builtin",
			Doc: "Package builtin is predeclared.\n", Words: 4, Since: -1},
		{ID: "builtin.append", Name: "builtin append", Symbol: "append", Kind: "func", Package: "builtin", Signature: "func append()",
			Doc: "append appends.\n", Words: 2, Since: -1},
		{ID: "net/wire", Name: "net wire", Symbol: "wire", Kind: "package", Package: "net/wire", Signature: "package wire",
			Doc: "Package wire sends things.\n", Words: 4, Since: 0},
		{ID: "net/wire.Small", Name: "wire Small", Symbol: "Small", Kind: "const", Package: "net/wire", Signature: "const Small = 1",
			Doc: "the least\n\nSizes of things.", Words: 5, Since: 0},
		{ID: "net/wire.Big", Name: "wire Big", Symbol: "Big", Kind: "const", Package: "net/wire", Signature: "const Big = 2",
			Doc: "Sizes of things.", Words: 3, Since: -1},
		{ID: "net/wire.ErrLost", Name: "wire ErrLost Err Lost", Symbol: "ErrLost", Kind: "var", Package: "net/wire",
			Signature: "var ErrLost, _ = error(nil), error(nil)", Doc: "ErrLost is for the lost.", Words: 5, Since: 22},
		{ID: "net/wire.ReadHTTPBody", Name: "wire ReadHTTPBody Read HTTP Body", Symbol: "ReadHTTPBody", Kind: "func", Package: "net/wire",
			Signature: "func ReadHTTPBody()", Doc: "ReadHTTPBody reads.\n", Words: 2, Since: -1},
		{ID: "net/wire.Conn", Name: "wire Conn", Symbol: "Conn", Kind: "type", Package: "net/wire",
			Signature: "type Conn[T any] struct {\n\tName string\n\t// contains filtered or unexported fields\n}", Doc: "Conn is a connection.\n", Words: 4, Since: 22},
		{ID: "net/wire.Dial", Name: "wire Dial", Symbol: "Dial", Kind: "func", Package: "net/wire",
			Signature: "func Dial[T any](to string) (*Conn[T], error)", Doc: "Dial opens one.\n", Words: 3, Since: 0},
		{ID: "net/wire.Conn.SendAll", Name: "wire Conn SendAll Send All", Symbol: "Conn.SendAll", Kind: "method", Package: "net/wire",
			Signature: "func (c *Conn[T]) SendAll(v ...T) error", Doc: "SendAll sends\neverything.\n", Words: 3, Since: 22},
	}
	for i := range max(len(docs), len(want)) {
		switch {
		case i >= len(docs):
			t.Errorf("missing %s", want[i].ID)
		case i >= len(want):
			t.Errorf("too much: %s", docs[i].ID)
		case docs[i] != want[i]:
			t.Errorf("document %d:\n got %#v\nwant %#v", i, docs[i], want[i])
		}
	}
}

func TestReadChoosesFilesByTarget(t *testing.T) {
	root := tree(t, small)
	for _, c := range []struct{ goos, goarch, has, hasNot string }{
		{"plan9", "amd64", "net/wire.Plan9", "net/wire.Arm"},
		{"linux", "arm64", "net/wire.Arm", "net/wire.Plan9"},
	} {
		docs, err := Read(t.Context(), Options{Root: root, GOOS: c.goos, GOARCH: c.goarch})
		if err != nil {
			t.Fatal(err)
		}
		ids := map[string]bool{}
		for _, d := range docs {
			ids[d.ID] = true
		}
		if !ids[c.has] || ids[c.hasNot] {
			t.Errorf("%s/%s: %s %v, %s %v", c.goos, c.goarch, c.has, ids[c.has], c.hasNot, ids[c.hasNot])
		}
	}
}

func TestReadIsTheSameForAnyNumberOfWorkers(t *testing.T) {
	root := tree(t, small)
	first, err := Read(t.Context(), Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	second, err := Read(t.Context(), Options{Root: root})
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Errorf("with one worker %d documents, %v; before %d", len(second), err, len(first))
	}
}

func TestReadNamesWhatIsWrong(t *testing.T) {
	broken := tree(t, map[string]string{"src/a/a.go": "package a\n\nfunc ("})
	for _, c := range []struct{ root, want string }{
		{filepath.Join(broken, "nowhere"), "nowhere"},
		{broken, "package a"},
		{tree(t, map[string]string{"src/internal/a.go": "package a"}), "no packages"},
	} {
		if _, err := Read(t.Context(), Options{Root: c.root}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want something about %q", c.root, err, c.want)
		}
	}
}

func TestCamelParts(t *testing.T) {
	for name, want := range map[string]string{
		"ReadAll": "Read All", "HTTPServer": "HTTP Server", "Do": "Do", "AF_INET": "AF INET", "writeFile2": "write File2", "ServeHTTP": "Serve HTTP", "ÄrgerTag": "Ärger Tag",
		"URL": "URL", "_": "",
	} {
		if got := strings.Join(camelParts(name), " "); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// This Go tree itself: what anyone can look up by hand.
func TestReadTheStandardLibrary(t *testing.T) {
	root, err := Root(t.Context())
	if err != nil {
		t.Skip("no Go tree on this machine: ", err)
	}
	docs, err := Read(t.Context(), Options{Root: root, GOOS: "linux", GOARCH: "amd64"})
	if err != nil {
		t.Fatal(err)
	}
	byID := map[string]Document{}
	for _, d := range docs {
		if _, twice := byID[d.ID]; twice {
			t.Errorf("%s stands twice", d.ID)
		}
		byID[d.ID] = d
	}
	for id, kind := range map[string]string{"net/http": "package", "net/http.Client.Do": "method", "io.ReadAll": "func", "math.Pi": "const", "io.EOF": "var",
		"bytes.Buffer": "type", "sync/atomic.Pointer.Load": "method", "builtin.append": "func"} {
		if byID[id].Kind != kind {
			t.Errorf("%s is %q, want %q", id, byID[id].Kind, kind)
		}
	}
	if n := len(docs); n < 10_000 || n > 15_000 {
		t.Errorf("%d documents, want about 11,300", n)
	}
}

func BenchmarkReadTheStandardLibrary(b *testing.B) {
	root, err := Root(b.Context())
	if err != nil {
		b.Skip("no Go tree on this machine: ", err)
	}
	for b.Loop() {
		docs, err := Read(b.Context(), Options{Root: root})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(docs)), "documents")
	}
}
