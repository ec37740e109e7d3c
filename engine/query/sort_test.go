package query_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

func TestCompareKeys(t *testing.T) {
	long := func(v int64) query.Key { return query.Key{Kind: query.KeyInt, Int: v} }
	str := func(s string) query.Key { return query.Key{Kind: query.KeyString, Str: s} }
	none := query.Key{}
	asc, desc := query.SortKey{By: query.ByField}, query.SortKey{By: query.ByField, Desc: true}
	ascFirst, descFirst := query.SortKey{By: query.ByField, MissingFirst: true}, query.SortKey{By: query.ByField, Desc: true, MissingFirst: true}
	for _, c := range []struct {
		name   string
		keys   []query.SortKey
		a, b   query.Candidate
		before bool // a comes before b, else after
	}{
		{"score", nil, query.Candidate{ID: "z", Score: 5}, query.Candidate{ID: "a", Score: 4}, true},
		{"equal scores by id", nil, query.Candidate{ID: "a", Score: 5}, query.Candidate{ID: "b", Score: 5}, true},
		{"ids by bytes", nil, query.Candidate{ID: "B", Score: 5}, query.Candidate{ID: "a", Score: 5}, true},
		{"asc", []query.SortKey{asc}, query.Candidate{ID: "z", Keys: []query.Key{long(-1)}}, query.Candidate{ID: "a", Keys: []query.Key{long(2)}}, true},
		{"desc", []query.SortKey{desc}, query.Candidate{ID: "z", Keys: []query.Key{str("b")}}, query.Candidate{ID: "a", Keys: []query.Key{str("a")}}, true},
		{"equal keys by id, also downwards", []query.SortKey{desc}, query.Candidate{ID: "a", Keys: []query.Key{long(1)}}, query.Candidate{ID: "b", Keys: []query.Key{long(1)}}, true},
		{"missing last", []query.SortKey{asc}, query.Candidate{ID: "a", Keys: []query.Key{none}}, query.Candidate{ID: "b", Keys: []query.Key{long(1)}}, false},
		{"missing last downwards", []query.SortKey{desc}, query.Candidate{ID: "a", Keys: []query.Key{none}}, query.Candidate{ID: "b", Keys: []query.Key{long(1)}}, false},
		{"missing first", []query.SortKey{ascFirst}, query.Candidate{ID: "z", Keys: []query.Key{none}}, query.Candidate{ID: "b", Keys: []query.Key{long(1)}}, true},
		{"missing first downwards", []query.SortKey{descFirst}, query.Candidate{ID: "z", Keys: []query.Key{none}}, query.Candidate{ID: "b", Keys: []query.Key{long(1)}}, true},
		{"both missing", []query.SortKey{descFirst}, query.Candidate{ID: "a", Keys: []query.Key{none}}, query.Candidate{ID: "b", Keys: []query.Key{none}}, true},
		{"the second key", []query.SortKey{asc, desc}, query.Candidate{ID: "z", Keys: []query.Key{long(1), long(2)}}, query.Candidate{ID: "a", Keys: []query.Key{long(1), long(1)}}, true},
		{"keys go before scores", []query.SortKey{asc}, query.Candidate{ID: "z", Score: 1, Keys: []query.Key{long(1)}}, query.Candidate{ID: "a", Score: 9, Keys: []query.Key{long(2)}}, true},
	} {
		there, back := query.CompareKeys(c.keys, &c.a, &c.b), query.CompareKeys(c.keys, &c.b, &c.a)
		if (there < 0) != c.before || there != -back || there == 0 {
			t.Errorf("%s: %d and %d", c.name, there, back)
		}
		if query.CompareKeys(c.keys, &c.a, &c.a) != 0 {
			t.Errorf("%s: unequal to itself", c.name)
		}
	}
}

// The order is total: sorting any shuffle gives the same list.
func TestCompareKeysIsTotal(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	keys := []query.SortKey{{By: query.ByField, Desc: true}, {By: query.ByScore, MissingFirst: true}}
	list := make([]query.Candidate, 200)
	for i := range list {
		list[i] = query.Candidate{ID: fmt.Sprint(i), Keys: []query.Key{{Kind: query.KeyKind(random.IntN(2)), Int: random.Int64N(3)}, {Kind: query.KeyInt, Int: random.Int64N(2)}}}
	}
	compare := func(a, b query.Candidate) int { return query.CompareKeys(keys, &a, &b) }
	slices.SortFunc(list, compare)
	want := fmt.Sprint(list)
	for range 20 {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		slices.SortFunc(list, compare)
		if fmt.Sprint(list) != want {
			t.Fatal("another order")
		}
	}
}

