package termdict

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// randomTerms makes n distinct terms in order, many with long common prefixes, one of them empty.
func randomTerms(r *rand.Rand, n int) []string {
	set := map[string]bool{"": true}
	for len(set) < n {
		t := strings.Repeat("ab", r.IntN(5)) + fmt.Sprint(r.IntN(1+n*3))
		if r.IntN(50) == 0 {
			t = strings.Repeat(t, 200) + "\x00\xff"
		}
		set[t] = true
	}
	terms := make([]string, 0, n)
	for t := range set {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	return terms
}

// randomRefs makes lists that lie one behind the other.
func randomRefs(r *rand.Rand, n int, text bool) []postings.Ref {
	refs := make([]postings.Ref, n)
	var docEnd, posEnd uint64
	for i := range refs {
		ref := postings.Ref{DF: 1 + uint32(r.IntN(3)), DocOff: docEnd, PosOff: posEnd}
		if ref.DF == 1 {
			ref.Doc = r.Uint32N(1 << 30)
			if text {
				ref.Freq = 1 + r.Uint32N(9)
			}
		} else {
			ref.DocLen = r.Uint64N(1000)
		}
		if text {
			ref.PosLen = r.Uint64N(1000)
		}
		docEnd, posEnd = docEnd+ref.DocLen, posEnd+ref.PosLen
		refs[i] = ref
	}
	return refs
}

func build(t testing.TB, text bool, terms []string, refs []postings.Ref) *Dict {
	t.Helper()
	var w Writer
	w.Reset(text)
	for i, term := range terms {
		w.Add([]byte(term), refs[i])
	}
	d, err := Open(slices.Clone(w.Finish()))
	if err != nil {
		t.Fatal(err)
	}
	return &d
}

func TestDictionary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 2, 31, 32, 33, 64, 1000} {
		for _, text := range []bool{true, false} {
			terms := randomTerms(r, n)
			refs := randomRefs(r, n, text)
			d := build(t, text, terms, refs)
			if d.Len() != n {
				t.Fatalf("%d terms, want %d", d.Len(), n)
			}
			it := d.All()
			for i, term := range terms {
				if !it.Next() || string(it.Term()) != term || it.Ord() != i || it.Ref() != refs[i] {
					t.Fatalf("term %d of %d: %q %d %+v, want %q %+v", i, n, it.Term(), it.Ord(), it.Ref(), term, refs[i])
				}
				if ord, ref, ok := d.Lookup(term); !ok || ord != i || ref != refs[i] {
					t.Fatalf("lookup %q: %d %+v %v", term, ord, ref, ok)
				}
				if got := d.Term([]byte("x"), i); string(got) != "x"+term {
					t.Fatalf("term %d: %q, want %q", i, got, term)
				}
			}
			if it.Next() {
				t.Fatal("the iterator goes on behind the last term")
			}
			checkAbsent(t, r, d, terms)
		}
	}
}

// checkAbsent looks up and seeks what is mostly not there.
func checkAbsent(t *testing.T, r *rand.Rand, d *Dict, terms []string) {
	t.Helper()
	for range 300 {
		want := terms[r.IntN(len(terms))]
		switch r.IntN(4) {
		case 0:
			want += "0"
		case 1:
			want = want[:r.IntN(len(want)+1)]
		case 2:
			want = "\xff" + want
		}
		i, found := slices.BinarySearch(terms, want)
		if _, _, ok := d.Lookup(want); ok != found {
			t.Fatalf("lookup %q: %v, want %v", want, ok, found)
		}
		if got := d.Ceil(want); got != i {
			t.Fatalf("ceil of %q: %d, want %d", want, got, i)
		}
		for it := d.Seek(want); i < len(terms); i++ {
			if !it.Valid() || string(it.Term()) != terms[i] {
				t.Fatalf("seek %q: %q, want %q", want, it.Term(), terms[i])
			}
			it.Next()
		}
	}
}

func TestEmptyDictionary(t *testing.T) {
	for _, d := range []*Dict{{}, build(t, true, nil, nil)} {
		if _, _, ok := d.Lookup("a"); ok || d.All().Next() || d.Seek("").Valid() || d.Ceil("a") != 0 || len(d.Term(nil, 0)) != 0 {
			t.Error("an empty dictionary has terms")
		}
	}
}

// FuzzDict reads anything as a dictionary.
func FuzzDict(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{1, 40} {
		var w Writer
		w.Reset(n == 1)
		refs := randomRefs(r, n, n == 1)
		for i, term := range randomTerms(r, n) {
			w.Add([]byte(term), refs[i])
		}
		f.Add(slices.Clone(w.Finish()), "ab1")
	}
	f.Fuzz(func(t *testing.T, b []byte, term string) {
		d, err := Open(b)
		if err != nil {
			return
		}
		d.Lookup(term)
		d.Ceil(term)
		n := 0
		for it := d.All(); it.Next(); n++ {
		}
		if n > len(b) {
			t.Fatalf("%d terms in %d bytes", n, len(b))
		}
		d.Term(nil, n-1)
		d.Term(nil, n/2)
	})
}

// spokenTerms makes n distinct words of syllables in order, as languages have them, with lists of which most are short.
func spokenTerms(r *rand.Rand, n int) ([]string, []postings.Ref) {
	set := map[string]bool{}
	for len(set) < n {
		word := ""
		for range 2 + r.IntN(4) {
			word += string("bcdfghjklmnprstv"[r.IntN(16)]) + string("aeiou"[r.IntN(5)])
		}
		set[word] = true
	}
	refs := make([]postings.Ref, n)
	var docEnd, posEnd uint64
	for i := range refs {
		df := 1 + uint32(1/(r.Float64()+1e-5))
		ref := postings.Ref{DF: df, DocOff: docEnd, PosOff: posEnd, PosLen: 2 * uint64(df)}
		if df == 1 {
			ref.Doc, ref.Freq = r.Uint32N(200_000), 1
		} else {
			ref.DocLen = 2 * uint64(df)
		}
		docEnd, posEnd = docEnd+ref.DocLen, posEnd+ref.PosLen
		refs[i] = ref
	}
	return slices.Sorted(maps.Keys(set)), refs
}

func BenchmarkLookup(b *testing.B) {
	terms, refs := spokenTerms(rand.New(rand.NewPCG(3, 3)), 100_000)
	d := build(b, true, terms, refs)
	i := 0
	for b.Loop() {
		d.Lookup(terms[i%len(terms)])
		i += 7919
	}
	b.ReportMetric(float64(len(d.b)+len(d.starts))/float64(len(terms)), "bytes/term")
}
