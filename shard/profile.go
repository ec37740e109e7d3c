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
	data, err := json.Marshal(wire.GroupProfile{
		Node: m.opts.Node, Segments: p.Segments, SearchMs: inMs(searched), CollectMs: inMs(p.Collecting), SortMs: inMs(p.Sorting), AggsMs: inMs(aggregated), Clauses: clauseProfiles(p.Clauses),
	})
	if err != nil {
		return nil, fmt.Errorf("profile: %w", err)
	}
	return data, nil
}

func clauseProfiles(clauses []engine.ClauseProfile) []wire.ClauseProfile {
	told := make([]wire.ClauseProfile, len(clauses))
	for i := range clauses {
		c := &clauses[i]
		told[i] = wire.ClauseProfile{
			Role: string(c.Role), Clause: c.Label, Ms: inMs(c.Total()), OwnMs: inMs(c.Own), Lists: c.Lists, Postings: c.Postings, Visited: c.Visited,
			Skipped: c.Postings - min(c.Visited, c.Postings), Clauses: clauseProfiles(c.Clauses), Hidden: c.Hidden,
		}
	}
	return told
}

// inMs keeps nanoseconds: much of what a clause does takes less than a thousandth of a millisecond.
func inMs(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
