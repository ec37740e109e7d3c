package embedded

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// counted is a document of [TestAggregationsInEveryShape].
type counted struct {
	ID    string    `json:"id"`
	Words string    `json:"words"`
	Tags  []string  `json:"tags,omitempty"`
	N     []int64   `json:"n,omitempty"`
	X     []float64 `json:"x,omitempty"`
	On    string    `json:"on,omitempty"`
}

// Aggregations equal, to the bit, what goes over all documents compute, in systems of several shapes, after updates and deletes.
func TestAggregationsInEveryShape(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	live := map[string]counted{}
	var lines strings.Builder
	for range 900 {
		d := randomCounted(r, fmt.Sprintf("d%d", r.IntN(500)))
		if _, there := live[d.ID]; there && r.IntN(3) == 0 {
			delete(live, d.ID)
			fmt.Fprintf(&lines, "{\"_delete\":%q}\n", d.ID)
			continue
		}
		live[d.ID] = d
		line, _ := json.Marshal(d)
		fmt.Fprintf(&lines, "%s\n", line)
	}
	const body = `{"query":%s,"limit":0,"facets":["tags"],"aggs":{
		"tags":{"terms":{"field":"tags","size":5},"aggs":{"n":{"stats":{"field":"n"}},"x":{"sum":{"field":"x"}}}},
		"n":{"stats":{"field":"n"}},"x":{"stats":{"field":"x"}},
		"mid":{"percentiles":{"field":"x","percents":[0,12.5,50,99,100]}},"ranks":{"percentiles":{"field":"n","percents":[25,75]}},
		"distinct":{"cardinality":{"field":"n"}},"kinds":{"cardinality":{"field":"tags"}},
		"steps":{"histogram":{"field":"n","interval":7,"offset":2}},
		"months":{"date_histogram":{"field":"on","calendar_interval":"month"}},
		"parts":{"range":{"field":"n","ranges":[{"to":-10},{"from":-10,"to":10},{"from":10}]}},
		"none":{"missing":{"field":"x"}}}}`
	// with few parts, groups are asked for more; with many, they send all at once
	for _, shape := range []struct{ groups, members, parts int }{{1, 1, 1}, {2, 1, 3}, {3, 2, 0}, {3, 2, 2}, {5, 1, 6}, {8, 1, 1}} {
		c := open(t, Options{Groups: shape.groups, Members: shape.members, aggregateParts: shape.parts}).Client()
		if _, err := c.CreateCollection(t.Context(), "c", json.RawMessage(`{"fields":{"words":{"type":"text"},"tags":{"type":"keyword"},"n":{"type":"long"},"x":{"type":"double"},"on":{"type":"date"}}}`)); err != nil {
			t.Fatal(err)
		}
		if r, err := c.Bulk(t.Context(), "c", []byte(lines.String()), client.WriteOptions{Timeout: time.Minute}); err != nil || !r.OK {
			t.Fatalf("%.600v, %v", r, err)
		}
		for _, word := range []string{"", "w0", "w3", "w9", "nowhere"} {
			var matched []counted
			for _, d := range live {
				if word == "" || slices.Contains(strings.Fields(d.Words), word) {
					matched = append(matched, d)
				}
			}
			query := `{"match_all":{}}`
			if word != "" {
				query = fmt.Sprintf(`{"match":{"words":%q}}`, word)
			}
			least := ""
			if word == "w3" || word == "w9" { // less what scores too little: 0.5 or less is 60 or more below the greatest n
				matched = slices.DeleteFunc(matched, func(d counted) bool { return len(d.N) > 0 && slices.Max(d.N) < -20 })
				if word == "w3" {
					least = `,"min_score":0.504`
				}
				query = fmt.Sprintf(`{"function_score":{"query":%s,"linear":{"n":{"origin":39,"scale":60}},"boost_mode":"replace"%s}}`, query, least)
			}
			search, err := wire.DecodeSearch(fmt.Appendf(nil, body, query))
			if err != nil {
				t.Fatal(err)
			}
			if search.TimeoutMs = 20_000; word == "w9" {
				search.MinScore = new(float64)
				*search.MinScore = 0.504
			}
			found, err := c.Search(t.Context(), "c", search)
			if err != nil || !found.Exact {
				t.Fatalf("%v, %+v", err, found)
			}
			aggs, facets := aggregatesOf(matched)
			sameValues(t, fmt.Sprintf("%dx%d, %q: aggs", shape.groups, shape.members, word), found.Aggs, aggs)
			sameValues(t, fmt.Sprintf("%dx%d, %q: facets", shape.groups, shape.members, word), found.Facets, facets)
		}
	}
}

func randomCounted(r *rand.Rand, id string) counted {
	d := counted{ID: id, Words: fmt.Sprintf("w%d w%d", r.IntN(4), r.IntN(20))}
	for range r.IntN(4) {
		d.Tags = append(d.Tags, fmt.Sprintf("t%d", int(12*math.Pow(r.Float64(), 2))))
	}
	for range r.IntN(3) {
		d.N = append(d.N, r.Int64N(80)-40)
	}
	for range r.IntN(3) { // of sizes that lose most digits of each other when they are added one by one
		d.X = append(d.X, (r.Float64()-0.5)*math.Pow(10, float64(r.IntN(40)-20)))
	}
	if r.IntN(5) > 0 {
		d.On = time.Date(1968+r.IntN(4), time.Month(1+r.IntN(12)), 1+r.IntN(28), r.IntN(24), 0, 0, 0, time.UTC).Format(time.RFC3339)
	}
	return d
}

