package search

import (
	"context"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
)

// Probe asks of one document what nodes give it, with the scorers that a search walks: so the answers are a search's. It serves one goroutine.
type Probe struct {
	env  env
	view *View
	doc  uint32
}

// Match is what a node gives a document.
type Match struct {
	Matched bool
	Score   int64  // in units of 2^-32; 0 unless scores were wanted
	Freq    uint32 // of a term or phrase: how often it stands in the document
	Length  uint32 // of a term or phrase: how long its field is there, in tokens
}

// NewProbe makes a probe of a document of a view. ctx ends it as it ends a search.
func NewProbe(ctx context.Context, v *View, doc uint32, weights []bm25.Weight) *Probe {
	return &Probe{env: env{ctx: ctx, weights: weights}, view: v, doc: doc}
}

// Measure gives what a measure is of in the document, false when that has no value of the field, and the number made of it.
func (p *Probe) Measure(of query.Measure) (x float64, has bool, number float64) {
	p.env.enter(p.view)
	m := p.env.measure(of)
	x, has = m.input(p.doc)
	return x, has, m.value(p.doc)
}

// Match evaluates a node. Errors are those of [Run]; after one the probe is spent.
func (p *Probe) Match(n query.Node, scoring bool) (Match, error) {
	e := &p.env
	e.enter(p.view)
	var m Match
	if s := e.compile(n, scoring); s != nil && e.err == nil && s.Advance(p.doc) == p.doc {
		m.Matched = true
		if scoring {
			if m.Score = s.Score(); e.baseless {
				e.fail(query.ErrNoScore())
			}
		}
		switch s := s.(type) {
		case *term:
			m.Freq = s.it.Freq()
			if s.lengths != nil {
				m.Length = s.lengths.Length(p.doc)
			}
		case *phrase:
			m.Freq, m.Length = s.freq, s.lengths.Length(p.doc)
		}
	}
	return m, e.leave()
}
