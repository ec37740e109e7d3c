package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jetseek/jetseek/subjects"
)

// Sizes of a plan.
const (
	planLength   = 45 * time.Second // of the part with faults
	coordinators = 2
	clients      = 5
	hotIDs       = 6 // ids that all clients write
	mostRate     = 0.01
)

// Profiles name the mixture of faults of a plan; a seed's is the seed's remainder.
var profiles = [...]string{"crashes", "partitions", "leases", "deaf", "server"}

// Plan is what a seed makes: a shape, the programs of all clients, and the faults. It is a pure function of the seed.
type Plan struct {
	Seed    uint64
	Profile string
	Groups  int
	Members int // of each group
	Rates   map[string]float64
	Clients [][]Step
	Faults  []Fault
}

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

// FaultKind is what goes wrong.
type FaultKind uint8

// The kinds of faults.
const (
	Crash   FaultKind = iota + 1 // the process ends without a word, and starts again on its folder
	Hang                         // the process does nothing for a while; its clocks, or one of them, go on
	Cut                          // directions of its connections are silent
	Slow                         // its connections take a while
	Break                        // its connections break and are refused
	Lag                          // the member applies nothing
	Drag                         // the member applies slowly
	Ponder                       // some answers wait between taking their snapshot and looking at the lease
	Jump                         // the wall clock is stepped
	Restart                      // of the NATS server
)

func (k FaultKind) String() string {
	return [...]string{"?", "crash", "hang", "cut", "slow", "break", "lag", "drag", "ponder", "jump", "restart"}[k]
}

// Fault is one thing that goes wrong, with its end.
type Fault struct {
	Kind   FaultKind
	At     time.Duration
	For    time.Duration
	Target string // g0/n1: a member, c0: a coordinator; "": the server
	// Of cuts, slow links and breaks: which connections.
	Requests, Log bool
	In, Out       bool          // of a cut
	By            time.Duration // of slow links and jumps; hang: how much later than the rest the member's apply loop wakes
	Mono, Wall    bool          // hang: which clock stands still meanwhile, at most one
}

func (f Fault) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%6.2f s for %5.2f s: %s %s", f.At.Seconds(), f.For.Seconds(), f.Kind, f.Target)
	for _, word := range []struct {
		on   bool
		name string
	}{{f.Requests, "requests"}, {f.Log, "log"}, {f.In, "in"}, {f.Out, "out"}, {f.Mono, "mono stands"}, {f.Wall, "wall stands"}} {
		if word.on {
			b.WriteString(" " + word.name)
		}
	}
	if f.By != 0 {
		fmt.Fprintf(&b, " by %s", f.By)
	}
	return b.String()
}

// planner makes a plan.
type planner struct {
	*rand.Rand
	plan Plan
}

// MakePlan makes the plan of a seed.
func MakePlan(seed uint64) *Plan {
	p := &planner{Rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}
	p.plan = Plan{Seed: seed, Profile: profiles[seed%uint64(len(profiles))], Groups: p.pick(50, 30, 20) + 1, Members: p.pick(20, 60, 20) + 1, Rates: map[string]float64{}}
	for _, id := range p.plan.memberIDs() {
		p.plan.Rates[id] = 1 + mostRate*(2*p.Float64()-1)
	}
	for c := range clients {
		p.plan.Clients = append(p.plan.Clients, p.program(c))
	}
	p.faults()
	slices.SortStableFunc(p.plan.Faults, func(a, b Fault) int { return int(a.At - b.At) })
	return &p.plan
}

func (p *Plan) memberIDs() []string {
	var ids []string
	for g := range p.Groups {
		for n := range p.Members {
			ids = append(ids, subjects.MemberID(fmt.Sprintf("g%d", g), fmt.Sprintf("n%d", n+1)))
		}
	}
	return ids
}

func (p *Plan) coordinatorIDs() []string {
	ids := make([]string, coordinators)
	for i := range ids {
		ids[i] = fmt.Sprintf("c%d", i)
	}
	return ids
}

// pick gives an index by weight.
func (p *planner) pick(weights ...int) int {
	total := 0
	for _, w := range weights {
		total += w
	}
	n := p.IntN(total)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	panic("weights changed")
}

// between gives a duration.
func (p *planner) between(from, to time.Duration) time.Duration {
	return from + time.Duration(p.Int64N(int64(to-from)))
}

// program makes what one client does: it stops at the plan's length, whatever is left.
func (p *planner) program(client int) []Step {
	var steps []Step
	own := 0
	id := func() string {
		switch p.pick(45, 35, 20) {
		case 0:
			return fmt.Sprintf("h%d", p.IntN(hotIDs))
		case 1:
			own++
		}
		return fmt.Sprintf("d%d-%d", client, max(0, own-p.IntN(3)))
	}
	for range 400 {
		s := Step{Pause: p.between(10*time.Millisecond, 400*time.Millisecond), ID: id(), Wait: "applied"}
		s.Kind = []StepKind{StepPut, StepReplace, StepDelete, StepBulk, StepGet, StepSearch, StepSession}[p.pick(34, 8, 16, 6, 16, 10, 10)]
		switch s.Kind {
		case StepDelete:
			s.Timeout = []time.Duration{2 * time.Second, 20 * time.Second}[p.pick(20, 80)]
		case StepPut, StepReplace, StepBulk:
			s.Timeout = []time.Duration{500 * time.Millisecond, 2 * time.Second, 5 * time.Second, 18 * time.Second}[p.pick(20, 40, 30, 10)]
			s.Wait = []string{"applied", "durable"}[p.pick(75, 25)]
		}
		if s.Kind == StepBulk {
			for range 1 + p.IntN(5) {
				s.More = append(s.More, []string{"", "-"}[p.pick(80, 20)]+id())
			}
			slices.SortFunc(s.More, func(a, b string) int { return strings.Compare(strings.TrimPrefix(a, "-"), strings.TrimPrefix(b, "-")) })
			s.More = slices.CompactFunc(s.More, func(a, b string) bool { return strings.TrimPrefix(a, "-") == strings.TrimPrefix(b, "-") })
			s.More = slices.DeleteFunc(s.More, func(more string) bool { return strings.TrimPrefix(more, "-") == s.ID })
		}
		steps = append(steps, s)
	}
	return steps
}
