package termdict

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/segment/labels"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// sizes gives the bytes that lists take in all.
func sizes(refs []postings.Ref) (docs, positions uint64) {
	last := refs[len(refs)-1]
	return last.DocOff + last.DocLen, last.PosOff + last.PosLen
}

func TestVerifyVisitsEveryTerm(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 11))
	for _, n := range []int{1, 32, 33, 500} {
		terms, refs := randomTerms(r, n), randomRefs(r, n, true)
		d := build(t, true, terms, refs)
		docs, positions := sizes(refs)
		next := 0
		d.Verify(docs, positions, func(_, ord int, term []byte, ref postings.Ref) {
			if ord != next || string(term) != terms[ord] || ref != refs[ord] {
				t.Errorf("term %d: %d, %q, %+v", next, ord, term, ref)
			}
			next++
		}, func(off int, term []byte, format string, args ...any) {
			t.Errorf("at %d, %q: "+format, append([]any{off, term}, args...)...)
		})
		if next != n {
			t.Errorf("%d terms visited, want %d", next, n)
		}
	}
}

// FuzzVerify checks and dumps anything as a dictionary: what has no finding finds all of its terms.
func FuzzVerify(f *testing.F) {
	r := rand.New(rand.NewPCG(12, 12))
	for _, n := range []int{1, 33, 70} {
		var w Writer
		w.Reset(n != 33)
		refs := randomRefs(r, n, n != 33)
		for i, term := range randomTerms(r, n) {
			w.Add([]byte(term), refs[i])
		}
		docs, positions := sizes(refs)
		f.Add(slices.Clone(w.Finish()), docs, positions, "ab1")
	}
	f.Fuzz(func(t *testing.T, b []byte, docs, positions uint64, term string) {
		var out bytes.Buffer
		p := labels.New(&out, false)
		Dump(p, b, 0, "")
		Dump(p, b, 0, term)
		d, err := Open(b)
		if err != nil {
			return
		}
		found, visited := 0, 0
		d.Verify(docs, positions, func(int, int, []byte, postings.Ref) { visited++ }, func(int, []byte, string, ...any) { found++ })
		if found == 0 && visited != d.Len() {
			t.Fatalf("%d terms of %d visited without a finding", visited, d.Len())
		}
	})
}
