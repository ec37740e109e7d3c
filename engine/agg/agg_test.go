package agg_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine/agg"
	"github.com/jetseek/jetseek/engine/schema"
)

func testSchema(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(`{"fields":{"k":{"type":"keyword"},"n":{"type":"long"},"x":{"type":"double"},"at":{"type":"date"},"b":{"type":"bool"},"body":{"type":"text"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSumsAreRoundedOnce holds sums of doubles of all sizes to big.Float, which adds them without rounding.
func TestSumsAreRoundedOnce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 1))
	for round := range 60 {
		var s agg.Summer
		exact := new(big.Float).SetPrec(4400)
		for range 1 + rnd.IntN(5000) {
			x := math.Float64frombits(rnd.Uint64())
			if round%2 == 0 {
				x = rnd.NormFloat64() * math.Pow(10, float64(rnd.IntN(30)))
			}
			if math.IsNaN(x) || math.IsInf(x, 0) {
				continue
			}
			s.AddFloat(x)
			exact.Add(exact, new(big.Float).SetFloat64(x))
		}
		got := new(big.Float).SetInt(s.Total())
		if got.SetMantExp(got, -1074); got.Cmp(exact) != 0 {
			t.Fatalf("round %d: %v, want %v", round, got, exact)
		}
	}
}

// TestSumOfLargestDoubles fills every counter to its brim.
func TestSumOfLargestDoubles(t *testing.T) {
	var s agg.Summer
	exact := new(big.Float).SetPrec(4400)
	for range 5000 {
		s.AddFloat(math.MaxFloat64)
		exact.Add(exact, big.NewFloat(math.MaxFloat64))
	}
	got := new(big.Float).SetInt(s.Total())
	if got.SetMantExp(got, -1074); got.Cmp(exact) != 0 {
		t.Fatalf("%v, want %v", got, exact)
	}
}

func TestSumOfLongs(t *testing.T) {
	var s agg.Summer
	exact := new(big.Int)
	for _, v := range []int64{math.MaxInt64, math.MaxInt64, math.MinInt64, -1, 5, math.MinInt64, math.MinInt64} {
		s.AddInt(v)
		exact.Add(exact, big.NewInt(v))
	}
	if got := s.Total(); got.Cmp(exact) != 0 {
		t.Fatalf("%v, want %v", got, exact)
	}
}

// TestCalendarKeys holds keys to instants that the time zone database and the calendar say.
func TestCalendarKeys(t *testing.T) {
	for _, c := range []struct{ unit, zone, at, want string }{
		{"day", "Europe/Oslo", "2015-10-25T22:59:59Z", "2015-10-24T22:00:00Z"},
		{"day", "Europe/Oslo", "2015-10-25T23:00:00Z", "2015-10-25T23:00:00Z"},
		{"day", "Europe/Oslo", "2018-04-25T12:00:00Z", "2018-04-24T22:00:00Z"},       // clocks were set on another 25th
		{"day", "America/Sao_Paulo", "2018-11-04T12:00:00Z", "2018-11-04T03:00:00Z"}, // no midnight: the day begins at 1
		{"day", "America/Sao_Paulo", "2018-02-18T02:30:00Z", "2018-02-17T02:00:00Z"}, // 25 hours
		{"day", "+05:30", "2024-01-01T18:30:00Z", "2024-01-01T18:30:00Z"},
		{"hour", "Europe/Oslo", "2015-10-25T01:30:00Z", "2015-10-25T01:00:00Z"},
		{"hour", "Asia/Kolkata", "2024-01-01T00:10:00Z", "2023-12-31T23:30:00Z"},
		{"week", "UTC", "2024-03-03T23:00:00Z", "2024-02-26T00:00:00Z"},
		{"month", "UTC", "2024-02-29T23:00:00Z", "2024-02-01T00:00:00Z"},
		{"quarter", "UTC", "1969-12-31T23:00:00Z", "1969-10-01T00:00:00Z"},
		{"year", "America/New_York", "2024-01-01T04:59:00Z", "2023-01-01T05:00:00Z"},
	} {
		defs, err := agg.Parse([]byte(`{"h":{"date_histogram":{"field":"at","calendar_interval":"`+c.unit+`","time_zone":"`+c.zone+`"}}}`), testSchema(t))
		if err != nil {
			t.Fatal(err)
		}
		k, err := agg.NewKeyer(&defs[0])
		if err != nil {
			t.Fatal(err)
		}
		at, _ := time.Parse(time.RFC3339, c.at)
		got, err := k.Key(at.UnixNano())
		if want, _ := time.Parse(time.RFC3339, c.want); err != nil || got != want.UnixMilli() {
			t.Errorf("%s of %s in %s: %s (%v), want %s", c.unit, c.at, c.zone, time.UnixMilli(got).UTC().Format(time.RFC3339), err, c.want)
		}
	}
}

const manyDefinitions = `{"t":{"terms":{"field":"k","size":3,"order":{"by":"s.avg","dir":"asc"}},"aggs":{"s":{"stats":{"field":"x"}},"top":{"top_hits":{"size":2,"sort":[{"field":"n"}]}}}},
	"h":{"histogram":{"field":"n","interval":5,"offset":-1,"min_count":0}},"d":{"date_histogram":{"field":"at","fixed_interval":"12h","offset":"-3h"}},
	"r":{"range":{"field":"x","ranges":[{"to":1.5},{"key":"b","from":2}]},"aggs":{"c":{"cardinality":{"field":"k"}}}},"f":{"filters":{"filters":[{"key":"a","filter":"n:>3"}]}},
	"p":{"percentiles":{"field":"x","percents":[50]}},"m":{"missing":{"field":"b"}},"sum":{"sum":{"field":"n"}}}`

// The ends of ranges mean what they mean in queries: exactly the values that are not below from, and below to.
func TestRangeEnds(t *testing.T) {
	const least, greatest = math.MinInt64, math.MaxInt64
	for _, c := range []struct {
		field, span string
		lo, hi      int64
	}{
		{"n", `{"from":1.5,"to":3.5}`, 2, 3},
		{"n", `{"from":9007199254740993.0,"to":9007199254740993.5}`, 9007199254740993, 9007199254740993},
		{"n", `{"to":9223372036854775807}`, least, greatest - 1},
		{"n", `{"to":1e19}`, least, greatest},
		{"n", `{"from":1e19}`, 0, -1},
		{"n", `{"from":-1e19,"to":-9223372036854775808}`, 0, -1},
		{"at", `{"from":2020,"to":2021}`, 2020e6, 2021e6 - 1},
		{"at", `{"from":"2020","to":"2020-02"}`, 1577836800e9, 1580515200e9 - 1},
		{"at", `{"from":"1577836800000"}`, 1577836800e9, greatest},
		{"at", `{"from":"0001-01-01T00:00:00Z","to":"9999-12-31"}`, least, greatest},
		{"at", `{"from":"3000"}`, 0, -1},
		{"x", `{"from":-1e999,"to":1e999}`, agg.Ordered(math.Inf(-1)), agg.Ordered(math.Inf(1)) - 1},
		{"x", `{"from":-0.0,"to":5e-324}`, 0, 0},
	} {
		defs, err := agg.Parse([]byte(`{"r":{"range":{"field":"`+c.field+`","ranges":[`+c.span+`]}}}`), testSchema(t))
		if err != nil {
			t.Errorf("%s: %v", c.span, err)
			continue
		}
		if got := defs[0].Ranges[0]; got.Lo != c.lo || got.Hi != c.hi {
			t.Errorf("%s of %s: %d to %d, want %d to %d", c.span, c.field, got.Lo, got.Hi, c.lo, c.hi)
		}
	}
	for _, span := range []string{`{"from":"inf"}`, `{"from":"0x10"}`, `{"to":"NaN"}`, `{"to":"many"}`} {
		for _, field := range []string{"n", "x", "at"} {
			if _, err := agg.Parse([]byte(`{"r":{"range":{"field":"`+field+`","ranges":[`+span+`]}}}`), testSchema(t)); err == nil {
				t.Errorf("%s of %s is a range", span, field)
			}
		}
	}
}

func TestDefinitionsComeBack(t *testing.T) {
	defs, err := agg.Parse([]byte(manyDefinitions), testSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	again, err := agg.DecodeDefinitions(agg.AppendDefinitions(nil, defs))
	if err != nil {
		t.Fatal(err)
	}
	if a, b := agg.AppendDefinitions(nil, defs), agg.AppendDefinitions(nil, again); !reflect.DeepEqual(a, b) || len(again) != len(defs) {
		t.Errorf("%x, want %x", b, a)
	}
}

func TestWorkedExampleOfTheEncoding(t *testing.T) {
	defs, err := agg.Parse([]byte(`{"s":{"stats":{"field":"n"}}}`), testSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	p := []agg.Partial{{Count: 3, Least: 5, Greatest: 7, Sum: big.NewInt(17)}}
	want := []byte{3, 0x0a, 0x0e, 0, 1, 0x11}
	if got := agg.Append(nil, defs, p); !reflect.DeepEqual(got, want) {
		t.Errorf("%x, want %x", got, want)
	}
	if got, err := agg.Decode(want, defs); err != nil || !reflect.DeepEqual(got, p) {
		t.Errorf("%v %v, want %v", got, err, p)
	}
}

// TestManyDistinct counts exactly up to the limit; beyond it the estimate is near, and the same however the values are divided.
func TestManyDistinct(t *testing.T) {
	defs, err := agg.Parse([]byte(`{"c":{"cardinality":{"field":"n"}}}`), testSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	show := func(values, parts int) string {
		merged := agg.Empty(defs)
		for part := range parts {
			seen := make([]uint64, 0, values)
			for v := part; v < values; v += parts {
				seen = append(seen, agg.HashInt(int64(v)))
			}
			p := agg.Empty(defs)
			p[0].Hashes = agg.Fewest(sorted(seen))
			merged = agg.Merge(defs, merged, p)
		}
		if err := agg.Cut(defs, merged); err != nil {
			t.Fatal(err)
		}
		b, err := agg.AppendJSON(nil, defs, merged, nil)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if got := show(100_000, 3); got != `{"c":{"value":100000}}` {
		t.Error(got)
	}
	one, five := show(1_000_000, 1), show(1_000_000, 5)
	var n float64
	if one != five {
		t.Errorf("%s in one part, %s in five", one, five)
	}
	if n = number(one); n < 980_000 || n > 1_020_000 {
		t.Errorf("%s for 1,000,000", one)
	}
}

func FuzzDecode(f *testing.F) {
	defs, err := agg.Parse([]byte(manyDefinitions), testSchema(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(agg.Append(nil, defs, agg.Empty(defs)))
	some := agg.Empty(defs)
	some[0].Count, some[0].Bound = 7, 3
	some[5].Runs = []agg.Run{{Value: -4, Spread: 9, Count: 3}, {Value: 8, Count: 1}}
	f.Add(agg.Append(nil, defs, some))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := agg.Decode(b, defs)
		if err != nil {
			return
		}
		_, _ = agg.Narrow(defs, [][]agg.Partial{p, agg.Empty(defs)})
		merged := agg.Merge(defs, agg.Empty(defs), p)
		if err := agg.Cut(defs, merged); err == nil {
			_, _ = agg.AppendJSON(nil, defs, merged, nilHit)
		}
	})
}

func FuzzDecodeDefinitions(f *testing.F) {
	defs, err := agg.Parse([]byte(manyDefinitions), testSchema(f))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(agg.AppendDefinitions(nil, defs))
	f.Add(agg.AppendDefinitions(nil, agg.Bounded(defs, 100)))
	defs[0].Ask = agg.Ask{Most: 3, AtLeast: 2, Keys: []agg.Bucket{{Text: "a"}, {Text: "b"}}}
	defs[5].Ask = agg.Ask{Within: []agg.Span{{Lo: -5, Hi: 2}, {Lo: 3, Hi: 3}}}
	f.Add(agg.AppendDefinitions(nil, defs))
	f.Fuzz(func(_ *testing.T, b []byte) { _, _ = agg.DecodeDefinitions(b) })
}

func FuzzParse(f *testing.F) {
	s := testSchema(f)
	f.Add(manyDefinitions)
	f.Fuzz(func(t *testing.T, text string) {
		defs, err := agg.Parse([]byte(text), s)
		if err != nil {
			return
		}
		if _, err := agg.DecodeDefinitions(agg.AppendDefinitions(nil, defs)); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}
