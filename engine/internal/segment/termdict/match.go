package termdict

import "github.com/jetseek/jetseek/engine/internal/segment/postings"

// Automaton decides over the bytes of a term: of a pattern, or of an edit distance. States are numbers of its own; Step goes from one to the next by one byte.
type Automaton interface {
	Start() int
	Step(state int, b byte) int
	// CanMatch tells whether any bytes lead from a state to a match, none at all among them. Where it says no, terms that begin so are passed over.
	CanMatch(state int) bool
	// IsMatch tells whether a term that ends in a state matches.
	IsMatch(state int) bool
	// Trim is called between terms. An automaton that holds too many states may forget all of them, and then says so: the walk steps anew over the bytes it
	// stands on.
	Trim() bool
}

// Matches walks the terms that an automaton matches, in order. Bytes that terms have in common are stepped over once, and blocks in which nothing can match are not
// read but for their first terms, of which a binary search looks at some.
type Matches struct {
	dict      *Dict
	automaton Automaton
	block     int
	entries   entries
	term      []byte
	states    []int // after each byte of the term, up to where nothing can match any more; the first is that of no byte
}

// Match gives the matches before the first one: call Next first.
func (d *Dict) Match(a Automaton) *Matches {
	m := &Matches{dict: d, automaton: a, states: []int{a.Start()}}
	if a.CanMatch(m.states[0]) {
		m.enter(0)
	}
	return m
}

// Next goes to the next match; false when there is none.
func (m *Matches) Next() bool {
	for {
		if m.automaton.Trim() {
			m.restart()
		}
		if m.entries.left == 0 && (m.entries.ord < 0 || !m.enter(m.block+1)) {
			return false
		}
		if !m.entries.next() || m.entries.shared > len(m.term) {
			m.end()
			return false
		}
		m.term = append(m.term[:m.entries.shared], m.entries.rest...)
		switch alive := m.walk(); {
		case alive && m.automaton.IsMatch(m.states[len(m.term)]):
			return true
		case !alive && m.entries.ord%blockLen == 0:
			m.skip()
		}
	}
}

// Term gives the term; the bytes are the walk's until Next.
func (m *Matches) Term() []byte { return m.term }

// Ord gives the term's ordinal.
func (m *Matches) Ord() int { return m.entries.ord }

// Ref gives the term's list.
func (m *Matches) Ref() postings.Ref { return m.entries.ref }

// enter goes before the first term of a block; false when there is no such block.
func (m *Matches) enter(block int) bool {
	if block*blockLen >= m.dict.terms {
		m.end()
		return false
	}
	m.block, m.entries, m.term = block, m.dict.entries(block), m.term[:0]
	m.states = m.states[:1]
	return true
}

// end makes all later calls of Next give false.
func (m *Matches) end() { m.entries = entries{ord: -1} }

// walk steps over the bytes of the term that the one before does not have, and tells whether anything can match that begins with the term.
func (m *Matches) walk() bool {
	shared := m.entries.shared
	if len(m.states) <= shared {
		return false // the bytes that both have cannot match
	}
	m.states = m.states[:shared+1]
	for _, b := range m.term[shared:] {
		s := m.automaton.Step(m.states[len(m.states)-1], b)
		if !m.automaton.CanMatch(s) {
			return false
		}
		m.states = append(m.states, s)
	}
	return true
}

// restart finds the states of the bytes it stands on in an automaton that has forgotten them.
func (m *Matches) restart() {
	m.states[0] = m.automaton.Start()
	for i := range m.states[1:] {
		m.states[i+1] = m.automaton.Step(m.states[i], m.term[i])
	}
}

// skip goes from a term that cannot match to the block of the next one that may: behind the least bytes, greater than the term's, that the automaton follows.
func (m *Matches) skip() {
	for at := len(m.states) - 1; at >= 0; at-- {
		for b := int(m.term[at]) + 1; b < 256; b++ {
			if !m.automaton.CanMatch(m.automaton.Step(m.states[at], byte(b))) {
				continue
			}
			if block := m.dict.block(string(append(m.term[:at:at], byte(b)))); block > m.block {
				m.enter(block)
			}
			return
		}
	}
	m.end()
}
