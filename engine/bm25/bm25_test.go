package bm25

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// lnBig computes ln x to far more digits than a float64 has: 2*artanh((m-1)/(m+1)) + k*ln 2, all series summed in 200 bits.
func lnBig(x float64) *big.Float {
	const precision = 200
	// Terms shrink by at least 9 with each step, so 100 of them are far below the precision.
	artanh := func(z *big.Float) *big.Float {
		sum, power := new(big.Float).SetPrec(precision), new(big.Float).SetPrec(precision).Set(z)
		square := new(big.Float).SetPrec(precision).Mul(z, z)
		for n := int64(1); n < 200; n += 2 {
			sum.Add(sum, new(big.Float).SetPrec(precision).Quo(power, new(big.Float).SetInt64(n)))
			power.Mul(power, square)
		}
		return sum
	}
	mantissa, exponent := math.Frexp(x)
	m := new(big.Float).SetPrec(precision).SetFloat64(mantissa)
	one := big.NewFloat(1).SetPrec(precision)
	z := new(big.Float).SetPrec(precision).Quo(new(big.Float).Sub(m, one), new(big.Float).Add(m, one))
	third := new(big.Float).SetPrec(precision).Quo(one, big.NewFloat(3))
	ln2 := artanh(third) // ln 2 = 2*artanh(1/3)
	sum := artanh(z)
	sum.Add(sum, ln2.Mul(ln2, new(big.Float).SetInt64(int64(exponent))))
	return sum.Mul(sum, big.NewFloat(2))
}

func ulps(a, b float64) uint64 {
	x, y := int64(math.Float64bits(a)), int64(math.Float64bits(b))
	return uint64(max(x-y, y-x))
}

func TestLnIsWithinOneUlp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 300 {
		x := 1 + random.ExpFloat64()*math.Pow(10, float64(i%15))
		want, _ := lnBig(x).Float64()
		if got := Ln(x); ulps(got, want) > 1 || ulps(got, math.Log(x)) > 2 {
			t.Fatalf("Ln(%v) = %v, want %v, math.Log %v", x, got, want, math.Log(x))
		}
	}
}

func TestLnKnownBits(t *testing.T) {
	for _, c := range []struct {
		x    float64
		bits uint64
	}{
		{1, 0},
		{2, 0x3fe62e42fefa39ef},       // ln 2
		{10, 0x40026bb1bbb55516},      // ln 10
		{math.E, 0x3ff0000000000000},  // 1
		{0.5, 0xbfe62e42fefa39ef},     // -ln 2
		{1 << 40, 0x403bb9d3beb8c86b}, // 40 ln 2
		{5e-324, 0xc0874385446d71c3},  // -1074 ln 2
		{math.MaxFloat64, 0x40862e42fefa39ef},
	} {
		if got := math.Float64bits(Ln(c.x)); got != c.bits {
			t.Errorf("Ln(%v) = %#x, want %#x", c.x, got, c.bits)
		}
	}
	if !math.IsNaN(Ln(-1)) || !math.IsNaN(Ln(math.NaN())) || !math.IsInf(Ln(0), -1) || !math.IsInf(Ln(math.Inf(1)), 1) {
		t.Error("Ln of special values")
	}
}

// exactPart computes the formula in 300 bits, and so tells truth from rounding: the float64 result may differ by the error of four operations.
func exactPart(boost float64, n, df, total, tf, dl uint64) float64 {
	f := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	q := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(300).Quo(a, b) }
	add := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(300).Add(a, b) }
	mul := func(a, b *big.Float) *big.Float { return new(big.Float).SetPrec(300).Mul(a, b) }
	argument := add(f(1), q(f(float64(n-df)+0.5), f(float64(df)+0.5)))
	rounded, _ := argument.Float64()
	length := q(mul(f(0.9), f(float64(dl))), q(f(float64(total)), f(float64(n))))
	share := q(f(float64(tf)), add(f(float64(tf)), add(f(0.3), length)))
	score, _ := mul(mul(f(boost), lnBig(rounded)), share).Float64()
	return score
}

