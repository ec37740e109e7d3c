//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"testing"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
)

// Short schedules of real processes: killed, stopped, with damaged logs, and without power where file systems may be mounted; scripts/soak process plays longer ones, and the others.
func TestProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("it starts clusters of processes")
	}
	bin, err := build(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		seed    uint64
		profile string
		length  time.Duration
	}{{2, "kill", 6 * time.Second}, {3, "pause", 8 * time.Second}, {4, "damage", 12 * time.Second}, {5, "power", 8 * time.Second}} {
		t.Run(c.profile, func(t *testing.T) {
			plan := MakePlan(c.seed, c.profile, c.length)
			if plan.Disk == forgets {
				needsFileSystems(t)
			}
			totals, figures, err := playSeed(t.Context(), plan, bin, t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			if totals.Acked == 0 || totals.Reads == 0 || totals.Lost != 0 || totals.Served != 0 {
				t.Errorf("%+v", totals)
			}
			t.Logf("%+v; %s", totals, figures)
		})
	}
}

func needsFileSystems(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount file systems")
	}
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		t.Skipf("no ext4 can be made: %v", err)
	}
}

// One seed gives one plan, of every profile, and what it names is there.
func TestPlansAreFunctionsOfTheSeed(t *testing.T) {
	for seed := range uint64(8) {
		for _, profile := range profiles {
			a, b := MakePlan(seed, profile, time.Minute), MakePlan(seed, profile, time.Minute)
			if fmt.Sprint(a.Faults) != fmt.Sprint(b.Faults) || len(a.Faults) == 0 || len(a.Clients) != clients || len(a.Clients[0]) != len(b.Clients[0]) {
				t.Errorf("seed %d, %s: %v and %v", seed, profile, a.Faults, b.Faults)
			}
			known := slices.Concat(a.servers(), a.nodes(), a.coordinators(), []string{leader})
			for _, f := range a.Faults {
				if slices.ContainsFunc(f.Targets, func(name string) bool { return !slices.Contains(known, name) }) || len(f.Targets) == 0 {
					t.Errorf("seed %d, %s: %s is not among %v", seed, profile, f, known)
				}
			}
			if want := 2 * a.Groups; len(a.memberIDs()) != want {
				t.Errorf("seed %d: members %v, want two of each of %d groups", seed, a.memberIDs(), a.Groups)
			}
		}
	}
}

// What a disk of each kind does when its time comes, where file systems may be mounted.
func TestDisks(t *testing.T) {
	needsFileSystems(t)
	t.Run("forgets what was not synced", func(t *testing.T) {
		d := newTestDisk(t, forgets)
		write(t, d, "synced", true)
		write(t, d, "not", false)
		if err := d.forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(d.dir + "/synced"); string(text) != "text" {
			t.Errorf("what was synced is %q: %v", text, err)
		}
		if text, err := os.ReadFile(d.dir + "/not"); len(text) > 0 {
			t.Errorf("what was not synced is %q: %v", text, err)
		}
	})
	t.Run("small becomes full and has room again", func(t *testing.T) {
		d := newTestDisk(t, small)
		if err := d.fill(); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.dir+"/more", make([]byte, 8192), 0o640); err == nil {
			t.Error("a full disk takes more")
		}
		if err := d.free(); err != nil {
			t.Fatal(err)
		}
		write(t, d, "again", true)
	})
}

func newTestDisk(t *testing.T, kind diskKind) *disk {
	t.Helper()
	d, err := newDisk(t.Context(), kind, t.TempDir(), "x")
	if err != nil {
		t.Skipf("no file system can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := d.close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return d
}

func write(t *testing.T, d *disk, name string, sync bool) {
	t.Helper()
	f, err := os.Create(d.dir + "/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString("text"); err != nil {
		t.Fatal(err)
	}
	if sync {
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
	}
}

// Figures are of a history that was made by hand.
func TestFigures(t *testing.T) {
	s := time.Second
	event := func(kind witness.Kind, result witness.Result, start, end time.Duration) witness.Event {
		return witness.Event{Kind: kind, Result: result, Start: start, End: end, Visible: true}
	}
	run := &Run{Heal: 5 * s, Evidence: &witness.Evidence{History: witness.History{
		event(witness.Put, witness.OK, 0, s), event(witness.Get, witness.OK, s, 2*s), event(witness.Put, witness.Unknown, 2*s, 3*s),
		event(witness.Search, witness.Failed, 3*s, 4*s), event(witness.Delete, witness.OK, 4*s, 7*s), event(witness.Get, witness.OK, 8*s, 9*s),
	}}}
	want := Figures{Heal: 5 * s, WriteGap: 6 * s, ReadGap: 7 * s, Reads: 3, FailedReads: 1, Failure: run.History[3].String(), Deletes: 1, Delete: 3 * s}
	if got := figures(run); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
