//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
)

// Sizes of a plan.
const (
	coordinators = 2
	clients      = 8
	haste        = 3               // by which clients pause for less than in virtual time, where waiting costs nothing
	shortLease   = 4 * time.Second // so that a write after a member's death waits for little
	longLease    = 15 * time.Second
)

// Profiles name the mixture of faults of a plan; a seed's is the seed's remainder.
var profiles = [...]string{"kill", "pause", "power", "cluster", "full", "damage", "leader"}

// Plan is what a seed makes: a shape, the programs of all clients, and the faults. It is a pure function of seed, profile and length.
type Plan struct {
	Seed    uint64
	Profile string
	Length  time.Duration // of the part with faults
	Servers int           // of NATS; each stream and bucket is on all of them
	Groups  int
	Nodes   int // each group is on two of them
	Lease   time.Duration
	Disk    diskKind // under the data folders
	Clients [][]witness.Step
	Faults  []Fault
}

// FaultKind is what goes wrong.
type FaultKind string

// The kinds of faults.
const (
	Kill   FaultKind = "kill"   // the process dies of SIGKILL, and is started again
	End    FaultKind = "end"    // it ends on SIGTERM, and is started again
	Stop   FaultKind = "stop"   // it stands still (SIGSTOP), and goes on
	Power  FaultKind = "power"  // it dies, and what was not synced is lost with it
	Fill   FaultKind = "fill"   // its disk is full for a while
	Flip   FaultKind = "flip"   // it dies, and a bit of a file of the logs is another when it starts again
	Cutoff FaultKind = "cutoff" // it dies, and a file of the logs has lost its end
)

// Fault is one thing that goes wrong, with its end.
type Fault struct {
	Kind    FaultKind
	At, For time.Duration
	Targets []string // processes, as in s1, n2, c1; leader: the server that leads the first group's log
}

func (f Fault) String() string {
	return fmt.Sprintf("%6.2f s for %5.2f s: %s %s", f.At.Seconds(), f.For.Seconds(), f.Kind, strings.Join(f.Targets, " "))
}

// leader stands for whichever server leads when the fault comes.
const leader = "leader"

// planner makes a plan.
type planner struct {
	witness.Chance
	plan Plan
}

// MakePlan makes the plan of a seed.
func MakePlan(seed uint64, profile string, length time.Duration) *Plan {
	p := &planner{Chance: witness.Chance{Rand: rand.New(rand.NewPCG(seed, 0x2545f4914f6cdd1d))}}
	p.plan = Plan{Seed: seed, Profile: profile, Length: length, Servers: 1, Groups: p.Pick(30, 40, 30) + 1, Nodes: 3, Lease: shortLease}
	if p.plan.Groups == 1 {
		p.plan.Nodes = 2
	}
	for c := range clients {
		program := witness.MakeProgram(p.Chance, c)
		for i := range program {
			program[i].Pause /= haste
		}
		p.plan.Clients = append(p.plan.Clients, program)
	}
	p.faults()
	slices.SortStableFunc(p.plan.Faults, func(a, b Fault) int { return int(a.At - b.At) })
	return &p.plan
}

