package search

import (
	"math/bits"

	"github.com/jetseek/jetseek/engine/bm25"
)

// windowDocs is the size of a window: its scores and bits stay in the processor's first caches.
const windowDocs = 4096

// window walks the documents that any of some terms hold, a window of documents at a time: each term adds its scores to an array, and a bit a document
// tells which were hit. That spares the heap of a [disjunction], whose branches nobody can foretell; a query that jumps would waste it, so it stands at the top only.
type window struct {
	env     *env
	terms   []*term
	scoring bool
	doc     uint32
	base    uint32 // first document of the window
	hits    [windowDocs / 64]uint64
	scores  [windowDocs]int64
}

// union gives the window over some terms, standing on its first document; there is one for each search.
func (e *env) union(terms []*term, scoring bool) *window {
	if e.window == nil {
		e.window = &window{env: e}
	}
	w := e.window
	w.terms, w.scoring = terms, scoring
	w.fill()
	return w
}

func (w *window) Doc() uint32  { return w.doc }
func (w *window) Score() int64 { return w.scores[w.doc-w.base] }

func (w *window) Cost() int {
	n := 0
	for _, t := range w.terms {
		n += t.Cost()
	}
	return n
}

func (w *window) Next() uint32 { return w.Advance(w.doc + 1) }

func (w *window) Advance(target uint32) uint32 {
	if w.doc >= target {
		return w.doc
	}
	if target < w.base+windowDocs && w.find(target) {
		return w.doc
	}
	for _, t := range w.terms {
		t.Advance(target)
	}
	w.fill()
	return w.doc
}

// find goes to the first hit of the window at or behind target.
func (w *window) find(target uint32) bool {
	at := target - w.base
	word := w.hits[at>>6] >> (at & 63) << (at & 63)
	for i := at >> 6; ; word = w.hits[i] {
		if word != 0 {
			w.doc = w.base + i<<6 + uint32(bits.TrailingZeros64(word))
			return true
		}
		if i++; i == uint32(len(w.hits)) {
			return false
		}
	}
}

// fill scores the window in which the first document of all terms lies.
func (w *window) fill() {
	w.doc = noDoc
	for _, t := range w.terms {
		w.doc = min(w.doc, t.doc)
	}
	if w.doc == noDoc {
		return
	}
	w.base = w.doc / windowDocs * windowDocs
	clear(w.hits[:])
	if w.scoring {
		clear(w.scores[:])
	}
	for _, t := range w.terms {
		w.add(t)
	}
}

// add adds a term's documents up to the end of the window.
func (w *window) add(t *term) {
	if !w.env.steps(windowDocs) {
		t.doc = noDoc
		return
	}
	doc, it, lengths := t.doc, t.it, t.lengths
	for ; doc < w.base+windowDocs; doc = it.Next() {
		at := doc - w.base
		w.hits[at>>6] |= 1 << (at & 63)
		if w.scoring {
			w.scores[at] += bm25.Part(t.weight.W, t.weight.C0, t.weight.C1, it.Freq(), lengths.Length(doc))
		}
	}
	t.doc = doc
}
