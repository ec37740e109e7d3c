package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// segmentFile writes the segment that the engine's example of the format describes, and gives its path.
func segmentFile(t *testing.T) string {
	t.Helper()
	example, err := os.ReadFile(filepath.Join("..", "..", "engine", "internal", "segment", "testdata", "tiny.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for line := range strings.Lines(string(example)) {
		var off int
		if n, _ := fmt.Sscanf(line, "%d", &off); n != 1 {
			continue // a title
		}
		b, err := hex.DecodeString(strings.TrimSpace(line[19:min(len(line), 46)]))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	path := filepath.Join(t.TempDir(), "0000000000000001.segment")
	if err := os.WriteFile(path, all, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func segmentCommandSays(t *testing.T, args ...string) (out, err string, code int) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = program{stdout: &stdout, stderr: &stderr}.run(t.Context(), append([]string{"jetseek", "segment"}, args...))
	return stdout.String(), stderr.String(), code
}

func TestSegmentDump(t *testing.T) {
	path := segmentFile(t)
	out, _, code := segmentCommandSays(t, "dump", path)
	if code != 0 || !strings.Contains(out, "4a535347                  magic\n") || !strings.Contains(out, `document 1: "k2"`) {
		t.Errorf("exit code %d:\n%s", code, out)
	}
	out, _, code = segmentCommandSays(t, "dump", path, "--section", "22", "--field", "title", "--term", "red")
	if want := "010002                      tail: documents 0 1; frequencies 1 2\n"; code != 0 || !strings.Contains(out, want) || strings.Count(out, "\n") != 4 {
		t.Errorf("exit code %d, narrowed:\n%s", code, out)
	}
	if _, err, code := segmentCommandSays(t, "dump", path, "--field", "nothing"); code != 1 || !strings.Contains(err, `"title"`) {
		t.Errorf("exit code %d, an unknown field: %s", code, err)
	}
	if _, err, code := segmentCommandSays(t, "dump", filepath.Dir(path)); code != 1 || !strings.Contains(err, "is a folder or a device") {
		t.Errorf("exit code %d, a folder: %s", code, err)
	}
	if _, err, code := segmentCommandSays(t, "dump"); code != 2 || !strings.Contains(err, "takes one file") {
		t.Errorf("exit code %d, no file: %s", code, err)
	}
}

func TestSegmentVerify(t *testing.T) {
	path := segmentFile(t)
	if out, err, code := segmentCommandSays(t, "verify", path); code != 0 || !strings.HasSuffix(out, ": everything holds\n") {
		t.Errorf("exit code %d: %s%s", code, out, err)
	}
	if out, _, code := segmentCommandSays(t, "verify", filepath.Dir(path)); code != 1 || !strings.Contains(out, "manifest: there is none, and 1 segments") {
		t.Errorf("exit code %d of a folder without a manifest: %s", code, out)
	}
	if out, err, code := segmentCommandSays(t, "verify", t.TempDir()); code != 0 || !strings.Contains(out, ": note: the folder is empty") {
		t.Errorf("exit code %d of an empty folder: %s%s", code, out, err)
	}
	if _, err, code := segmentCommandSays(t, "verify", "testdata"); code != 1 || !strings.Contains(err, "no folder of an index") {
		t.Errorf("exit code %d of a folder of other things: %s", code, err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[352] ^= 1 // the positions of red, in the last document
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	out, stderr, code := segmentCommandSays(t, "verify", path)
	if want := `section positions, field "title", `; code != 1 || !strings.Contains(out, want) || !strings.Contains(stderr, "faults found: 2") {
		t.Errorf("exit code %d: %s%s", code, out, stderr)
	}
	if _, err, code := segmentCommandSays(t, "verify", path+".none"); code != 1 || !strings.Contains(err, "no such file") {
		t.Errorf("exit code %d, no file: %s", code, err)
	}
}