func TestResolveSort(t *testing.T) {
	s := resolveSchema(t)
	for _, c := range []struct {
		spec query.SortSpec
		want query.SortKey
	}{
		{query.SortSpec{Field: "score"}, query.SortKey{By: query.ByScore, Desc: true}},
		{query.SortSpec{Field: "_score", Order: "asc"}, query.SortKey{By: query.ByScore}},
		{query.SortSpec{Field: "id"}, query.SortKey{By: query.ByID}},
		{query.SortSpec{Field: "_id", Order: "desc"}, query.SortKey{By: query.ByID, Desc: true}},
		{query.SortSpec{Field: "n"}, query.SortKey{By: query.ByField, Field: "n", Type: schema.Long}},
		{query.SortSpec{Field: "num:x", Order: "desc", Missing: "first"}, query.SortKey{By: query.ByField, Field: "x", Type: schema.Double, Desc: true, MissingFirst: true}},
		{query.SortSpec{Field: "num:at", Missing: "last"}, query.SortKey{By: query.ByField, Field: "at", Type: schema.Date}},
		{query.SortSpec{Field: "key:k", Order: "asc"}, query.SortKey{By: query.ByField, Field: "k", Type: schema.Keyword}},
		{query.SortSpec{Field: "d"}, query.SortKey{By: query.ByField, Field: "d", Type: schema.Keyword}},
		{query.SortSpec{Field: "b"}, query.SortKey{By: query.ByField, Field: "b", Type: schema.Bool}},
	} {
		keys, err := query.ResolveSort([]query.SortSpec{c.spec}, s)
		if err != nil || len(keys) != 1 || keys[0] != c.want {
			t.Errorf("%+v: %+v, %v", c.spec, keys, err)
		}
	}
	for _, spec := range []query.SortSpec{
		{}, {Field: "nope"}, {Field: "num:nope"}, {Field: "t"}, {Field: "g"}, {Field: "v"}, {Field: "num:k"}, {Field: "key:n"}, {Field: "num:d"}, {Field: "n", Order: "up"}, {Field: "n", Missing: "middle"},
	} {
		if _, err := query.ResolveSort([]query.SortSpec{spec}, s); fault.CodeOf(err) != fault.BadSort {
			t.Errorf("%+v: %v", spec, err)
		}
	}
	if _, err := query.ResolveSort(slices.Repeat([]query.SortSpec{{Field: "n"}}, 9), s); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("nine keys: %v", err)
	}
}

func TestKeyJSON(t *testing.T) {
	for _, c := range []struct {
		key  query.SortKey
		v    query.Key
		want string
	}{
		{query.SortKey{By: query.ByScore}, query.Key{Kind: query.KeyInt, Int: 3 << 31}, `1.5`},
		{query.SortKey{By: query.ByID}, query.Key{Kind: query.KeyString, Str: "a"}, `"a"`},
		{query.SortKey{By: query.ByField, Type: schema.Long}, query.Key{Kind: query.KeyInt, Int: 9007199254740993}, `9007199254740993`},
		{query.SortKey{By: query.ByField, Type: schema.Date}, query.Key{Kind: query.KeyInt, Int: -1}, `"1969-12-31T23:59:59.999999999Z"`},
		{query.SortKey{By: query.ByField, Type: schema.Date}, query.Key{Kind: query.KeyInt, Int: 0}, `"1970-01-01T00:00:00.000000000Z"`},
		{query.SortKey{By: query.ByField, Type: schema.Bool}, query.Key{Kind: query.KeyInt, Int: 1}, `true`},
		{query.SortKey{By: query.ByField, Type: schema.Double}, query.Key{Kind: query.KeyFloat, Float: 0.1}, `0.1`},
		{query.SortKey{By: query.ByField, Type: schema.Keyword}, query.Key{}, `null`},
	} {
		got, err := json.Marshal(query.KeyJSON(c.key, c.v))
		if err != nil || string(got) != c.want {
			t.Errorf("%+v %+v: %s, want %s (%v)", c.key, c.v, got, c.want, err)
		}
	}
}

func TestSortKeysAndCandidatesTravel(t *testing.T) {
	keys := []query.SortKey{{By: query.ByScore, Desc: true}, {By: query.ByID}, {By: query.ByDistance, Field: "p", Type: schema.Geo, From: geo.Point{Lat: -1, Lon: 180}}, {By: query.ByField, Field: "at", Type: schema.Date, Desc: true, MissingFirst: true}}
	gotKeys, rest, err := query.DecodeSortKeys(append(query.AppendSortKeys(nil, keys), 'x'))
	if err != nil || string(rest) != "x" || !slices.Equal(gotKeys, keys) {
		t.Errorf("%+v, %q, %v", gotKeys, rest, err)
	}
	want := query.Candidate{ID: "a\x00b", Score: -3 << 40, Keys: []query.Key{{}, {Kind: query.KeyInt, Int: -5}, {Kind: query.KeyFloat, Float: 0.1}, {Kind: query.KeyString, Str: "é"}}}
	got, rest, err := query.DecodeCandidate(append(query.AppendCandidate(nil, &want), 'x'))
	if err != nil || string(rest) != "x" || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, %q, %v", got, rest, err)
	}
	for _, bad := range []string{"", "\x09", "\x01\x00\x00\x00\x00", "\x01\x04\x00\x00\x00", "\x01\x05\x00\x00\x00", "\x01\x01\x09\x00\x00", "\x01\x01\x00\x04\x00", "\xff\xff\xff\xff\x7f",
		"\x0b" + strings.Repeat("\x01\x00\x00\x00", query.MaxKeys+1)} {
		if keys, _, err := query.DecodeSortKeys([]byte(bad)); err == nil {
			t.Errorf("%q: %v", bad, keys)
		}
	}
	for _, bad := range []string{"", "\x01", "\x01a\x00", "\x01a\x00\x01\x09", "\x01a\x00\x01\x02\x00\x00\x00\x00\x00\x00\xf8\x7f"} {
		if c, _, err := query.DecodeCandidate([]byte(bad)); err == nil {
			t.Errorf("%q: %v", bad, c)
		}
	}
}
