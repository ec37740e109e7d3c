package search

import (
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// noDoc is where a scorer stands behind its last document.
const noDoc = postings.NoDoc

// scorer walks matching documents of one segment in order. A new one stands on its first.
type scorer interface {
	// Doc gives the document it stands on, or noDoc.
	Doc() uint32
	// Next goes to the next document.
	Next() uint32
	// Advance goes to the first document at or behind target; it never goes back.
	Advance(target uint32) uint32
	// Score gives the document's score in units of 2^-32. It is called at most once a document, and only where scores are wanted.
	Score() int64
	// Cost bounds the number of documents it may stand on.
	Cost() int
}

// term walks the postings of one term of a text field.
type term struct {
	env     *env
	it      *postings.Iterator
	doc     uint32
	weight  bm25.Weight
	lengths *docvalues.Column
}

func (s *term) Doc() uint32 { return s.doc }
func (s *term) Cost() int   { return int(s.it.Count()) }

func (s *term) Next() uint32 {
	if s.doc = noDoc; s.env.step() {
		s.doc = s.it.Next()
	}
	return s.doc
}

func (s *term) Advance(target uint32) uint32 {
	if s.doc >= target {
		return s.doc
	}
	if s.doc = noDoc; s.env.step() {
		s.doc = s.it.Advance(target)
	}
	return s.doc
}

func (s *term) Score() int64 {
	return bm25.Part(s.weight.W, s.weight.C0, s.weight.C1, s.it.Freq(), s.lengths.Length(s.doc))
}

// every walks all documents of the segment.
type every struct {
	env       *env
	doc, docs uint32
	score     int64
}

func (e *env) every(score int64) scorer {
	s := &every{env: e, docs: uint32(e.view.Segment.Docs()), score: score}
	return nonEmpty(s, s.docs == 0)
}

func (s *every) Doc() uint32  { return s.doc }
func (s *every) Cost() int    { return int(s.docs) }
func (s *every) Score() int64 { return s.score }
func (s *every) Next() uint32 { return s.Advance(s.doc + 1) }

func (s *every) Advance(target uint32) uint32 {
	if s.doc >= target {
		return s.doc
	}
	if s.doc = noDoc; target < s.docs && s.env.step() {
		s.doc = target
	}
	return s.doc
}

// members walks a set.
type members struct {
	env   *env
	set   docset.Set
	count int
	doc   uint32
	score int64
}

func (e *env) members(score int64, set docset.Set) scorer {
	s := &members{env: e, set: set, count: set.Count(), doc: set.Next(0), score: score}
	return nonEmpty(s, s.count == 0)
}

func (s *members) Doc() uint32  { return s.doc }
func (s *members) Cost() int    { return s.count }
func (s *members) Score() int64 { return s.score }
func (s *members) Next() uint32 { return s.Advance(s.doc + 1) }

func (s *members) Advance(target uint32) uint32 {
	if s.doc >= target {
		return s.doc
	}
	if s.doc = noDoc; s.env.step() {
		s.doc = s.set.Next(target)
	}
	return s.doc
}

// constant gives each match of another scorer the same score.
type constant struct {
	scorer
	score int64
}

func (s *constant) Score() int64 { return s.score }

// nonEmpty gives nil, an absent scorer, for one that matches nothing.
func nonEmpty(s scorer, empty bool) scorer {
	if empty {
		return nil
	}
	return s
}
