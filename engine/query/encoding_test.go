package query_test

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

// The bytes of each node, as the package comment lays them out.
func TestEncodingOfNodes(t *testing.T) {
	a, b, one1 := "a", "b", 1.0
	const one = "000000000000f03f" // 1.0
	for _, c := range []struct {
		node query.Node
		want string // labelled: what stands in parentheses is not part of it
	}{
		{&query.MatchAll{Boost: 1}, "01 (boost)" + one},
		{&query.MatchNone{}, "02"},
		{&query.Bool{Must: []query.Node{&query.MatchNone{}}, Should: []query.Node{&query.MatchNone{}, &query.MatchNone{}}, MinShould: 2},
			"03 (must)01 02 (should)02 02 02 (must_not)00 (filter)00 (min)02"},
		{&query.DisMax{Children: []query.Node{&query.MatchNone{}}, Tie: 1}, "04 (children)01 02 (tie)" + one},
		{&query.ConstantScore{Child: &query.MatchNone{}, Boost: 1}, "05 02 (boost)" + one},
		{&query.TextTerm{Field: "t", Term: "go", Boost: 1, Leaf: 0}, "06 (field)0174 (term)02676f (boost)" + one + "(leaf)00"},
		{&query.TextTerm{Field: "t", Term: "go", Boost: 0, Leaf: -1}, "06 (field)0174 (term)02676f (boost)0000000000000000 (leaf)01"},
		{&query.TextPhrase{Field: "t", Terms: []string{"a", "b"}, Offsets: []int{0, 2}, Slop: 3, Boost: 1, Leaf: 1},
			"07 (field)0174 (terms)02 0161 0162 (offsets)00 02 (slop)03 (flags)00 (boost)" + one + "(leaf)02"},
		{&query.TextPhrase{Field: "t", Terms: []string{"a", "b", "c"}, Offsets: []int{0, 1, 2}, CutFirst: true, CutLast: true, Boost: 1, Leaf: 1},
			"07 (field)0174 (terms)03 0161 0162 0163 (offsets)00 01 02 (slop)00 (flags)06 (boost)" + one + "(leaf)02"},
		{&query.TextPhrase{Field: "t", Terms: []string{"a", "b"}, Offsets: []int{0, 1}, CutFirst: true, CutLast: true, Leaf: -1},
			"07 (field)0174 (terms)02 0161 0162 (offsets)00 01 (slop)00 (flags)06 (boost)0000000000000000 (leaf)01"},
		{&query.KeywordSet{Field: "t", Values: []string{"a", "b"}, Boost: 1}, "08 (field)0174 (values)02 0161 0162 (boost)" + one},
		{&query.KeywordRange{Field: "t", Lo: &a, Hi: &b, IncHi: true, Boost: 1}, "09 (field)0174 (flags)0b (lo)0161 (hi)0162 (boost)" + one},
		{&query.KeywordRange{Field: "t", Boost: 1}, "09 (field)0174 (flags)00 (boost)" + one},
		{&query.LongRange{Field: "t", Lo: -1, Hi: 1, Boost: 1}, "0a (field)0174 (lo)01 (hi)02 (boost)" + one},
		{&query.LongSet{Field: "t", Values: []int64{-2, 3}, Boost: 1}, "0b (field)0174 (values)02 03 06 (boost)" + one},
		{&query.DoubleRange{Field: "t", Lo: 0, Hi: 1, IncLo: true, Boost: 1}, "0c (field)0174 (flags)01 (lo)0000000000000000 (hi)" + one + "(boost)" + one},
		{&query.DoubleSet{Field: "t", Values: []float64{1}, Boost: 1}, "0d (field)0174 (values)01" + one + "(boost)" + one},
		{&query.FieldExists{Field: "t", Type: schema.Long, Boost: 1}, "0e (field)0174 (type)03 (boost)" + one},
		{&query.IDs{Values: []string{"a"}, Boost: 1}, "0f (values)01 0161 (boost)" + one},
		{&query.Near{Field: "t", Point: geo.Point{Lat: 1, Lon: -1}, Metres: 1, Boost: 1}, "12 (field)0174 (lat)" + one + "(lon)000000000000f0bf (metres)" + one + "(boost)" + one},
		{&query.AtLeast{Child: &query.MatchNone{}, Score: 1}, "13 02 (score)" + one},
		{&query.Functions{Child: &query.MatchNone{}, List: []query.Function{
			{Filter: &query.MatchNone{}, Weight: 1},
			{Weight: 1, Of: &query.ValueOf{Field: "t", Type: schema.Long, Factor: 1, Modifier: factor.Ln, Missing: &one1}},
			{Weight: 1, Of: &query.Nearness{Field: "t", Type: schema.Date, Time: -1, Decay: factor.Decay{Shape: factor.Linear, Offset: 1, Rate: 1}, Pick: factor.Total}},
			{Weight: 1, Of: &query.Nearness{Field: "t", Type: schema.Geo, Place: geo.Point{Lat: 1, Lon: -1}, Decay: factor.Decay{Shape: factor.Gauss, Rate: -1}}},
		}, Mode: factor.Average, Boost: factor.Replace, MaxBoost: 1, Limit: 1},
			"14 02 (functions)04 (flags)01 (filter)02 (weight)" + one + "(flags)0a (weight)" + one + "(field)0174 (type)03 (factor)" + one + "(modifier)04 (missing)" + one +
				"(flags)04 (weight)" + one + "(field)0174 (type)05 (shape)02 (time)01 (offset)" + one + "(rate)" + one + "(pick)03" +
				"(flags)04 (weight)" + one + "(field)0174 (type)07 (shape)00 (lat)" + one + "(lon)000000000000f0bf (offset)0000000000000000 (rate)000000000000f0bf (pick)00" +
				"(mode)02 (boost)01 (max)" + one + "(limit)" + one},
		{&query.Scaled{Child: &query.MatchNone{}, Factor: 1}, "11 02 (factor)" + one},
		{&query.TermPattern{Field: "t", Kind: query.WildcardPattern, Fold: true, Text: "a*", Boost: 1}, "10 (field)0174 (kind)02 (flags)02 (text)02612a (boost)" + one},
		{&query.TermPattern{Field: "t", Kind: query.CharacterPattern, Text: "国", Boost: 1}, "10 (field)0174 (kind)04 (flags)00 (text)03e59bbd (boost)" + one},
	} {
		var digits strings.Builder
		for _, part := range strings.Split(c.want, "(") {
			_, behind, labelled := strings.Cut(part, ")")
			if !labelled {
				behind = part
			}
			digits.WriteString(strings.ReplaceAll(behind, " ", ""))
		}
		got := query.AppendNode(nil, c.node)
		if hex.EncodeToString(got) != digits.String() {
			t.Errorf("%s: %x, want %s", dump(c.node), got, c.want)
		}
		back, rest, err := query.DecodeNode(got)
		if err != nil || len(rest) > 0 || dump(back) != dump(c.node) {
			t.Errorf("%s comes back as %s, %v", dump(c.node), dump(back), err)
		}
		for cut := range got {
			if n, _, err := query.DecodeNode(got[:cut]); !errors.Is(err, query.ErrEncoding) {
				t.Errorf("%s cut to %d bytes is %s, %v", dump(c.node), cut, dump(n), err)
			}
		}
	}
}

