package godocs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// sinceTable holds the Go 1 minor version that brought each package and symbol, by document id.
type sinceTable map[string]int

// readSince reads the lists of API additions that come with a Go tree, api/go1.txt and api/go1.N.txt. A tree without them gives an empty table.
func readSince(dir, target string) (sinceTable, error) {
	since := sinceTable{}
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return since, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the API lists: %w", err)
	}
	for _, f := range files {
		minor, ok := apiVersion(f.Name())
		if !ok {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, f.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the API lists: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			since.note(line, target, minor)
		}
	}
	return since, nil
}

// apiVersion reads go1.txt as 0 and go1.22.txt as 22.
func apiVersion(name string) (int, bool) {
	rest, ok := strings.CutSuffix(name, ".txt")
	if !ok {
		return 0, false
	}
	if rest == "go1" {
		return 0, true
	}
	if rest, ok = strings.CutPrefix(rest, "go1."); !ok {
		return 0, false
	}
	minor, err := strconv.Atoi(rest)
	return minor, err == nil
}

// note takes one line, as in "pkg net/http, method (*Client) Do(*Request) (*Response, error)" or "pkg syscall (linux-amd64), const AF_INET = 2".
func (since sinceTable) note(line, target string, minor int) {
	where, what, ok := strings.Cut(strings.TrimSpace(line), ", ")
	path, isPkg := strings.CutPrefix(where, "pkg ")
	if !ok || !isPkg {
		return
	}
	if p, platform, ok := strings.Cut(path, " ("); ok {
		platform = strings.TrimSuffix(strings.TrimSuffix(platform, ")"), "-cgo")
		if platform != target {
			return
		}
		path = p
	}
	kind, rest, _ := strings.Cut(what, " ")
	var symbol string
	switch kind {
	case "func", "type", "const", "var":
		symbol = leadingName(rest)
	case "method":
		recv, name, ok := strings.Cut(strings.TrimPrefix(rest, "("), ") ")
		if !ok {
			return
		}
		symbol = leadingName(strings.TrimPrefix(recv, "*")) + "." + leadingName(name)
	default:
		return
	}
	for _, id := range [2]string{path, path + "." + symbol} {
		if old, ok := since[id]; !ok || minor < old {
			since[id] = minor
		}
	}
}

// leadingName cuts s behind its first identifier.
func leadingName(s string) string {
	if i := strings.IndexAny(s, " ([{,"); i >= 0 {
		return s[:i]
	}
	return s
}

// of gives N of the Go 1.N that brought a document's subject, or -1.
func (since sinceTable) of(d *Document) int {
	if minor, ok := since[d.ID]; ok {
		return minor
	}
	return -1
}