// faults makes the faults of the plan's profile.
func (p *planner) faults() {
	switch p.plan.Profile {
	case "kill":
		p.series(2500*time.Millisecond, func() Fault {
			return Fault{Kind: []FaultKind{Kill, End}[p.Pick(80, 20)], For: p.Between(200*time.Millisecond, 8*time.Second), Targets: p.one(60, 25, 15)}
		})
	case "pause":
		p.series(3*time.Second, func() Fault {
			return Fault{Kind: Stop, For: p.Between(time.Second, 2*p.plan.Lease), Targets: p.one(60, 25, 15)}
		})
	case "power":
		p.plan.Disk = forgets
		p.series(6*time.Second, p.power)
	case "cluster":
		p.plan.Servers, p.plan.Lease = 3, longLease
		p.series(9*time.Second, p.lostServers)
	case "leader": // so much time between that one is over before the next
		p.plan.Servers, p.plan.Lease = 3, longLease
		for at := 3 * time.Second; at < p.plan.Length; at += 15 * time.Second {
			p.plan.Faults = append(p.plan.Faults, Fault{Kind: Kill, At: at, For: p.Between(500*time.Millisecond, 12*time.Second), Targets: []string{leader}})
		}
	case "full":
		p.plan.Disk = small
		p.series(8*time.Second, func() Fault {
			return Fault{Kind: Fill, For: p.Between(2*time.Second, 6*time.Second), Targets: p.one(70, 0, 30)}
		})
	case "damage":
		p.plan.Servers, p.plan.Lease = 3, longLease
		p.series(11*time.Second, func() Fault {
			kind := []FaultKind{Flip, Cutoff}[p.Pick(60, 40)]
			return Fault{Kind: kind, For: p.Between(500*time.Millisecond, 4*time.Second), Targets: []string{p.server()}}
		})
	}
}

// series lets faults come one after another, about so much time between.
func (p *planner) series(gap time.Duration, fault func() Fault) {
	for at := p.Between(gap/4, gap); at < p.plan.Length; at += p.Between(gap/2, gap*3/2) {
		f := fault()
		f.At = at
		p.plan.Faults = append(p.plan.Faults, f)
	}
}

// one gives a process: a node, a coordinator or a server, by weight.
func (p *planner) one(node, coordinator, server int) []string {
	switch p.Pick(node, coordinator, server) {
	case 0:
		return []string{fmt.Sprintf("n%d", 1+p.IntN(p.plan.Nodes))}
	case 1:
		return []string{fmt.Sprintf("c%d", 1+p.IntN(coordinators))}
	}
	return []string{p.server()}
}

func (p *planner) server() string { return fmt.Sprintf("s%d", 1+p.IntN(p.plan.Servers)) }

// power cuts the power of everything, of the servers, or of one node.
func (p *planner) power() Fault {
	f := Fault{Kind: Power, For: p.Between(100*time.Millisecond, 3*time.Second)}
	switch p.Pick(50, 25, 25) {
	case 0:
		f.Targets = slices.Concat(p.plan.servers(), p.plan.nodes())
	case 1:
		f.Targets = p.plan.servers()
	case 2:
		f.Targets = p.one(1, 0, 0)
	}
	return f
}

// lostServers takes away the leader, some other one, two, or all.
func (p *planner) lostServers() Fault {
	f := Fault{Kind: Kill, For: p.Between(2*time.Second, 9*time.Second)}
	switch p.Pick(50, 20, 15, 15) {
	case 0:
		f.Targets = []string{leader}
	case 1:
		f.Targets = []string{p.server()}
	case 2:
		f.Targets = []string{"s1", "s2"}
	case 3:
		f.Targets = p.plan.servers()
	}
	return f
}

func (p *Plan) servers() []string      { return numbered("s", p.Servers) }
func (p *Plan) nodes() []string        { return numbered("n", p.Nodes) }
func (p *Plan) coordinators() []string { return numbered("c", coordinators) }

func numbered(letter string, n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("%s%d", letter, i+1)
	}
	return names
}

func (p *Plan) groups() []string {
	groups := make([]string, p.Groups)
	for i := range groups {
		groups[i] = fmt.Sprintf("g%d", i)
	}
	return groups
}

// groupsOf gives the groups that a node is in.
func (p *Plan) groupsOf(node int) []string {
	var of []string
	for i, group := range p.groups() {
		if i%p.Nodes == node || (i+1)%p.Nodes == node {
			of = append(of, group)
		}
	}
	return of
}

// memberIDs gives all members, as in g0/n1.
func (p *Plan) memberIDs() []string {
	var ids []string
	for i, node := range p.nodes() {
		for _, group := range p.groupsOf(i) {
			ids = append(ids, group+"/"+node)
		}
	}
	return ids
}
