package rank_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/coordinator/rank"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// The page must be the one that sorting the union by a comparison written here gives.
func TestMergeIsTheSortedUnion(t *testing.T) {
	for seed := range uint64(2000) {
		r := rand.New(rand.NewPCG(seed, 1))
		keys, less := randomOrder(r)
		var union []query.Candidate
		lists := make([][]query.Candidate, r.IntN(9))
		for i := range lists {
			for n := range r.IntN(12) {
				lists[i] = append(lists[i], randomCandidate(r, fmt.Sprintf("%c%d", 'a'+r.IntN(4), i*100+n), len(keys)))
			}
			slices.SortFunc(lists[i], less)
			if err := rank.Check(keys, lists[i]); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			union = append(union, lists[i]...)
		}
		slices.SortFunc(union, less)
		from, limit := r.IntN(20), r.IntN(20)
		want := union[min(from, len(union)):min(from+limit, len(union))]
		got := rank.Merge(keys, lists, from, limit)
		if ids(got.Page) != ids(want) || got.Duplicates != 0 {
			t.Fatalf("seed %d: from %d limit %d of %v by %+v:\ngot  %s, %d duplicates\nwant %s", seed, from, limit, lists, keys, ids(got.Page), got.Duplicates, ids(want))
		}
		for i, c := range got.Page {
			if !slices.ContainsFunc(lists[got.Lists[i]], func(o query.Candidate) bool { return o.ID == c.ID }) {
				t.Fatalf("seed %d: %s is not in list %d", seed, c.ID, got.Lists[i])
			}
		}
	}
}

func TestMergeDropsRepeatedIDs(t *testing.T) {
	lists := [][]query.Candidate{
		{{ID: "a", Score: 9}, {ID: "b", Score: 5}, {ID: "c", Score: 1}},
		{{ID: "a", Score: 9}, {ID: "b", Score: 4}, {ID: "d", Score: 2}},
	}
	got := rank.Merge(nil, lists, 0, 4)
	if ids(got.Page) != "a b d c" || got.Duplicates != 2 {
		t.Errorf("got %s, %d duplicates", ids(got.Page), got.Duplicates)
	}
	if got.Page[1].Score != 5 || got.Lists[0] != 0 {
		t.Errorf("the better copy, or the first list, was not taken: %+v", got)
	}
	if got = rank.Merge(nil, lists, 1, 2); ids(got.Page) != "b d" {
		t.Errorf("second page: %s", ids(got.Page))
	}
}

func TestMergeOfNothing(t *testing.T) {
	for _, lists := range [][][]query.Candidate{nil, {nil, nil}, {{}}} {
		if got := rank.Merge(nil, lists, 0, 10); len(got.Page) != 0 {
			t.Errorf("got %+v", got)
		}
	}
	if got := rank.Merge(nil, [][]query.Candidate{{{ID: "a"}}}, 0, 0); len(got.Page) != 0 {
		t.Errorf("limit 0 gives %+v", got)
	}
}

func TestCheckRefusesWhatWouldMergeWrongly(t *testing.T) {
	byField := []query.SortKey{{By: query.ByField, Type: schema.Long}}
	for name, c := range map[string]struct {
		keys []query.SortKey
		list []query.Candidate
	}{
		"missing keys":   {byField, []query.Candidate{{ID: "a"}}},
		"too many keys":  {nil, []query.Candidate{{ID: "a", Keys: make([]query.Key, 1)}}},
		"wrong order":    {nil, []query.Candidate{{ID: "a", Score: 1}, {ID: "b", Score: 2}}},
		"the same twice": {nil, []query.Candidate{{ID: "a", Score: 1}, {ID: "a", Score: 1}}},
	} {
		if rank.Check(c.keys, c.list) == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestTotals(t *testing.T) {
	for _, c := range []struct {
		name  string
		sum   uint64
		track int64
		whole bool
		want  wire.Total
	}{
		{"below the limit", 1315, 10000, true, wire.Total{Value: 1315, Relation: "eq"}},
		{"at the limit", 10000, 10000, true, wire.Total{Value: 10000, Relation: "eq"}},
		{"beyond the limit", 10001, 10000, true, wire.Total{Value: 10000, Relation: "gte"}},
		{"exact", 12_000_000, wire.TrackExact, true, wire.Total{Value: 12_000_000, Relation: "eq"}},
		{"not tracked", 7, wire.TrackEstimate, true, wire.Total{Value: 7, Relation: "estimate"}},
		{"whether there are any", 7, 0, true, wire.Total{Value: 0, Relation: "gte"}},
		{"whether there are any, of none", 0, 0, true, wire.Total{Value: 0, Relation: "eq"}},
		{"a group is missing", 7, 10, false, wire.Total{Value: 7, Relation: "gte"}},
		{"missing and beyond", 70, 10, false, wire.Total{Value: 10, Relation: "gte"}},
	} {
		if got := rank.Total(c.sum, c.track, c.whole); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

func BenchmarkMerge(b *testing.B) {
	lists := make([][]query.Candidate, 3)
	for i := range lists {
		for n := range 200 {
			lists[i] = append(lists[i], query.Candidate{ID: fmt.Sprintf("doc-%d-%d", i, n), Score: int64(1000 - n)})
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		rank.Merge(nil, lists, 0, 10)
	}
}

// randomOrder gives sort keys and the order that they mean, written out.
func randomOrder(r *rand.Rand) ([]query.SortKey, func(a, b query.Candidate) int) {
	byScore := func(a, b query.Candidate) int {
		if a.Score != b.Score {
			if a.Score > b.Score {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	}
	if r.IntN(3) == 0 {
		return nil, byScore
	}
	key := query.SortKey{By: query.ByField, Field: "n", Type: schema.Long, Desc: r.IntN(2) == 0, MissingFirst: r.IntN(2) == 0}
	return []query.SortKey{key}, func(a, b query.Candidate) int {
		x, y := place(a.Keys[0], key), place(b.Keys[0], key)
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
		return strings.Compare(a.ID, b.ID)
	}
}

// place maps a value to a number that orders as the key says.
func place(k query.Key, by query.SortKey) int64 {
	switch {
	case k.Kind == query.KeyMissing && by.MissingFirst:
		return -1 << 40
	case k.Kind == query.KeyMissing:
		return 1 << 40
	case by.Desc:
		return -k.Int
	}
	return k.Int
}

func randomCandidate(r *rand.Rand, id string, keys int) query.Candidate {
	c := query.Candidate{ID: id, Score: r.Int64N(4)}
	for range keys {
		k := query.Key{Kind: query.KeyInt, Int: r.Int64N(4)}
		if r.IntN(4) == 0 {
			k = query.Key{}
		}
		c.Keys = append(c.Keys, k)
	}
	return c
}

func ids(list []query.Candidate) string {
	var s []string
	for i := range list {
		s = append(s, list[i].ID)
	}
	return strings.Join(s, " ")
}
