package engine

import (
	"container/heap"
	"context"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// maxCompletionBytes bounds the terms that one answer holds; where they are longer fewer are told.
const maxCompletionBytes = 8 << 20

// Complete answers for live, owned documents: the terms of a field that begin with a prefix, the most frequent first. Errors are ctx's, which is noticed within a millisecond.
//
// Every term under the prefix is counted: the segments' dictionaries are walked side by side, in the order of their terms, and what is kept is bounded by the question and by 8 MiB.
func (s *Snapshot) Complete(ctx context.Context, c schema.Incarnation, q *query.CompletionQuestion) (_ query.Completions, err error) {
	defer s.index.files.catch(panicOnFault(), &err)
	found := s.state.find(c)
	if found == nil {
		return query.Completions{}, ctx.Err()
	}
	var walks []*walkOfTerms
	for _, p := range found.parts {
		if w := newWalkOfTerms(p, q); w != nil && w.inside {
			walks = append(walks, w)
		}
	}
	top := mostFrequent{most: q.Most}
	var term []byte
	for n := 0; len(walks) > 0; n++ {
		if n%termsBetweenLooks == 0 && ctx.Err() != nil {
			return query.Completions{}, ctx.Err()
		}
		term = append(term[:0], least(walks)...)
		df := uint64(0)
		ended := false
		for _, w := range walks {
			if string(w.terms.Term()) == string(term) {
				df += w.count()
				w.next()
				ended = ended || !w.inside
			}
		}
		if ended {
			walks = slices.DeleteFunc(walks, func(w *walkOfTerms) bool { return !w.inside })
		}
		top.offer(term, df)
	}
	slices.SortFunc(top.kept, query.CompareCounts)
	return query.Completions{Terms: top.kept, Rest: top.rest}, nil
}

// least gives the first of the terms on which walks stand.
func least(walks []*walkOfTerms) []byte {
	first := walks[0].terms.Term()
	for _, w := range walks[1:] {
		if t := w.terms.Term(); string(t) < string(first) {
			first = t
		}
	}
	return first
}

// walkOfTerms goes over the terms of a part that begin with a prefix.
type walkOfTerms struct {
	part   *part
	terms  *termdict.Iterator
	lists  postings.Source
	key    uint64 // of the field, in what the part remembers
	prefix string
	inside bool // it stands on such a term
}

// newWalkOfTerms begins a walk; nil when no document of the part has the field.
func newWalkOfTerms(p *part, q *query.CompletionQuestion) *walkOfTerms {
	field := p.seg.FieldIndex(q.Field)
	if field < 0 {
		return nil
	}
	dict, lists, key := p.dictionary(field, q.Exact)
	w := &walkOfTerms{part: p, terms: dict.Seek(q.Prefix), lists: lists, key: key, prefix: q.Prefix}
	w.look()
	return w
}

func (w *walkOfTerms) next() {
	w.terms.Next()
	w.look()
}

func (w *walkOfTerms) look() {
	w.inside = w.terms.Valid() && strings.HasPrefix(string(w.terms.Term()), w.prefix)
}

// count gives the visible documents that hold the term. Short lists are walked over rather than remembered: there are too many of them.
func (w *walkOfTerms) count() uint64 {
	ref := w.terms.Ref()
	switch {
	case w.part.whole():
		return uint64(ref.DF)
	case ref.DF > rememberedDF:
		return w.part.df.count(w.part, w.key|uint64(w.terms.Ord()), w.lists, ref)
	}
	return countByWalk(w.lists, ref, w.part)
}

// rememberedDF is up to how many documents a list is walked over in less time than it takes to look its frequency up.
const rememberedDF = 64

// mostFrequent keeps the most frequent of terms that are offered in ascending order: a heap with the first to go on top, the least frequent and among these the last.
type mostFrequent struct {
	most  int
	bytes int
	kept  []query.TermCount
	rest  uint64 // the greatest DF of a term that was left out
}

func (m *mostFrequent) Len() int           { return len(m.kept) }
func (m *mostFrequent) Less(i, j int) bool { return query.CompareCounts(m.kept[i], m.kept[j]) > 0 }
func (m *mostFrequent) Swap(i, j int)      { m.kept[i], m.kept[j] = m.kept[j], m.kept[i] }
func (m *mostFrequent) Push(x any)         { m.kept = append(m.kept, x.(query.TermCount)) }
func (m *mostFrequent) Pop() any {
	last := m.kept[len(m.kept)-1]
	m.kept = m.kept[:len(m.kept)-1]
	return last
}

// offer takes a term or leaves it out. One that is as frequent as another that was left out comes behind it.
func (m *mostFrequent) offer(term []byte, df uint64) {
	if df <= m.rest {
		return
	}
	if len(m.kept) == m.most && df <= m.kept[0].DF {
		m.rest = df
		return
	}
	heap.Push(m, query.TermCount{Term: string(term), DF: df})
	m.bytes += len(term)
	for len(m.kept) > m.most || m.bytes > maxCompletionBytes {
		out := heap.Pop(m).(query.TermCount)
		m.bytes -= len(out.Term)
		m.rest = max(m.rest, out.DF)
	}
}
