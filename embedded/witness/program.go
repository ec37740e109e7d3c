package witness

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

const (
	hotIDs       = 6   // ids that all clients write
	programSteps = 400 // of a client
)

// StepKind is what a client does in a step.
type StepKind uint8

// The kinds of steps.
const (
	StepPut     StepKind = iota + 1
	StepReplace          // a put that names the version which the client last saw, if it saw one
	StepDelete
	StepBulk
	StepGet
	StepSearch
	StepSession // a search that asks for all that the client has written and seen
)

// Step is one operation of a client's program.
type Step struct {
	Pause   time.Duration // before it
	Kind    StepKind
	ID      string
	More    []string // of a bulk: the ids after the first; those that begin with - are deleted
	Wait    string   // applied or durable
	Timeout time.Duration
}

// Chance makes the choices of plans.
type Chance struct{ *rand.Rand }

// Pick gives an index by weight.
func (c Chance) Pick(weights ...int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	n := c.IntN(total)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	panic("weights changed")
}

// Between gives a duration, from included.
func (c Chance) Between(from, to time.Duration) time.Duration {
	return from + time.Duration(c.Int64N(int64(to-from)))
}

// MakeProgram makes what one client does. It is more than a run takes: a run ends, whatever is left.
func MakeProgram(c Chance, client int) []Step {
	var steps []Step
	own := 0
	id := func() string {
		switch c.Pick(45, 35, 20) {
		case 0:
			return fmt.Sprintf("h%d", c.IntN(hotIDs))
		case 1:
			own++
		}
		return fmt.Sprintf("d%d-%d", client, max(0, own-c.IntN(3)))
	}
	for range programSteps {
		s := Step{Pause: c.Between(10*time.Millisecond, 400*time.Millisecond), ID: id(), Wait: "applied"}
		s.Kind = []StepKind{StepPut, StepReplace, StepDelete, StepBulk, StepGet, StepSearch, StepSession}[c.Pick(34, 8, 16, 6, 16, 10, 10)]
		switch s.Kind {
		case StepDelete:
			s.Timeout = []time.Duration{2 * time.Second, 20 * time.Second}[c.Pick(20, 80)]
		case StepPut, StepReplace, StepBulk:
			s.Timeout = []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second, 18 * time.Second}[c.Pick(20, 40, 30, 10)]
			s.Wait = []string{"applied", "durable"}[c.Pick(75, 25)]
		}
		if s.Kind == StepBulk {
			for range 1 + c.IntN(5) {
				s.More = append(s.More, []string{"", "-"}[c.Pick(80, 20)]+id())
			}
			slices.SortFunc(s.More, func(a, b string) int { return strings.Compare(strings.TrimPrefix(a, "-"), strings.TrimPrefix(b, "-")) })
			s.More = slices.CompactFunc(s.More, func(a, b string) bool { return strings.TrimPrefix(a, "-") == strings.TrimPrefix(b, "-") })
			s.More = slices.DeleteFunc(s.More, func(more string) bool { return strings.TrimPrefix(more, "-") == s.ID })
		}
		steps = append(steps, s)
	}
	return steps
}
