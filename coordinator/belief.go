package coordinator

import (
	"context"
	"sync"
	"time"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// mostBeliefs bounds the statistics that are remembered, of fields and terms in groups; beyond it all are forgotten.
	mostBeliefs = 1 << 18
	// mostHistories bounds the collections of which it is remembered how beliefs fared.
	mostHistories = 4096
	// missCost is for how many searches statistics are asked for first after a belief did not hold, the more the oftener it happens: where writes are common it is the rule. lastingMiss bounds it.
	missCost    = 4
	lastingMiss = 64
)

// beliefs are the statistics that groups have told, remembered so that a search need not ask for them: they are sent along, and a member searches if its snapshot has the same. What is remembered may be
// wrong at any time; then it costs time and nothing else.
type beliefs struct {
	mu        sync.Mutex // guards what follows
	known     map[believed]*statistics
	size      int
	histories map[schema.Incarnation]*history
}

// believed is what beliefs are of.
type believed struct {
	collection schema.Incarnation
	group      string
}

type statistics struct {
	fields map[string]bm25.FieldStats
	terms  map[bm25.FieldTerm]uint64
}

// history is how beliefs of a collection fared.
type history struct {
	wait int // so many searches ask first
	cost int // of the next miss
}

// remember takes what a group has told.
func (b *beliefs) remember(of believed, fields []string, terms []bm25.FieldTerm, told bm25.Stats) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.size > mostBeliefs || b.known == nil {
		b.known, b.size = map[believed]*statistics{}, 0
	}
	s := b.known[of]
	if s == nil {
		s = &statistics{fields: map[string]bm25.FieldStats{}, terms: map[bm25.FieldTerm]uint64{}}
		b.known[of] = s
	}
	before := len(s.fields) + len(s.terms)
	for i, name := range fields {
		s.fields[name] = told.Fields[i]
	}
	for i, t := range terms {
		s.terms[t] = told.DF[i]
	}
	b.size += len(s.fields) + len(s.terms) - before
}

// recall gives what is believed of a group; false when not all is known.
func (b *beliefs) recall(of believed, fields []string, terms []bm25.FieldTerm) (bm25.Stats, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.known[of]
	if s == nil {
		return bm25.Stats{}, false
	}
	stats := bm25.Stats{Fields: make([]bm25.FieldStats, len(fields)), DF: make([]uint64, len(terms))}
	for i, name := range fields {
		f, known := s.fields[name]
		if !known {
			return bm25.Stats{}, false
		}
		stats.Fields[i] = f
	}
	for i, t := range terms {
		df, known := s.terms[t]
		if !known {
			return bm25.Stats{}, false
		}
		stats.DF[i] = df
	}
	return stats, true
}

// tries tells whether a search of a collection should rely on beliefs.
func (b *beliefs) tries(c schema.Incarnation) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.history(c)
	if h.wait > 0 {
		h.wait--
		return false
	}
	return true
}

// fared notes whether the beliefs of a search held.
func (b *beliefs) fared(c schema.Incarnation, held bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.history(c)
	if held {
		h.cost = missCost
		return
	}
	h.wait, h.cost = h.cost, min(2*h.cost, lastingMiss)
}

func (b *beliefs) history(c schema.Incarnation) *history {
	h := b.histories[c]
	if h == nil {
		if b.histories == nil || len(b.histories) >= mostHistories {
			b.histories = map[schema.Incarnation]*history{}
		}
		h = &history{cost: missCost}
		b.histories[c] = h
	}
	return h
}

// believe gives every group the statistics that are remembered of it; false when they must be asked for: some are not known, belong to terms that are not agreed yet, or are likely not to hold.
func (c *Coordinator) believe(out *answered) bool {
	p := out.plan
	if p.walk != nil || len(p.fuzzy)+len(p.likes) > 0 || !c.beliefs.tries(p.coll.Incarnation) {
		return false
	}
	for _, part := range out.parts {
		stats, known := c.beliefs.recall(believed{p.coll.Incarnation, part.group.Name}, p.fields, p.terms)
		if !known {
			return false
		}
		part.stats = stats
	}
	return true
}

// searchBelieved searches every group under the weights of what is believed of all. Where that does not hold for all of them, or one is missing, the weights are made anew of what the others told and
// hold at the snapshots that they have pinned, and these are searched.
func (c *Coordinator) searchBelieved(ctx context.Context, out *answered) error {
	began := time.Now()
	weights, err := out.weigh()
	if err != nil {
		return err
	}
	p := out.plan
	out.path = pathBelieved
	for _, part := range out.parts {
		part.belief = &wire.Belief{Fields: p.fields, Terms: p.terms, Stats: part.stats}
	}
	c.gatherResults(ctx, out, weights)
	held := true
	for _, part := range out.parts {
		if part.belief = nil; part.err != nil || part.result == nil {
			held = false
		}
		if part.err == nil && part.result == nil {
			c.beliefs.remember(believed{p.coll.Incarnation, part.group.Name}, p.fields, p.terms, part.stats)
		}
	}
	c.beliefs.fared(p.coll.Incarnation, held)
	if held {
		return nil
	}
	out.path = pathRepeated
	out.statsTook = time.Since(began)
	if weights, err = out.weigh(); err == nil {
		c.gatherResults(ctx, out, weights)
	}
	return err
}

// weigh makes the weights of the sum of the statistics of the groups that have not failed; none where each group weighs for itself.
func (a *answered) weigh() ([]bm25.Weight, error) {
	var err error
	if a.stats, err = a.sum(); err != nil || a.plan.body.Stats == "local" {
		return nil, err
	}
	return query.Weigh(a.plan.leaves, a.plan.fields, a.plan.terms, a.stats)
}
