package sim

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
)

// Variables of the environment that choose the schedules.
const (
	seedsVariable = "JETSEEK_SIM_SEEDS" // how many; default: defaultSeeds
	firstVariable = "JETSEEK_SIM_FIRST" // the first seed; default 1
	partsVariable = "JETSEEK_SIM_PARTS" // processes at a time; default: one a core
	rangeVariable = "JETSEEK_SIM_RANGE" // set in the processes: first-last
)

const (
	// chunk is how many seeds one process plays.
	chunk = 8
	// totalsMark begins the line on which a process tells its totals.
	totalsMark = "TOTALS "
)

// Seeded schedules over the whole system. Each process plays several, one after the other, each in a bubble of its own; a failing one says how to play it again.
func TestSchedules(t *testing.T) {
	if seeds := os.Getenv(rangeVariable); seeds != "" {
		playRange(t, seeds)
		return
	}
	count, first := number(t, seedsVariable, defaultSeeds), number(t, firstVariable, 1)
	if testing.Short() {
		count = min(count, 10)
	}
	began := time.Now()
	var mu sync.Mutex
	var totals witness.Totals
	places := make(chan struct{}, number(t, partsVariable, runtime.GOMAXPROCS(0)))
	var parts sync.WaitGroup
	for from := first; from < first+count; from += chunk {
		places <- struct{}{}
		parts.Go(func() {
			defer func() { <-places }()
			part, out, err := playApart(t, from, min(from+chunk, first+count)-1)
			mu.Lock()
			defer mu.Unlock()
			totals.Add(part)
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	parts.Wait()
	if totals.Seeds != count && !t.Failed() {
		t.Errorf("%d of %d seeds were played", totals.Seeds, count)
	}
	line, err := json.Marshal(totals)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%s%s in %s", totalsMark, line, time.Since(began).Round(time.Second))
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	v := os.Getenv(variable)
	if v == "" {
		return otherwise
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 {
		t.Fatalf("%s is a whole number from 1, not %q", variable, v)
	}
	return n
}

// playApart plays seeds in a process of their own, and gives what it said when it failed.
func playApart(t *testing.T, from, to int) (witness.Totals, string, error) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSchedules$", "-test.v", "-test.timeout=5m")
	cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d-%d", rangeVariable, from, to), "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	var totals witness.Totals
	var said strings.Builder
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		if text, ok := strings.CutPrefix(lines.Text(), totalsMark); ok {
			var one witness.Totals
			if err := json.Unmarshal([]byte(text), &one); err == nil {
				totals.Add(one)
			}
			continue
		}
		said.WriteString(lines.Text() + "\n")
	}
	if err != nil {
		err = fmt.Errorf("seeds %d to %d: %w", from, to, err)
	}
	return totals, said.String(), err
}

// playRange plays seeds in this process.
func playRange(t *testing.T, seeds string) {
	var first, last uint64
	if _, err := fmt.Sscanf(seeds, "%d-%d", &first, &last); err != nil {
		t.Fatalf("%s=%s: %v", rangeVariable, seeds, err)
	}
	for seed := first; seed <= last && !t.Failed(); seed++ {
		playSeed(t, seed)
		emptyTimers()
	}
}

// emptyTimers lets the next bubble of this process begin without the timers of the last one, in a pool that nats.go keeps for a process: two collections empty it.
func emptyTimers() {
	runtime.GC()
	runtime.GC()
}

func playSeed(t *testing.T, seed uint64) {
	t.Run(fmt.Sprint(seed), func(t *testing.T) {
		fmt.Printf("seed %d\n", seed) // also when the process dies of it
		var run *Run
		began := time.Now()
		synctest.Test(t, func(t *testing.T) {
			var err error
			if run, err = Play(t, MakePlan(seed)); err != nil {
				t.Errorf("seed %d: %v; play it again: %s", seed, err, again(seed))
			}
		})
		played := time.Since(began)
		if t.Failed() || run == nil {
			return
		}
		found, totals := witness.Judge(run.Evidence, run.Plan.poison())
		found = append(CheckAuditors(run), found...)
		if os.Getenv("JETSEEK_SIM_VERBOSE") != "" {
			fmt.Printf("seed %d %s %dx%d: %+v, played in %s, judged in %s\n", seed, run.Plan.Profile, run.Plan.Groups, run.Plan.Members, totals, played, time.Since(began)-played)
		}
		line, err := json.Marshal(totals)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Printf("%s%s\n", totalsMark, line)
		if len(found) > 0 {
			t.Errorf("%s\nplay it again: %s", Report(run, found), again(seed))
		}
	})
}

// again is the command that plays one seed.
func again(seed uint64) string {
	return fmt.Sprintf("%s=%d %s=1 go test -run 'TestSchedules$' -v ./embedded/sim", firstVariable, seed, seedsVariable)
}
