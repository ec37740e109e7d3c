package agg_test

import (
	"encoding/json"
	"slices"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/query"
)

func sorted(hashes []uint64) []uint64 {
	slices.Sort(hashes)
	return hashes
}

func nilHit(*agg.Definition, *query.Candidate) (json.RawMessage, error) { return nil, nil }

// number gives the value of aggregation c.
func number(answer string) float64 {
	var a struct{ C struct{ Value float64 } }
	_ = json.Unmarshal([]byte(answer), &a)
	return a.C.Value
}
