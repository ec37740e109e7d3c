package search

import (
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
)

// conjunction walks the documents that all of its parts match, the rarest part leading.
type conjunction struct {
	lead    scorer
	rest    []scorer
	scoring []scorer // those whose scores count
	doc     uint32
}

// newConjunction combines at least one part; scoring are the parts whose scores count.
func newConjunction(parts, scoring []scorer) scorer {
	if len(parts) == 1 && len(scoring) == 1 {
		return parts[0]
	}
	byCost := slices.Clone(parts)
	slices.SortStableFunc(byCost, func(a, b scorer) int { return a.Cost() - b.Cost() })
	s := &conjunction{lead: byCost[0], rest: byCost[1:], scoring: scoring}
	s.align(s.lead.Doc())
	return nonEmpty(s, s.doc == noDoc)
}

func (s *conjunction) Doc() uint32 { return s.doc }
func (s *conjunction) Cost() int   { return s.lead.Cost() }

func (s *conjunction) Next() uint32 {
	s.align(s.lead.Next())
	return s.doc
}

func (s *conjunction) Advance(target uint32) uint32 {
	if s.doc < target {
		s.align(s.lead.Advance(target))
	}
	return s.doc
}

// align goes to the first common document at or behind doc, on which lead stands.
func (s *conjunction) align(doc uint32) {
next:
	for doc != noDoc {
		for _, r := range s.rest {
			if d := r.Advance(doc); d != doc {
				doc = s.lead.Advance(d)
				continue next
			}
		}
		break
	}
	s.doc = doc
}

func (s *conjunction) Score() int64 {
	sum := int64(0)
	for _, p := range s.scoring {
		sum += p.Score()
	}
	return sum
}

// disjunction walks the documents that at least need of its parts match.
type disjunction struct {
	heap []standing // by document: the first is the least
	need int
	doc  uint32
	cost int
}

type standing struct {
	doc uint32
	s   scorer
}

// newDisjunction combines parts of which at least need, at least 1, must match; nil without enough parts.
func newDisjunction(parts []scorer, need int) scorer {
	if len(parts) < need || len(parts) == 0 {
		return nil
	}
	if len(parts) == 1 {
		return parts[0]
	}
	s := &disjunction{need: need}
	for _, p := range parts {
		s.heap = append(s.heap, standing{p.Doc(), p})
		s.cost += p.Cost()
	}
	for i := len(s.heap)/2 - 1; i >= 0; i-- {
		s.down(i)
	}
	s.settle()
	return nonEmpty(s, s.doc == noDoc)
}

func (s *disjunction) Doc() uint32 { return s.doc }
func (s *disjunction) Cost() int   { return s.cost }

func (s *disjunction) Next() uint32 {
	s.pass()
	s.settle()
	return s.doc
}

func (s *disjunction) Advance(target uint32) uint32 {
	if s.doc >= target {
		return s.doc
	}
	for s.heap[0].doc < target {
		s.heap[0].doc = s.heap[0].s.Advance(target)
		s.down(0)
	}
	s.settle()
	return s.doc
}

// pass takes all parts that stand on the least document to their next ones.
func (s *disjunction) pass() {
	for doc := s.heap[0].doc; s.heap[0].doc == doc && doc != noDoc; {
		s.heap[0].doc = s.heap[0].s.Next()
		s.down(0)
	}
}

// settle goes to the first document that enough parts stand on.
func (s *disjunction) settle() {
	for s.need > 1 && s.heap[0].doc != noDoc && s.count(0, s.heap[0].doc) < s.need {
		s.pass()
	}
	s.doc = s.heap[0].doc
}

// count gives how many parts of the heap below i stand on doc, the least document.
func (s *disjunction) count(i int, doc uint32) int {
	if i >= len(s.heap) || s.heap[i].doc != doc {
		return 0
	}
	return 1 + s.count(2*i+1, doc) + s.count(2*i+2, doc)
}

func (s *disjunction) Score() int64 { return s.sum(0) }

func (s *disjunction) sum(i int) int64 {
	if i >= len(s.heap) || s.heap[i].doc != s.doc {
		return 0
	}
	return s.heap[i].s.Score() + s.sum(2*i+1) + s.sum(2*i+2)
}

func (s *disjunction) down(i int) {
	h := s.heap
	top := h[i]
	for {
		least := 2*i + 1
		if least >= len(h) {
			break
		}
		if least+1 < len(h) && h[least+1].doc < h[least].doc {
			least++
		}
		if h[least].doc >= top.doc {
			break
		}
		h[i] = h[least]
		i = least
	}
	h[i] = top
}

// optional walks one scorer and adds the score of another where that one matches too.
type optional struct {
	scorer
	extra scorer
}

func (s *optional) Score() int64 {
	doc := s.scorer.Doc()
	sum := s.scorer.Score()
	if s.extra.Advance(doc) == doc {
		sum += s.extra.Score()
	}
	return sum
}

// exclusion walks one scorer without the documents that another matches.
type exclusion struct {
	scorer
	not scorer
}

func newExclusion(s, not scorer) scorer {
	x := &exclusion{s, not}
	return nonEmpty(x, x.skip(s.Doc()) == noDoc)
}

func (s *exclusion) Next() uint32                 { return s.skip(s.scorer.Next()) }
func (s *exclusion) Advance(target uint32) uint32 { return s.skip(s.scorer.Advance(target)) }

func (s *exclusion) skip(doc uint32) uint32 {
	for doc != noDoc && s.not.Advance(doc) == doc {
		doc = s.scorer.Next()
	}
	return doc
}

// disMax walks the documents that any of its children matches, and scores the best plus tie times the sum of the others, in order, in float64.
type disMax struct {
	scorer
	children []scorer
	tie      float64
	shown    []float64 // scratch: the matching children's scores, in order
}

func (s *disMax) Score() int64 {
	doc, best := s.scorer.Doc(), 0
	s.shown = s.shown[:0]
	for _, c := range s.children {
		if c.Doc() != doc {
			continue
		}
		s.shown = append(s.shown, bm25.Shown(c.Score()))
		if last := len(s.shown) - 1; s.shown[last] > s.shown[best] {
			best = last
		}
	}
	others := 0.0
	for i, v := range s.shown {
		if i != best {
			others += v
		}
	}
	return bm25.Units(s.shown[best] + float64(s.tie*others))
}

// greatest walks a disjunction and scores the best of those that match: a [disMax] without a tie breaker, of any number of parts.
type greatest struct{ *disjunction }

func (s *greatest) Score() int64 { return s.best(0) }

func (s *disjunction) best(i int) int64 {
	if i >= len(s.heap) || s.heap[i].doc != s.doc {
		return 0
	}
	return max(s.heap[i].s.Score(), s.best(2*i+1), s.best(2*i+2))
}

// scaled scores a part of what another scorer does.
type scaled struct {
	scorer
	factor float64
}

func scale(s scorer, factor float64) scorer {
	if s == nil {
		return nil
	}
	return &scaled{s, factor}
}

func (s *scaled) Score() int64 { return bm25.Units(float64(bm25.Shown(s.scorer.Score()) * s.factor)) }
