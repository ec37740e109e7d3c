package termdict

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// wildcard matches a pattern of bytes, ? for any byte and * for any bytes: a state is the set of places in the pattern, as bits.
type wildcard struct {
	pattern string
	steps   int
	offset  int // of the numbers of states, which changes when it forgets them
	trims   int // every so many calls of Trim; 0: never
	calls   int
}

// Trim makes all numbers invalid.
func (w *wildcard) Trim() bool {
	if w.calls++; w.trims == 0 || w.calls%w.trims != 0 {
		return false
	}
	w.offset += 1 << 32
	return true
}

func (w *wildcard) set(state int) int {
	if state-w.offset < 0 || state-w.offset >= 1<<32 {
		panic("a state that was forgotten")
	}
	return state - w.offset
}

func (w *wildcard) Start() int { return w.close(1) + w.offset }

// close adds the places behind stars, which may stand for nothing.
func (w *wildcard) close(state int) int {
	for i := range len(w.pattern) {
		if w.pattern[i] == '*' && state>>i&1 != 0 {
			state |= 1 << (i + 1)
		}
	}
	return state
}

func (w *wildcard) Step(state int, b byte) int {
	w.steps++
	state = w.set(state)
	next := 0
	for i := range len(w.pattern) {
		switch c := w.pattern[i]; {
		case state>>i&1 == 0:
		case c == '*':
			next |= 1 << i
		case c == '?' || c == b:
			next |= 1 << (i + 1)
		}
	}
	return w.close(next) + w.offset
}

func (w *wildcard) CanMatch(state int) bool { return w.set(state) != 0 }
func (w *wildcard) IsMatch(state int) bool  { return w.set(state)>>len(w.pattern)&1 != 0 }

// matches says the same by an expression.
func matches(t *testing.T, pattern string) func(term string) bool {
	t.Helper()
	var b strings.Builder
	for _, c := range []byte(pattern) {
		switch c {
		case '*':
			b.WriteString(`.*`)
		case '?':
			b.WriteString(`.`)
		default:
			fmt.Fprintf(&b, `\x{%02x}`, c)
		}
	}
	e := regexp.MustCompile(`(?s)^` + b.String() + `$`)
	return func(term string) bool { return e.MatchString(latin(term)) }
}

// latin makes a character of each byte, as expressions are about characters.
func latin(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		b.WriteRune(rune(c))
	}
	return b.String()
}

// TestMatchesAreThoseOfAllTerms walks by random patterns, and compares with asking each term.
func TestMatchesAreThoseOfAllTerms(t *testing.T) {
	r := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{1, 31, 33, 1000, 3000} {
		terms := randomTerms(r, n)
		refs := randomRefs(r, n, true)
		d := build(t, true, terms, refs)
		patterns := []string{"", "*", "?", "*1", "ab*", "\xff*", "a*b*1?"}
		for range 60 {
			p := []byte(terms[r.IntN(n)])
			p = p[:min(len(p), 20)]
			for range r.IntN(4) {
				if len(p) > 0 {
					p[r.IntN(len(p))] = "?*ab19"[r.IntN(6)]
				}
			}
			if r.IntN(3) == 0 {
				p = append(p, '*')
			}
			patterns = append(patterns, string(p))
		}
		for _, pattern := range patterns {
			m, want := d.Match(&wildcard{pattern: pattern, trims: r.IntN(4)}), matches(t, pattern)
			for i, term := range terms {
				if !want(term) {
					continue
				}
				if !m.Next() || string(m.Term()) != term || m.Ord() != i || m.Ref() != refs[i] {
					t.Fatalf("%q over %d terms: %q %d, want %q %d", pattern, n, m.Term(), m.Ord(), term, i)
				}
			}
			if more := m.Next(); more || m.Next() {
				t.Fatalf("%q over %d terms: %q matches", pattern, n, m.Term())
			}
		}
	}
	if (&Dict{}).Match(&wildcard{pattern: "*"}).Next() {
		t.Fatal("an empty dictionary has a match")
	}
}

// TestMatchSkipsBlocks counts the steps that a narrow pattern takes among many terms.
func TestMatchSkipsBlocks(t *testing.T) {
	var terms []string
	for i := range 100_000 {
		terms = append(terms, fmt.Sprintf("term%06d", i))
	}
	d := build(t, true, terms, randomRefs(rand.New(rand.NewPCG(7, 7)), len(terms), true))
	w := &wildcard{pattern: "term0?4321"}
	m := d.Match(w)
	n := 0
	for m.Next() {
		n++
	}
	if n != 10 || w.steps > 20_000 {
		t.Errorf("%d matches after %d steps, want 10 after far fewer than there are terms", n, w.steps)
	}
}

// FuzzMatch walks anything as a dictionary.
func FuzzMatch(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	var w Writer
	w.Reset(true)
	refs := randomRefs(r, 70, true)
	for i, term := range randomTerms(r, 70) {
		w.Add([]byte(term), refs[i])
	}
	f.Add(append([]byte(nil), w.Finish()...), "a*1")
	f.Fuzz(func(t *testing.T, b []byte, pattern string) {
		d, err := Open(b)
		if err != nil || len(pattern) > 60 {
			return
		}
		n := 0
		for m := d.Match(&wildcard{pattern: pattern}); m.Next(); n++ {
		}
		if n > len(b) {
			t.Fatalf("%d matches in %d bytes", n, len(b))
		}
	})
}

func BenchmarkPrefix(b *testing.B) {
	terms, refs := spokenTerms(rand.New(rand.NewPCG(3, 3)), 100_000)
	d := build(b, true, terms, refs)
	n := 0
	for b.Loop() {
		for it := d.Seek("ba"); it.Valid() && strings.HasPrefix(string(it.Term()), "ba"); it.Next() {
			n++
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/term")
}
