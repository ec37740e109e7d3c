package sim

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
	"github.com/jetseek/jetseek/subjects"
)

// Sizes of a plan.
const (
	planLength   = 45 * time.Second // of the part with faults
	coordinators = 2
	clients      = 5
	flushAge     = 4 * time.Second // of members: so that a run has many flushes
	poisonIn     = 60              // of a plan with poison: puts for one that nobody can apply
	falterIn     = 12              // of a member that falters: operations for one at which it panics
)

// Profiles name the mixture of faults of a plan; a seed's is the seed's remainder.
var profiles = [...]string{"crashes", "partitions", "leases", "deaf", "server", "disks", "poison", "fading"}

// idleAfter is how soon members fall asleep, and auditEvery the pause of those who read from them all the time, whom they wake for: never, between two reads, or for longer than it takes to delete a
// document meanwhile. It follows from the seed as the profile does.
var (
	idleAfter  = [...]time.Duration{0, 20 * time.Millisecond, 80 * time.Millisecond, 50 * time.Millisecond}
	auditEvery = [...]time.Duration{0, 0, 0, 1500 * time.Millisecond}
)

// Plan is what a seed makes: a shape, the programs of all clients, and the faults. It is a pure function of the seed.
type Plan struct {
	Seed    uint64
	Profile string
	Groups  int
	Members int // of each group
	Rates   map[string]float64
	// IdleAfter is how long members wait before they give their leases back; 0: longer than a run.
	IdleAfter time.Duration
	// AuditEvery is how often each auditor reads; 0: as it is used to.
	AuditEvery time.Duration
	// PoisonIn: of so many puts there is about one that the software of no member can apply, until all of them get another in the end; 0: none.
	PoisonIn uint64
	Clients  [][]witness.Step
	Faults   []Fault
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
	Power                        // as Crash, and what the member's index had not synced is lost
	Rot                          // as Crash, and a byte of the member's index is another when it starts again
	Full                         // the member's index takes no bytes
	Fail                         // some calls to the folder of the member's index fail
	Falter                       // applying an operation panics by chance, at this member alone
)

func (k FaultKind) String() string {
	return [...]string{"?", "crash", "hang", "cut", "slow", "break", "lag", "drag", "ponder", "jump", "restart", "power", "rot", "full", "fail", "falter"}[k]
}

// Fault is one thing that goes wrong, with its end.
type Fault struct {
	Kind   FaultKind
	At     time.Duration
	For    time.Duration
	Target string // g0/n1: a member, c0: a coordinator; "": the server
	// Of cuts, slow links and breaks: which connections.
	Requests, Log bool
	In, Out       bool          // of a cut, and of slow links
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
	witness.Chance
	plan Plan
}

// MakePlan makes the plan of a seed.
func MakePlan(seed uint64) *Plan {
	p := &planner{Chance: witness.Chance{Rand: rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))}}
	sleep := seed / uint64(len(profiles)) % uint64(len(idleAfter))
	p.plan = Plan{Seed: seed, Profile: profiles[seed%uint64(len(profiles))], Groups: p.Pick(50, 30, 20) + 1, Members: p.Pick(20, 60, 20) + 1, Rates: map[string]float64{},
		IdleAfter: idleAfter[sleep], AuditEvery: auditEvery[sleep]}
	for _, id := range p.plan.memberIDs() {
		p.plan.Rates[id] = 1 + mostRate*(2*p.Float64()-1)
	}
	for c := range clients {
		p.plan.Clients = append(p.plan.Clients, witness.MakeProgram(p.Chance, c))
	}
	p.faults()
	slices.SortStableFunc(p.plan.Faults, func(a, b Fault) int { return int(a.At - b.At) })
	return &p.plan
}

// poison tells of which values no member can apply the put; nil: of none.
func (p *Plan) poison() func(value uint64) bool {
	if p.PoisonIn == 0 {
		return nil
	}
	return func(value uint64) bool {
		return (value^p.Seed)*0x9e3779b97f4a7c15>>32%p.PoisonIn == 0
	}
}

func (p *Plan) groups() []string {
	groups := make([]string, p.Groups)
	for n := range groups {
		groups[n] = fmt.Sprintf("g%d", n)
	}
	return groups
}

func (p *Plan) memberIDs() []string {
	var ids []string
	for _, group := range p.groups() {
		for n := range p.Members {
			ids = append(ids, subjects.MemberID(group, fmt.Sprintf("n%d", n+1)))
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