// aggregatesOf computes what the test asks for, one document after the other.
func aggregatesOf(docs []counted) (aggs, facets map[string]any) {
	byTag, byStep, byMonth := map[string][]counted{}, map[int64]int{}, map[int64]int{}
	var ns []int64
	var xs []float64
	parts := [3]int{}
	missing := 0
	for _, d := range docs {
		for _, tag := range slices.Compact(slices.Sorted(slices.Values(d.Tags))) {
			byTag[tag] = append(byTag[tag], d)
		}
		ns, xs = append(ns, d.N...), append(xs, d.X...)
		steps, in := map[int64]bool{}, [3]bool{}
		for _, n := range d.N {
			steps[int64(math.Floor(float64(n-2)/7))*7+2] = true
			in[0], in[1], in[2] = in[0] || n < -10, in[1] || n >= -10 && n < 10, in[2] || n >= 10
		}
		for step := range steps {
			byStep[step]++
		}
		for i := range parts {
			if in[i] {
				parts[i]++
			}
		}
		if len(d.X) == 0 {
			missing++
		}
		if d.On != "" {
			on, _ := time.Parse(time.RFC3339, d.On)
			byMonth[time.Date(on.Year(), on.Month(), 1, 0, 0, 0, 0, time.UTC).UnixMilli()]++
		}
	}
	tags := slices.SortedFunc(maps.Keys(byTag), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(byTag[b]), len(byTag[a])), cmp.Compare(a, b))
	})
	buckets, values, other := []any{}, []any{}, 0
	for i, tag := range tags {
		values = append(values, map[string]any{"value": tag, "count": len(byTag[tag])})
		if i >= 5 {
			other += len(byTag[tag])
			continue
		}
		var n []int64
		var x []float64
		for _, d := range byTag[tag] {
			n, x = append(n, d.N...), append(x, d.X...)
		}
		buckets = append(buckets, map[string]any{"key": tag, "count": len(byTag[tag]), "aggs": map[string]any{"n": statsOf(n), "x": map[string]any{"value": sumOf(x)}}})
	}
	steps, months := []any{}, []any{}
	for _, key := range slices.Sorted(maps.Keys(byStep)) {
		steps = append(steps, map[string]any{"key": key, "count": byStep[key]})
	}
	for _, key := range slices.Sorted(maps.Keys(byMonth)) {
		months = append(months, map[string]any{"key": key, "key_text": time.UnixMilli(key).UTC().Format("2006-01-02T15:04:05.000Z07:00"), "count": byMonth[key]})
	}
	distinct := map[int64]bool{}
	for _, n := range ns {
		distinct[n] = true
	}
	return map[string]any{
		"tags": map[string]any{"buckets": buckets, "other": other}, "n": statsOf(ns), "x": statsOf(xs),
		"mid": map[string]any{"values": percentilesOf(xs, 0, 12.5, 50, 99, 100)}, "ranks": map[string]any{"values": percentilesOf(ns, 25, 75)},
		"distinct": map[string]any{"value": len(distinct)}, "kinds": map[string]any{"value": len(byTag)},
		"steps": map[string]any{"buckets": steps}, "months": map[string]any{"buckets": months},
		"parts": map[string]any{"buckets": []any{map[string]any{"key": "*--10", "count": parts[0]}, map[string]any{"key": "-10-10", "count": parts[1]}, map[string]any{"key": "10-*", "count": parts[2]}}},
		"none":  map[string]any{"count": missing},
	}, map[string]any{"tags": values}
}

// sumOf is the sum of values as rational numbers, rounded once.
func sumOf[V int64 | float64](values []V) float64 {
	sum := new(big.Rat)
	for _, v := range values {
		sum.Add(sum, new(big.Rat).SetFloat64(float64(v)))
	}
	rounded, _ := sum.Float64()
	return rounded
}

func statsOf[V int64 | float64](values []V) map[string]any {
	if len(values) == 0 {
		return map[string]any{"count": 0, "min": nil, "max": nil, "sum": 0, "avg": nil}
	}
	sum := sumOf(values)
	return map[string]any{"count": len(values), "min": slices.Min(values), "max": slices.Max(values), "sum": sum, "avg": sum / float64(len(values))}
}

func percentilesOf[V int64 | float64](values []V, percents ...float64) map[string]any {
	slices.Sort(values)
	all := map[string]any{}
	for _, p := range percents {
		name := fmt.Sprint(p)
		if len(values) == 0 {
			all[name] = nil
			continue
		}
		rank := p / 100 * float64(len(values)-1)
		i := int(rank)
		v, next := float64(values[i]), float64(values[min(i+1, len(values)-1)])
		all[name] = v + float64((next-v)*(rank-float64(i)))
	}
	return all
}

// sameJSON compares what was got, less the texts of ranges' keys, with values.
func sameValues(t *testing.T, name string, got json.RawMessage, want map[string]any) {
	t.Helper()
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var a, b map[string]any
	if err := json.Unmarshal(got, &a); err != nil {
		t.Fatalf("%s: %v: %s", name, err, got)
	}
	if err := json.Unmarshal(text, &b); err != nil {
		t.Fatal(err)
	}
	for key := range b {
		if !reflect.DeepEqual(a[key], b[key]) {
			x, _ := json.Marshal(a[key])
			y, _ := json.Marshal(b[key])
			t.Errorf("%s %s:\n%.900s, want\n%.900s", name, key, x, y)
		}
	}
}