func TestDecodeNodeRefuses(t *testing.T) {
	const one, nan, negative, huge = "000000000000f03f", "000000000000f87f", "000000000000f0bf", "000000000000f07e"
	deep := bytes.Repeat([]byte{5}, 100_000)
	for _, c := range []struct{ name, hex string }{
		{"unknown tag", "10"}, {"tag 0", "00"}, {"NaN boost", "01" + nan}, {"negative boost", "01" + negative}, {"boost too large", "01" + huge},
		{"more needed than there are", "030000000001"}, {"tie", "0400" + negative}, {"leaf -2", "0601740161" + one + "03"},
		{"offsets fall", "0701740201610162" + "0002" + "00" + one + "00"[:0]}, {"first offset", "070174010161" + "01" + "00" + one + "00"}, {"phrase of nothing", "0701740000" + one + "00"},
		{"two ends that score", "0701740201610162" + "0001" + "00" + "06" + one + "02"}, {"one end", "070174010161" + "00" + "00" + "02" + one + "01"},
		{"set falls", "0801740201620161" + one}, {"set twice", "0801740201610161" + one}, {"longs fall", "0b0174020402" + one}, {"NaN in a set", "0d017401" + nan + one},
		{"NaN in a range", "0c017400" + nan + one + one}, {"flags", "09017410" + one}, {"type", "0e017409" + one}, {"long string", "06ffffffff7f"}, {"many nodes", "03ffffffff0f"},
		{"many values", "0b0174ffffffff0f"},
		{"a value and a nearness", "140201" + "06" + one}, {"something missing of nothing", "140201" + "08" + one}, {"a negative weight", "140201" + "00" + negative + "0000" + one + one},
		{"an unknown modifier", "140201" + "02" + one + "017403" + one + "0a" + "0000" + one + one}, {"values of text", "140201" + "02" + one + "017401" + one + "00" + "0000" + one + one},
		{"a decay that rises", "140201" + "04" + one + "01740300" + one + one + one + "00" + "0000" + one + one}, {"an unknown mode", "1402000600" + one + one}, {"no limit", "1402000000" + one + huge}, {"deep", hex.EncodeToString(deep)},
	} {
		b, err := hex.DecodeString(c.hex)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if n, _, err := query.DecodeNode(b); !errors.Is(err, query.ErrEncoding) {
			t.Errorf("%s: %s, %v", c.name, dump(n), err)
		}
	}
}

