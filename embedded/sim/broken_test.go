package sim

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"
)

// brokenVariable lets the systems run that are broken on purpose; each is a build of its own, so they take minutes.
const brokenVariable = "JETSEEK_SIM_BROKEN"

// stale are the checkers of which one sees what a member serves that may not: those of answers, and the system's own auditors.
var stale = []string{"deletes", "registers", "coverage", "auditors"}

// broken are the systems that are broken on purpose, by build tag. Each must be seen within so many seeds, by one of these checkers.
var broken = []struct {
	tag      string
	checkers []string
	seeds    int
	what     string
}{
	{"broken_b", stale, 100, "a member does not look at its lease's place in the log"},
	{"broken_c", stale, 600, "a coordinator takes clocks to run alike, and they differ by 5 %"},
	{"broken_d", stale, 300, "a member looks at its monotonic clock alone"},
	{"broken_f", stale, 300, "a member counts its lease from the acknowledgement"},
	{"broken_g", stale, 50, "a member is not fenced"},
	{"broken_g", []string{"auditors"}, 100, "a member is not fenced, and the system's own auditors see it"},
	{"broken_h", stale, 300, "a member looks at what it has applied instead of the snapshot"},
	{"broken_i", stale, 100, "a member tries a lease again under the same message id"},
	{"broken_newest", stale, 300, "a coordinator waits from the newest lease that it happens to know"},
	{"broken_evict", stale, 100, "a coordinator takes leases out of the table that have not run out"},
	{"broken_rest", stale, 100, "an idle member serves on under the leases that it has given back"},
	{"broken_ack", []string{"acknowledged"}, 50, "a coordinator acknowledges before the log does"},
	{"broken_partial", []string{"coverage"}, 20, "a coordinator does not say that a group is missing"},
	{"broken_session", []string{"sessions"}, 100, "a coordinator does not pass min_seq on"},
	{"broken_back", stale, 200, "a member serves under leases of before its index went back"},
	{"broken_wait", []string{"quarantine", "acknowledged", "registers"}, 200, "a member sets aside what others may yet apply"},
	{"broken_skip", []string{"acknowledged", "digests", "coverage"}, 100, "a member leaves out one operation in 10,000"},
}

// A checker that finds nothing proves nothing: each is shown a system that is broken on purpose.
func TestBrokenSystemsAreCaught(t *testing.T) {
	if os.Getenv(brokenVariable) == "" {
		t.Skipf("builds a system for each of %d build tags: set %s=1", len(broken), brokenVariable)
	}
	for _, b := range broken {
		t.Run(b.tag+"/"+b.checkers[0], func(t *testing.T) {
			t.Parallel() // each plays on one processor
			binary := filepath.Join(t.TempDir(), b.tag+".test")
			if out, err := exec.CommandContext(t.Context(), "go", "test", "-tags", b.tag, "-c", "-o", binary, ".").CombinedOutput(); err != nil {
				t.Fatalf("build: %v\n%s", err, out)
			}
			began := time.Now()
			for next := 1; next <= b.seeds; { // another checker may see it first
				seed, report := playBroken(t, binary, next, b.seeds)
				if seed == 0 {
					break
				}
				next = seed + 1
				names := checkersIn(report)
				line := violationLine.FindString(report)
				if slices.ContainsFunc(b.checkers, func(c string) bool { return slices.Contains(names, c) }) {
					t.Logf("%s: caught at seed %d, after %s, by %v:\n%s", b.what, seed, time.Since(began).Round(time.Second), names, line)
					return
				}
				t.Logf("%s: seed %d shows it to %v:\n%s", b.what, seed, names, line)
			}
			t.Fatalf("%s: %d seeds did not show it to the checkers %v", b.what, b.seeds, b.checkers)
		})
	}
}

// playBroken plays seeds up to the first that is judged to be wrong, and gives that, 0 when none is, and what was said of it.
func playBroken(t *testing.T, binary string, first, last int) (seed int, report string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), binary, "-test.run=^TestSchedules$", "-test.v", "-test.timeout=30m")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d-%d", rangeVariable, first, last), "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		return 0, ""
	}
	m := wrongSeed.FindSubmatch(out)
	if m == nil {
		t.Fatalf("seeds %d to %d are not played to the end: %v\n%s", first, last, err, out)
	}
	seed, err = strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return seed, string(out)
}

var wrongSeed = regexp.MustCompile(`seed (\d+) \(.*\): \d+ violations`)

var violationLine = regexp.MustCompile(`(?m)^ +(acknowledged|deletes|registers|sessions|coverage|digests|quarantine|auditors): .*`)

// checkersIn gives the checkers that a report names.
func checkersIn(report string) []string {
	var names []string
	for _, m := range violationLine.FindAllStringSubmatch(report, -1) {
		if len(names) == 0 || names[len(names)-1] != m[1] {
			names = append(names, m[1])
		}
	}
	return names
}
