package search

import (
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

// functions walks the matches of another scorer and scores them by functions of their fields.
type functions struct {
	scorer
	env  *env
	node *query.Functions
	list []function
}

// function is one function in one segment.
type function struct {
	filter scorer // nil: applies to every document
	weight float64
	of     measure
}

func (e *env) functions(n *query.Functions, scoring bool) scorer {
	child := e.compile(n.Child, scoring && n.Boost != factor.Replace)
	if child == nil || !scoring {
		return child
	}
	s := &functions{scorer: child, env: e, node: n}
	for i := range n.List {
		f := function{weight: n.List[i].Weight, of: e.measure(n.List[i].Of)}
		if filter := n.List[i].Filter; filter != nil {
			if f.filter = e.compile(filter, false); f.filter == nil {
				continue // applies to nothing here
			}
		}
		s.list = append(s.list, f)
	}
	return s
}

func (s *functions) Score() int64 {
	doc, own := s.scorer.Doc(), 0.0
	if s.node.Boost != factor.Replace {
		own = bm25.Shown(s.scorer.Score())
	}
	tally := factor.Tally{Mode: s.node.Mode}
	sound := true
	for i := range s.list {
		f := &s.list[i]
		if f.filter != nil && f.filter.Advance(doc) != doc {
			continue
		}
		value := float64(f.weight * f.of.value(doc))
		if sound = sound && query.Sound(value); !tally.Add(value, f.weight) {
			break
		}
	}
	score, ok := s.node.Score(own, tally.Factor())
	if !ok || !sound {
		s.env.baseless = true
		return 0
	}
	return bm25.Units(score)
}

// measure gives the number that a [query.Measure] makes of the documents of one segment.
type measure struct {
	of     query.Measure // nil: 1
	ints   *docvalues.Column
	floats *docvalues.Column
	places places

	distances []float64 // scratch
}

func (e *env) measure(of query.Measure) measure {
	m := measure{of: of}
	name, kind := "", schema.Type(0)
	switch of := of.(type) {
	case *query.ValueOf:
		name, kind = of.Field, of.Type
	case *query.Nearness:
		name, kind = of.Field, of.Type
	}
	if kind == schema.Geo {
		m.places, _ = placesOf(e.view.Segment, name)
	} else if f := e.view.Segment.Field(name); f != nil {
		if kind == schema.Double && f.HasFloats {
			m.floats = &f.Floats
		} else if kind != schema.Double && f.HasInts {
			m.ints = &f.Ints
		}
	}
	return m
}

// value gives the number of a document.
func (m *measure) value(doc uint32) float64 {
	if m.of == nil {
		return 1
	}
	return m.of.Of(m.input(doc))
}

// input gives what the measure is of in a document; false when it has no value of the field.
func (m *measure) input(doc uint32) (float64, bool) {
	switch of := m.of.(type) {
	case *query.ValueOf:
		return m.least(doc, of.Type == schema.Date)
	case *query.Nearness:
		m.distances = m.measure(m.distances[:0], of, doc)
		return of.Pick.Of(m.distances), len(m.distances) > 0
	}
	return 0, false
}

// least gives a document's least value, a time in milliseconds; false when it has none.
func (m *measure) least(doc uint32, isTime bool) (float64, bool) {
	switch {
	case m.ints != nil:
		if from, to := m.ints.Range(doc); from < to && isTime {
			return query.Milliseconds(m.ints.Int(from)), true
		} else if from < to {
			return float64(m.ints.Int(from)), true
		}
	case m.floats != nil:
		if from, to := m.floats.Range(doc); from < to {
			return m.floats.Float(from), true
		}
	}
	return 0, false
}

// measure appends how far each value of a document lies from an origin.
func (m *measure) measure(distances []float64, of *query.Nearness, doc uint32) []float64 {
	switch {
	case m.places.lat != nil:
		if p, ok := m.places.of(doc); ok {
			distances = append(distances, of.Geo(p))
		}
	case m.ints != nil:
		for from, to := m.ints.Range(doc); from < to; from++ {
			if v := m.ints.Int(from); of.Type == schema.Date {
				distances = append(distances, of.Date(v))
			} else {
				distances = append(distances, of.Number(float64(v)))
			}
		}
	case m.floats != nil:
		for from, to := m.floats.Range(doc); from < to; from++ {
			distances = append(distances, of.Number(m.floats.Float(from)))
		}
	}
	return distances
}
