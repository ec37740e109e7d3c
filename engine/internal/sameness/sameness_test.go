package sameness

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/cpu"
)

// want gives the hash that all must have: that of this process with one segment.
func want(t *testing.T) string {
	t.Helper()
	r, err := Run(context.Background(), Layouts()[0])
	if err != nil {
		t.Fatal(err)
	}
	if r.Segments != 1 {
		t.Fatalf("%d segments, want 1", r.Segments)
	}
	return r.Hash
}

func TestLayoutsAnswerAlike(t *testing.T) {
	want := want(t)
	segments := map[string]int{}
	for _, l := range Layouts()[1:] {
		r, err := Run(context.Background(), l)
		if err != nil {
			t.Fatal(err)
		}
		if r.Hash != want {
			t.Errorf("%s: answers hash to %s, those of one segment to %s", l.Name, r.Hash, want)
		}
		segments[l.Name] = r.Segments
	}
	if n := segments["twenty segments"]; n != 20 {
		t.Errorf("%d segments, want 20", n)
	}
	if n := segments["twenty segments, then merged"]; n >= 20 {
		t.Errorf("%d segments after all due merges", n)
	}
}

// TestCompilersAnswerAlike builds a program for processors of several levels and compares its answers with this process': where a compiler may fuse a
// product and a sum, or chooses other instructions, scores must not show it.
func TestCompilersAnswerAlike(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: it builds the program once for each processor level, which takes up to a minute; the layouts above are compared all the same")
	}
	settings := []struct {
		name, env string
		runs      bool
	}{
		{"amd64, v1", "GOAMD64=v1", runtime.GOARCH == "amd64"},
		{"amd64, v3", "GOAMD64=v3", runtime.GOARCH == "amd64" && cpu.X86.HasAVX2 && cpu.X86.HasFMA && cpu.X86.HasBMI1 && cpu.X86.HasBMI2},
	}
	want := want(t)
	for _, s := range settings {
		t.Run(s.name, func(t *testing.T) {
			if !s.runs {
				t.Skipf("this machine, %s, does not run it", runtime.GOARCH)
			}
			t.Parallel()
			program := filepath.Join(t.TempDir(), "answers")
			build := exec.Command("go", "build", "-o", program, "./testdata/answers")
			build.Env = append(os.Environ(), s.env)
			if out, err := build.CombinedOutput(); err != nil {
				t.Fatalf("build: %v\n%s", err, out)
			}
			out, err := exec.Command(program).Output()
			if err != nil {
				t.Fatalf("run: %v", err)
			}
			hashes := strings.Fields(string(out))
			if len(hashes) != len(Layouts()) {
				t.Fatalf("%d hashes, want %d", len(hashes), len(Layouts()))
			}
			for i, h := range hashes {
				if h != want {
					t.Errorf("%s: answers hash to %s, want %s", Layouts()[i].Name, h, want)
				}
			}
		})
	}
}

// TestQueriesFindSomething looks at what the queries find: most find something, and many more than they show.
func TestQueriesFindSomething(t *testing.T) {
	x, err := Layouts()[0].index(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	s := x.Snapshot()
	defer s.Close()
	c, found, more := chance(2), 0, 0
	for n := range Queries {
		r := c.request(n)
		res, err := ask(context.Background(), s, r)
		if err != nil {
			t.Fatal(err)
		}
		if res.Total > 0 {
			found++
		}
		if res.Total > uint64(r.Limit) {
			more++
		}
	}
	if found < Queries*3/4 || more < Queries/4 {
		t.Errorf("%d of %d queries find something, %d more than they show", found, Queries, more)
	}
}