func TestPartFollowsTheFormula(t *testing.T) {
	for _, c := range []struct{ n, df, total, tf, dl uint64 }{
		{4, 3, 14, 1, 2}, {4, 3, 14, 2, 4}, {1, 1, 1, 1, 1}, {1000, 1, 123456, 7, 900}, {5_000_000, 12, 1 << 40, 3, 70_000},
	} {
		w := MakeWeight(2.5, IDF(c.n, c.df), FieldStats{Docs: c.n, TotalLen: c.total})
		got := Shown(Part(w.W, w.C0, w.C1, uint32(c.tf), uint32(c.dl)))
		want := exactPart(2.5, c.n, c.df, c.total, c.tf, c.dl)
		if math.Abs(got-want) > 1.0/(1<<32)+want*1e-15 {
			t.Errorf("%+v: %v, want %v", c, got, want)
		}
		if !w.Valid() {
			t.Errorf("%+v: weight %v is not valid", c, w)
		}
	}
}

func TestPartRisesWithTfAndFallsWithLength(t *testing.T) {
	w := MakeWeight(1, IDF(100, 7), FieldStats{Docs: 100, TotalLen: 1234})
	for tf := uint32(1); tf < 40; tf++ {
		for dl := tf; dl < 60; dl++ {
			here := Part(w.W, w.C0, w.C1, tf, dl)
			if Part(w.W, w.C0, w.C1, tf+1, dl) < here || Part(w.W, w.C0, w.C1, tf, dl+1) > here {
				t.Fatalf("tf %d dl %d: not monotone", tf, dl)
			}
		}
	}
	if Part(w.W, w.C0, w.C1, 0, 5) != 0 {
		t.Error("a document without the term scores")
	}
}

func TestWeightOfNothingIsNeverUsable(t *testing.T) {
	for _, f := range []FieldStats{{}, {Docs: 3}, {TotalLen: 3}} {
		w := MakeWeight(1e9, IDF(f.Docs, 0), f)
		if !w.Valid() || Part(w.W, w.C0, w.C1, 5, 5) != 0 {
			t.Errorf("%+v: %+v", f, w)
		}
	}
	for _, w := range []Weight{{W: math.NaN()}, {W: -1}, {W: MaxWeight + 1}, {C0: math.Inf(1)}, {C1: math.NaN()}} {
		if w.Valid() {
			t.Errorf("%+v is valid", w)
		}
	}
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		boost float64
		units int64
	}{{0, 0}, {1, 1 << 32}, {0.5, 1 << 31}, {2.25, 9663676416}, {1e-12, 0}, {MaxWeight, 1 << 53}} {
		if got := Units(c.boost); got != c.units {
			t.Errorf("Units(%v) = %d, want %d", c.boost, got, c.units)
		}
	}
	if got := Shown(3 << 30); got != 0.75 {
		t.Errorf("Shown = %v", got)
	}
}

func TestStatsAdd(t *testing.T) {
	s := Stats{Fields: []FieldStats{{1, 10}}, DF: []uint64{3, 4}}
	if err := s.Add(Stats{Fields: []FieldStats{{2, 20}}, DF: []uint64{30, 40}}); err != nil {
		t.Fatal(err)
	}
	if s.Fields[0] != (FieldStats{3, 30}) || s.DF[0] != 33 || s.DF[1] != 44 {
		t.Errorf("sum: %+v", s)
	}
	for _, o := range []Stats{
		{Fields: []FieldStats{{}}, DF: []uint64{1}},
		{DF: []uint64{1, 1}},
		{Fields: []FieldStats{{Docs: math.MaxUint64}}, DF: []uint64{1, 1}},
		{Fields: []FieldStats{{TotalLen: math.MaxUint64}}, DF: []uint64{1, 1}},
		{Fields: []FieldStats{{1, 1}}, DF: []uint64{1, math.MaxUint64}},
	} {
		if err := s.Add(o); err == nil {
			t.Errorf("%+v was added", o)
		}
	}
	if s.Fields[0] != (FieldStats{3, 30}) || s.DF[0] != 33 {
		t.Errorf("a failed sum changed it: %+v", s)
	}
}

func BenchmarkPart(b *testing.B) {
	w := MakeWeight(1, IDF(100, 7), FieldStats{Docs: 100, TotalLen: 1234})
	var sum int64
	for i := range b.N {
		sum += Part(w.W, w.C0, w.C1, uint32(i&7+1), uint32(i&255+8))
	}
	if sum == 0 {
		b.Fatal(sum)
	}
}
