package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jetseek/jetseek/subjects/wire"
)

// compare asks both systems the same, and counts answers, which must be the same: what is found, in what order, with what scores and values. It fails where any differs.
func compare(ctx context.Context, one, other *system, c *corpus) (answered int, err error) {
	const aggs = `{"sections":{"terms":{"field":"section","size":20},"aggs":{"size":{"stats":{"field":"size"}},"weight":{"sum":{"field":"weight"}}}},"size":{"stats":{"field":"size"}},` +
		`"weight":{"stats":{"field":"weight"}},"mid":{"percentiles":{"field":"weight","percents":[1,50,99]}},"steps":{"histogram":{"field":"size","interval":100}},"kinds":{"cardinality":{"field":"section"}}}`
	var bodies []string
	add := func(format string, args ...any) { bodies = append(bodies, fmt.Sprintf(format, args...)) }
	for _, q := range c.queries {
		add(`{"query":%q,"limit":20,"track_total":true}`, q)
	}
	for _, q := range c.queries[:min(8, len(c.queries))] {
		for _, sort := range []string{`[{"field":"size","order":"desc"}]`, `[{"field":"size"}]`, `[{"field":"section"},{"field":"weight","order":"desc"}]`, `[{"field":"_id","order":"desc"}]`,
			`[{"field":"weight","missing":"first"},{"field":"_score"}]`, `[{"field":"_score","order":"asc"}]`} {
			add(`{"query":%q,"limit":30,"sort":%s,"track_scores":true}`, q, sort)
		}
		add(`{"query":%q,"limit":5,"facets":["section"],"aggs":%s}`, q, aggs)
		add(`{"query":%q,"limit":0,"filters":["size:>=500"],"aggs":%s}`, q, aggs)
	}
	add(`{"limit":0,"aggs":%s}`, aggs)
	add(`{"query":"nothing_has_this_word","aggs":%s}`, aggs)
	for i, body := range bodies {
		var answers [2]string
		for j, s := range []*system{one, other} {
			request, err := wire.DecodeSearch([]byte(body))
			if err != nil {
				return i, fmt.Errorf("%s: %w", body, err)
			}
			request.TimeoutMs = 60_000
			found, err := s.client.Search(ctx, collection, request)
			if err != nil {
				return i, fmt.Errorf("%s: %w", body, err)
			}
			if !found.Exact {
				return i, fmt.Errorf("%s: not exact: %s", body, found.ExactNote)
			}
			text, err := json.Marshal([]any{found.Hits, found.Total, found.Aggs, found.Facets})
			if err != nil {
				return i, err
			}
			answers[j] = string(text)
		}
		if answers[0] != answers[1] {
			return i, fmt.Errorf("answer %d differs: %s\none group    %.2000s\nthe other    %.2000s", i, body, answers[0], answers[1])
		}
	}
	return len(bodies), nil
}
