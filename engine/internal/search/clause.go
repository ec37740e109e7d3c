package search

import (
	"slices"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/query"
)

// masks makes masks of clauses for the segment entered, and keeps their memory for the next segments.
type masks struct {
	env    *env
	memory []*mask
	used   int
}

// enter begins a segment.
func (p *masks) enter(e *env) { p.env, p.used = e, 0 }

// leave ends a segment: its faults, if any.
func (p *masks) leave() {
	for _, m := range p.memory[:p.used] {
		if err := m.blocks.Err(); err != nil {
			p.env.fail(corrupt(&m.blocks))
		}
	}
}

// forget lets go of segments.
func (p *masks) forget() {
	for _, m := range p.memory {
		m.blocks.Close()
		m.account, m.span, m.walk, m.parts = nil, span{}, nil, m.parts[:0]
	}
	p.env = nil
}

func (p *masks) take(kind maskKind) *mask {
	if p.used == len(p.memory) {
		p.memory = append(p.memory, &mask{})
	}
	m := p.memory[p.used]
	p.used++
	m.account = p.env.charged()
	m.kind, m.not, m.ordered, m.columns, m.at, m.parts, m.walk = kind, false, false, false, 0, m.parts[:0], nil
	m.docs, m.markCost, m.siftCost = p.segmentDocs(), windowCost, valueCost
	return m
}

func (p *masks) segmentDocs() int { return p.env.view.Segment.Docs() }

// of makes the mask of a clause; nil when nothing matches.
func (p *masks) of(n query.Node) *mask {
	was := p.env.charge(p.env.account(n))
	m := p.mask(n)
	p.env.charge(was)
	return m
}

func (p *masks) mask(n query.Node) *mask {
	e := p.env
	switch n := n.(type) {
	case *query.MatchAll:
		return p.take(everything)
	case *query.MatchNone:
		return nil
	case *query.ConstantScore:
		return p.of(n.Child)
	case *query.Scaled:
		return p.of(n.Child)
	case *query.Functions:
		return p.of(n.Child)
	case *query.Bool:
		if n.MinShould <= 1 {
			return p.bool(n)
		}
	case *query.TextTerm:
		if f := e.view.Segment.Field(n.Field); f != nil && f.HasText && e.step() {
			if _, ref, ok := f.Terms.Lookup(n.Term); ok {
				return p.list(f.TermPostings(), ref)
			}
		}
		return nil
	case *query.KeywordSet:
		return p.keywords(n)
	case *query.IDs:
		m := p.take(inSet)
		m.clear(p.segmentDocs())
		e.addIDs(m.set, n)
		return p.counted(m)
	}
	if in, ok := e.interval(n); ok {
		return p.column(in)
	}
	s := e.compile(n, false)
	if s == nil {
		return nil
	}
	m := p.take(walked)
	m.walk, m.ordered, m.docs, m.siftCost = s, true, s.Cost(), seekCost
	m.markCost += walkCost * m.inWindow(p.segmentDocs())
	return m
}

// inWindow estimates how many documents of a window match.
func (m *mask) inWindow(docs int) int { return m.docs*windowDocs/docs + 1 }

// list makes the mask of the documents in a list.
func (p *masks) list(src postings.Source, ref postings.Ref) *mask {
	m := p.take(inList)
	m.blocks.Open(src, ref)
	if p.env.profile != nil {
		p.env.profile.list(ref, &m.blocks)
	}
	m.docs, m.siftCost = int(ref.DF), seekCost
	m.markCost += 2*seekCost + postCost*m.inWindow(p.segmentDocs())
	return m
}

// column makes the mask of an interval. Some of its blocks tell how many documents match, and how many must be looked at.
func (p *masks) column(in interval) *mask {
	if in.col == nil {
		return nil
	}
	m := p.take(inColumn)
	m.cover(p.env, in)
	const samples = 64
	blocks := in.col.Blocks()
	seen, covered, looked := 0, 0, 0
	for block := 0; block < blocks; block += blocks/samples + 1 {
		seen++
		switch m.span.values.Cover(block) {
		case docvalues.All:
			covered++
		case docvalues.Some:
			covered++
			looked++
		}
	}
	if seen > 0 {
		m.docs = m.docs * covered / seen
		m.markCost += columnCost * looked / seen * m.siftCost / valueCost
	}
	return m
}

