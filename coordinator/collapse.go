package coordinator

import (
	"github.com/jetseek/jetseek/coordinator/rank"
	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

// planCollapse adds what one document of each value needs: keys that tell documents apart, and aggregations that count the values, behind all others.
func (p *plan) planCollapse() (err error) {
	if p.body.Collapse == "" {
		return nil
	}
	if p.sort, err = query.ResolveCollapse(p.sort, p.body.Collapse, p.coll.Schema); err != nil {
		return err
	}
	counts, err := agg.Collapsed(p.body.Collapse, p.coll.Schema)
	p.aggs, p.hidden = append(p.aggs, counts...), len(counts)
	p.countTo = 1 // the total is that of the values
	return err
}

// merge makes the page of the groups' lists.
func (p *plan) merge(lists [][]query.Candidate) rank.Page {
	if p.body.Collapse != "" {
		return rank.Collapse(p.sort, lists, p.body.From, p.body.Limit)
	}
	return rank.Merge(p.sort, lists, p.body.From, p.body.Limit)
}

// total gives how many hits there are of all groups, whole or not.
func (a *answered) total(whole bool) wire.Total {
	p := a.plan
	if p.body.Collapse == "" {
		var matches uint64
		for _, part := range a.parts {
			if part.err == nil {
				matches += part.result.Total
			}
		}
		return rank.Total(matches, p.body.TrackTotal, whole)
	}
	counts := a.aggs[len(a.aggs)-p.hidden:]
	values, exact := counts[0].Distinct()
	total := rank.Total(values+counts[1].Count, p.body.TrackTotal, whole && len(a.aggFailed) == 0)
	if !exact && total.Relation == "eq" {
		total.Relation = "estimate"
	}
	return total
}
