package search

import (
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
)

// atLeast walks those documents of another scorer that score enough.
type atLeast struct {
	scorer
	env      *env
	least    float64 // as shown
	score    int64   // of the document it stands on
	baseless bool    // which has none
}

func (e *env) atLeast(n *query.AtLeast) scorer {
	of := e.compile(n.Child, true)
	if of == nil {
		return nil
	}
	s := &atLeast{scorer: of, env: e, least: n.Score}
	return nonEmpty(s, s.settle(of.Doc()) == noDoc)
}

func (s *atLeast) Score() int64 {
	s.env.baseless = s.env.baseless || s.baseless
	return s.score
}

func (s *atLeast) Next() uint32 { return s.settle(s.scorer.Next()) }

func (s *atLeast) Advance(target uint32) uint32 {
	if doc := s.scorer.Doc(); doc >= target {
		return doc // its score was asked for already
	}
	return s.settle(s.scorer.Advance(target))
}

// settle goes on from a document to the first that scores enough. It stops at one that has no score too, which is an error of the search only if the document matches all of
// the query: so it does not depend on the order in which clauses are asked.
func (s *atLeast) settle(doc uint32) uint32 {
	for doc != noDoc {
		s.score = s.scorer.Score()
		if s.baseless, s.env.baseless = s.env.baseless, false; s.baseless || bm25.Shown(s.score) >= s.least {
			break
		}
		doc = s.scorer.Next()
	}
	return doc
}
