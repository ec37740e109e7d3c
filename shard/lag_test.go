package shard

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine"
)

func TestLagIsTheAgeOfWhatIsNotApplied(t *testing.T) {
	begin := time.Unix(1000, 0)
	l := lag{most: 5 * time.Second}
	for _, step := range []struct {
		second        int
		applied, head uint64
		behind        bool
	}{
		{0, 10, 10, false}, {60, 10, 10, false}, // idle
		{61, 10, 90, false}, {66, 20, 99, false}, // 90 is known since 61, looked at before
		{67, 80, 120, true}, {70, 90, 150, true}, // reached, but not in time; 150 is next
		{74, 150, 160, true},  // in 4 s
		{76, 160, 170, false}, // in 2 s
		{81, 165, 180, false}, {82, 169, 190, true},
	} {
		if got := l.look(begin.Add(time.Duration(step.second)*time.Second), step.applied, step.head); got != step.behind {
			t.Errorf("at %d s: behind %v, want %v", step.second, got, step.behind)
		}
	}
}

// A member whose apply loop does not keep pace leaves rotation with the reason, and returns without a restart when it does; the other one serves all the time, and both end alike.
func TestSlowMemberLeavesAndReturns(t *testing.T) {
	tr := newTroupe(t, "n1", "n2")
	tr.put(tr.log, 0, 20)
	slow := tr.members["n2"]
	open := make(chan struct{})
	lift := sync.OnceFunc(func() { close(open) })
	t.Cleanup(lift)
	hold := func([]engine.Message) { <-open }
	slow.alter.Store(&hold)
	began := time.Now()
	seq := tr.put(tr.log, 20, 120)
	if reason := tr.leaves(slow, began); !strings.HasPrefix(reason, "behind: ") {
		t.Errorf("it left for %q", reason)
	}
	if n := len(slow.follower.tail); n > tailMessages || slow.follower.held.Load() > tailBytes {
		t.Errorf("%d messages of %d bytes wait", n, slow.follower.held.Load())
	}
	lift()
	tr.agree(seq)
	if reason := tr.members["n1"].wasFenced(); reason != "" {
		t.Errorf("the other one left rotation: %s", reason)
	}
}
