package shard

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/subjects/wire"
)

// profile tells what the member did for a search, as JSON.
func (m *Member) profile(p *engine.SearchProfile, searched, aggregated time.Duration) ([]byte, error) {
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	told := wire.GroupProfile{Node: m.opts.Node, SearchMs: ms(searched), AggsMs: ms(aggregated), Segments: p.Segments, Clauses: []wire.ClauseProfile{}}
	for _, c := range p.Clauses {
		told.Clauses = append(told.Clauses, wire.ClauseProfile{Clause: c.Label, Lists: c.Lists, Postings: c.Postings, Visited: c.Visited, Skipped: c.Postings - min(c.Visited, c.Postings)})
	}
	data, err := json.Marshal(told)
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return data, nil
}