func FuzzDecodeNode(f *testing.F) {
	s := resolveSchema(f)
	for _, q := range []string{`+go -t:"a b" k:x^2 n:[1 TO 5]`, `x:0.5 at:2020 b:true _exists_:t *`, `k:[a TO *} 東京都`} {
		n, err := query.Parse(q, query.Options{})
		if err != nil {
			f.Fatal(err)
		}
		if n, err = query.Resolve(n, s, false); err != nil {
			f.Fatal(err)
		}
		f.Add(query.AppendNode(nil, n))
	}
	f.Add(query.AppendNode(nil, &query.LongSet{Field: "n", Values: []int64{-1, 5}, Boost: 1}))
	f.Add(query.AppendSortKeys(nil, []query.SortKey{{By: query.ByField, Field: "n", Type: schema.Long}}))
	f.Add(query.AppendCandidate(nil, &query.Candidate{ID: "a", Score: 5, Keys: []query.Key{{Kind: query.KeyString, Str: "x"}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		if n, rest, err := query.DecodeNode(b); err == nil {
			canonical := query.AppendNode(nil, n)
			again, _, err := query.DecodeNode(canonical)
			if err != nil || dump(again) != dump(n) || len(canonical) > len(b)-len(rest) {
				t.Fatalf("%x is %s and then %s, %v", b, dump(n), dump(again), err)
			}
		}
		if keys, _, err := query.DecodeSortKeys(b); err == nil {
			if _, _, err := query.DecodeSortKeys(query.AppendSortKeys(nil, keys)); err != nil {
				t.Fatalf("%x: %v", b, err)
			}
		}
		if c, _, err := query.DecodeCandidate(b); err == nil {
			if _, _, err := query.DecodeCandidate(query.AppendCandidate(nil, &c)); err != nil {
				t.Fatalf("%x: %v", b, err)
			}
		}
	})
}

func BenchmarkDecodeCandidate(b *testing.B) {
	encoded := query.AppendCandidate(nil, &query.Candidate{ID: "document-000123", Score: 1 << 33})
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := query.DecodeCandidate(encoded); err != nil {
			b.Fatal(err)
		}
	}
}
