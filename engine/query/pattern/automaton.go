package pattern

import (
	"math/bits"
	"unicode/utf8"
)

// maxBytes is about how much memory an automaton takes for its states before [Automaton.Trim] forgets them. In between it grows with one term.
const maxBytes = 4 << 20

// stateBytes is about what one state of an automaton takes beside its machine's.
const stateBytes = 1200

// dead is the state from which nothing matches, of automata and machines.
const dead = 0

// machine decides over the characters of a term. States are its own numbers.
type machine interface {
	start() int
	step(state int, r rune) int
	accepts(state int) bool
	// meets tells whether a character from lo to hi may lead from a state to another than dead; it never says no where one does.
	meets(state int, lo, hi rune) bool
	// size gives about how many bytes the states take.
	size() int
	// forget makes all states invalid.
	forget()
}

// Automaton decides over the bytes of terms in UTF-8. It serves one goroutine.
type Automaton struct {
	machine machine
	states  []state // the first is dead
	numbers map[place]int
}

// state is one place with what was found behind it.
type state struct {
	place
	matches bool
	next    [256]int32 // by byte; -1: not looked at yet
}

// place is where an automaton stands: in a state of its machine, perhaps within a character.
type place struct {
	at      int  // the machine's state before the character
	begun   rune // the bits of the character so far
	size    int8 // of the character in bytes, 0: none is begun
	missing int8 // bytes
}

func newAutomaton(m machine) *Automaton {
	a := &Automaton{machine: m}
	a.forget()
	return a
}

func (a *Automaton) forget() {
	a.machine.forget()
	a.numbers = map[place]int{}
	a.states = a.states[:0]
	a.number(place{at: dead})
}

// Start gives the state of no byte.
func (a *Automaton) Start() int { return a.number(place{at: a.machine.start()}) }

// IsMatch tells whether a term that ends in a state matches.
func (a *Automaton) IsMatch(s int) bool { return a.states[s].matches }

// CanMatch tells whether more bytes may lead from a state to a match, none at all among them.
func (a *Automaton) CanMatch(s int) bool { return s != dead }

// Step goes from a state to the next by one byte.
func (a *Automaton) Step(s int, b byte) int {
	if next := a.states[s].next[b]; next >= 0 {
		return int(next)
	}
	next := a.number(a.after(a.states[s].place, b))
	a.states[s].next[b] = int32(next)
	return next
}

// Trim forgets all states when they take too much memory, and tells whether it did: then what is held of them must be found anew.
func (a *Automaton) Trim() bool {
	if len(a.states)*stateBytes+a.machine.size() < maxBytes {
		return false
	}
	a.forget()
	return true
}

// Matches tells whether a whole term matches.
func (a *Automaton) Matches(term string) bool {
	a.Trim()
	s := a.Start()
	for i := range len(term) {
		if s = a.Step(s, term[i]); s == dead {
			return false
		}
	}
	return a.IsMatch(s)
}

// number gives the state of a place.
func (a *Automaton) number(p place) int {
	if p.at == dead {
		p = place{}
	}
	if n, ok := a.numbers[p]; ok {
		return n
	}
	s := state{place: p, matches: p.at != dead && p.size == 0 && a.machine.accepts(p.at)}
	for b := range s.next {
		s.next[b] = -1
		if p.at == dead {
			s.next[b] = dead
		}
	}
	n := len(a.states)
	a.states = append(a.states, s)
	a.numbers[p] = n
	return n
}

// after gives the place behind one more byte; dead where no character has it there.
func (a *Automaton) after(p place, b byte) place {
	switch {
	case p.size == 0 && b < utf8.RuneSelf:
		return place{at: a.machine.step(p.at, rune(b))}
	case p.size == 0:
		size := int8(bits.LeadingZeros8(^b))
		if size < 2 || size > 4 {
			return place{}
		}
		p = place{at: p.at, begun: rune(b & (0x7f >> size)), size: size, missing: size - 1}
	case b&0xc0 != 0x80:
		return place{}
	default:
		p.begun, p.missing = p.begun<<6|rune(b&0x3f), p.missing-1
	}
	lo, hi := p.characters()
	switch {
	case lo > hi:
		return place{}
	case p.missing == 0:
		return place{at: a.machine.step(p.at, p.begun)}
	case !a.machine.meets(p.at, lo, hi):
		return place{}
	}
	return p
}

// characters gives the first and last of the characters that begin so; those that UTF-8 writes shorter do not.
func (p place) characters() (lo, hi rune) {
	least := [...]rune{2: 0x80, 3: 0x800, 4: 0x10000}[p.size]
	open := 6 * p.missing
	return max(p.begun<<open, least), min(p.begun<<open|(1<<open-1), utf8.MaxRune)
}
