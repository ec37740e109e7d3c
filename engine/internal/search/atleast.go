package search

import "github.com/jetseek/jetseek/engine/bm25"

// atLeast walks those documents of another scorer that score enough.
type atLeast struct {
	scorer
	least float64 // as shown
	score int64   // of the document it stands on
}

func newAtLeast(of scorer, least float64) scorer {
	if of == nil {
		return nil
	}
	s := &atLeast{scorer: of, least: least}
	return nonEmpty(s, s.settle(of.Doc()) == noDoc)
}

func (s *atLeast) Score() int64 { return s.score }
func (s *atLeast) Next() uint32 { return s.settle(s.scorer.Next()) }

func (s *atLeast) Advance(target uint32) uint32 {
	if doc := s.scorer.Doc(); doc >= target {
		return doc // its score was asked for already
	}
	return s.settle(s.scorer.Advance(target))
}

// settle goes on from a document to the first that scores enough.
func (s *atLeast) settle(doc uint32) uint32 {
	for doc != noDoc {
		if s.score = s.scorer.Score(); bm25.Shown(s.score) >= s.least {
			break
		}
		doc = s.scorer.Next()
	}
	return doc
}
