package engine

import (
	"sync"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/schema"
)

// Stats answers for live, owned documents, in the order asked. An unknown collection or field has zeros. A file that cannot be read is a panic with an error that is
// [ErrUnreadable].
func (s *Snapshot) Stats(c schema.Incarnation, fields []string, terms []bm25.FieldTerm) bm25.Stats {
	defer s.index.files.name(panicOnFault())
	st := bm25.Stats{Fields: make([]bm25.FieldStats, len(fields)), DF: make([]uint64, len(terms))}
	found := s.state.find(c)
	if found == nil {
		return st
	}
	for _, p := range found.parts {
		for i, name := range fields {
			f := p.fieldStats(name)
			st.Fields[i].Docs += f.Docs
			st.Fields[i].TotalLen += f.TotalLen
		}
		for i, t := range terms {
			st.DF[i] += p.docFrequency(t)
		}
	}
	return st
}

func (p *part) fieldStats(name string) bm25.FieldStats {
	fields := p.seg.Fields()
	for i := range fields {
		if fields[i].Name == name {
			return p.fields[i]
		}
	}
	return bm25.FieldStats{}
}

// docFrequency counts the visible documents that hold a term: the dictionary's number when all are, else by a walk over the list, which is remembered as long
// as the part stays as it is.
func (p *part) docFrequency(t bm25.FieldTerm) uint64 {
	f := p.seg.Field(t.Field)
	if f == nil || !f.HasText {
		return 0
	}
	_, ref, ok := f.Terms.Lookup(t.Term)
	if !ok {
		return 0
	}
	if p.whole() {
		return uint64(ref.DF)
	}
	if df, ok := p.df.get(t); ok {
		return df
	}
	df := countVisible(f.TermPostings(), ref, p.visible)
	p.df.put(t, df)
	return df
}

func countVisible(src postings.Source, ref postings.Ref, visible docset.Set) uint64 {
	var it postings.Iterator
	n := uint64(0)
	for it.Init(src, ref); it.Doc() != segment.Gone; it.Next() {
		if visible.Has(it.Doc()) {
			n++
		}
	}
	return n
}

// dfCacheTerms bounds each of the two halves of a part's cache: terms have at most 255 bytes, so that a cache stays under 2 MiB, and only parts with
// documents that do not count have one.
const dfCacheTerms = 2048

// dfCache remembers df of terms in a part with documents that do not count. It holds two generations: when the young one is full it becomes the old
// one, whose terms are forgotten unless they are asked for again.
type dfCache struct {
	mu         sync.Mutex // guards both
	young, old map[bm25.FieldTerm]uint64
}

func newDFCache() *dfCache { return &dfCache{} }

func (c *dfCache) get(t bm25.FieldTerm) (uint64, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if df, ok := c.young[t]; ok {
		return df, true
	}
	df, ok := c.old[t]
	if ok {
		c.keep(t, df)
	}
	return df, ok
}

func (c *dfCache) put(t bm25.FieldTerm, df uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.keep(t, df)
}

func (c *dfCache) keep(t bm25.FieldTerm, df uint64) {
	if c.young == nil || len(c.young) >= dfCacheTerms {
		c.old, c.young = c.young, map[bm25.FieldTerm]uint64{}
	}
	c.young[t] = df
}