// cover makes a column tell what documents match.
func (m *mask) cover(e *env, in interval) {
	m.span = span{env: e, values: in.col.Span(in.lo, in.hi), among: in.among, col: in.col, block: -1}
	m.siftCost = valueCost
	if in.among != nil {
		m.siftCost = searchCost
	}
}

// keywords makes the mask of exact values: a list each, or when there are many, the column or a set, whichever costs less to read.
func (p *masks) keywords(n *query.KeywordSet) *mask {
	f := p.env.view.Segment.Field(n.Field)
	if f == nil || !f.HasExact {
		return nil
	}
	m := p.take(inAny)
	m.ords, m.refs = m.ords[:0], m.refs[:0]
	postings := 0
	for _, v := range n.Values {
		if !p.env.step() {
			return nil
		}
		if ord, ref, ok := f.Exact.Lookup(v); ok {
			m.ords, m.refs, postings = append(m.ords, int64(ord)), append(m.refs, ref), postings+int(ref.DF)
		}
	}
	in := oneOf(&f.Ordinals, m.ords, 0)
	switch {
	case len(m.refs) == 0:
		return nil
	case len(m.refs) == 1:
		one := p.list(f.ExactPostings(), m.refs[0])
		one.columns = true
		one.cover(p.env, in)
		return one
	case len(m.refs) <= listTerms:
		p.lists(m, f)
		m.columns = true
		m.cover(p.env, in)
		return m
	case postings > p.segmentDocs()/8:
		return p.column(in)
	}
	m.kind = inSet
	m.clear(p.segmentDocs())
	for _, ref := range m.refs {
		p.env.addList(m.set, f.ExactPostings(), ref)
	}
	return p.counted(m)
}

// lists makes the parts of a mask of several lists.
func (p *masks) lists(m *mask, f *segment.Field) {
	m.docs, m.markCost = 0, windowCost
	for _, ref := range m.refs {
		l := p.list(f.ExactPostings(), ref)
		m.parts = append(m.parts, l)
		m.docs, m.markCost = m.docs+l.docs, m.markCost+l.markCost
	}
}

// clear empties the set.
func (m *mask) clear(docs int) {
	words := (docs + 63) / 64
	if cap(m.set) < words {
		m.set = docset.New(docs)
	}
	m.set = m.set[:words]
	clear(m.set)
}

// counted is a mask of a set, nil of an empty one.
func (p *masks) counted(m *mask) *mask {
	if m.docs = m.set.Count(); m.docs == 0 || p.env.err != nil {
		return nil
	}
	return m
}

// bool makes the mask of a node of which at most one alternative must match.
func (p *masks) bool(n *query.Bool) *mask {
	m := p.take(inAll)
	m.markCost, m.siftCost = windowCost, 0
	for _, clauses := range [][]query.Node{n.Must, n.Filter} {
		for _, clause := range clauses {
			part := p.of(clause)
			if part == nil {
				return nil
			}
			m.require(part)
		}
	}
	if n.MinShould == 1 {
		part := p.any(n.Should)
		if part == nil {
			return nil
		}
		m.require(part)
	}
	for _, clause := range n.MustNot {
		if part := p.of(clause); part != nil {
			part.negate(p.segmentDocs())
			m.require(part)
		}
	}
	if len(m.parts) == 1 {
		return m.parts[0]
	}
	slices.SortStableFunc(m.parts, func(a, b *mask) int { return a.markCost - b.markCost })
	return m
}

func (m *mask) require(part *mask) {
	m.parts = append(m.parts, part)
	m.docs, m.markCost, m.siftCost = min(m.docs, part.docs), m.markCost+part.markCost, m.siftCost+part.siftCost
	m.ordered = m.ordered || part.ordered
}

// negate makes the mask stand for all other documents.
func (m *mask) negate(docs int) { m.not, m.docs = !m.not, max(docs-m.docs, 0) }

// any makes the mask of documents that match one of some clauses; nil when none does.
func (p *masks) any(clauses []query.Node) *mask {
	m := p.take(inAny)
	m.docs, m.markCost, m.siftCost = 0, windowCost, 0
	for _, clause := range clauses {
		if part := p.of(clause); part != nil {
			m.parts = append(m.parts, part)
			m.docs, m.markCost, m.siftCost = min(m.docs+part.docs, p.segmentDocs()), m.markCost+part.markCost, m.siftCost+part.siftCost
			m.ordered = m.ordered || part.ordered
		}
	}
	switch len(m.parts) {
	case 0:
		return nil
	case 1:
		return m.parts[0]
	}
	return m
}
