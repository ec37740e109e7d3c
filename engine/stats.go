package engine

import (
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
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
	if i := p.seg.FieldIndex(name); i >= 0 {
		return p.fields[i]
	}
	return bm25.FieldStats{}
}

// docFrequency counts the visible documents that hold a term of a text field.
func (p *part) docFrequency(t bm25.FieldTerm) uint64 { return p.frequency(t, false) }

// frequency counts the visible documents that hold a term, or an exact value: the dictionary's number when all are visible, else what the part's cache knows.
func (p *part) frequency(t bm25.FieldTerm, exact bool) uint64 {
	field := p.seg.FieldIndex(t.Field)
	if field < 0 {
		return 0
	}
	dict, lists, key := p.dictionary(field, exact)
	ord, ref, ok := dict.Lookup(t.Term)
	if !ok {
		return 0
	}
	if p.whole() {
		return uint64(ref.DF)
	}
	return p.df.count(p, key|uint64(ord), lists, ref)
}

// dictionary gives the words or exact values of a field, the bytes of their lists, and what with a term's ordinal is its key in what the part remembers.
func (p *part) dictionary(field int, exact bool) (*termdict.Dict, postings.Source, uint64) {
	f := &p.seg.Fields()[field]
	if exact {
		return &f.Exact, f.ExactPostings(), 1<<63 | uint64(field)<<32
	}
	return &f.Terms, f.TermPostings(), uint64(field) << 32
}
