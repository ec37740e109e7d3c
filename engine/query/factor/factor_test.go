package factor

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

const digits = 200 // bits of the references

func exact(x float64) *big.Float { return new(big.Float).SetPrec(digits).SetFloat64(x) }

// expBig is the power series of e^(x/2^60), squared 60 times.
func expBig(x float64) float64 {
	small := new(big.Float).SetPrec(2 * digits).SetFloat64(x)
	small.SetMantExp(small, -60)
	sum, term := new(big.Float).SetPrec(2*digits).SetInt64(1), new(big.Float).SetPrec(2*digits).SetInt64(1)
	for n := int64(1); n < 40; n++ {
		term.Mul(term, small)
		term.Quo(term, new(big.Float).SetInt64(n))
		sum.Add(sum, term)
	}
	for range 60 {
		sum.Mul(sum, sum)
	}
	f, _ := sum.Float64()
	return f
}

// lnBig is 2*artanh((m-1)/(m+1)) + k*ln 2.
func lnBig(x *big.Float) *big.Float {
	artanh := func(z *big.Float) *big.Float {
		sum, power := exact(0), exact(0).Set(z)
		square := exact(0).Mul(z, z)
		for n := int64(1); n < 200; n += 2 {
			sum.Add(sum, exact(0).Quo(power, exact(float64(n))))
			power.Mul(power, square)
		}
		return sum
	}
	mantissa := exact(0)
	exponent := x.MantExp(mantissa)
	z := exact(0).Quo(exact(0).Sub(mantissa, exact(1)), exact(0).Add(mantissa, exact(1)))
	ln2 := artanh(exact(0).Quo(exact(1), exact(3)))
	sum := exact(0).Add(artanh(z), ln2.Mul(ln2, exact(float64(exponent))))
	return sum.Mul(sum, exact(2))
}

func ulps(a, b float64) int64 {
	d := int64(math.Float64bits(a)) - int64(math.Float64bits(b))
	return max(d, -d)
}

func TestExpIsWithinOneUlp(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 4000 {
		x := (random.Float64()*2 - 1) * math.Pow(10, float64(i%12)-9)
		if x > 700 || x < -700 {
			continue
		}
		if got, want := Exp(x), expBig(x); ulps(got, want) > 1 {
			t.Fatalf("Exp(%v) = %v, want %v", x, got, want)
		}
	}
}

func TestExpKnownBits(t *testing.T) {
	for _, c := range []struct {
		x    float64
		bits uint64
	}{
		{0, 0x3ff0000000000000},
		{1, 0x4005bf0a8b145769},         // e
		{-1, 0x3fd78b56362cef38},        // 1/e
		{-math.Ln2, 0x3fe0000000000000}, // 1/2
		{math.Inf(-1), 0}, {-746, 0}, {-745, 1}, {math.Inf(1), 0x7ff0000000000000}, {710, 0x7ff0000000000000},
	} {
		if got := math.Float64bits(Exp(c.x)); got != c.bits {
			t.Errorf("Exp(%v) = %#x, want %#x", c.x, got, c.bits)
		}
	}
	if !math.IsNaN(Exp(math.NaN())) {
		t.Error("Exp of NaN")
	}
}

func TestLogarithmsAreWithinOneUlp(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	ln10 := lnBig(exact(10))
	for i := range 4000 {
		x := random.ExpFloat64() * math.Pow(10, float64(i%40)-20)
		want, _ := exact(0).Quo(lnBig(exact(x)), ln10).Float64()
		if got := Log10(x); ulps(got, want) > 1 {
			t.Fatalf("Log10(%v) = %v, want %v", x, got, want)
		}
		want, _ = lnBig(exact(0).Add(exact(1), exact(x))).Float64()
		if got := Log1p(x); ulps(got, want) > 2 && math.Abs(got-want) > 1e-70 { // the reference loses digits too, near 0
			t.Fatalf("Log1p(%v) = %v, want %v", x, got, want)
		}
	}
	for n := range 23 {
		if got := Log10(math.Pow10(n)); got != float64(n) {
			t.Errorf("Log10(1e%d) = %v", n, got)
		}
	}
	for _, log := range []func(float64) float64{Log10, func(x float64) float64 { return Log1p(x - 1) }} {
		if !math.IsNaN(log(-1)) || !math.IsNaN(log(math.NaN())) || !math.IsInf(log(0), -1) || !math.IsInf(log(math.Inf(1)), 1) {
			t.Error("special values")
		}
	}
}

// Values of the formulas that Elasticsearch's documentation gives, worked out by hand.
func TestModifiers(t *testing.T) {
	for _, c := range []struct {
		name    string
		x, want float64
	}{
		{"none", 7, 7}, {"log", 1000, 3}, {"log1p", 99, 2}, {"log2p", 98, 2}, {"ln", 1, 0}, {"ln1p", 0, 0}, {"ln2p", -1, 0}, {"ln1p", 1, math.Ln2}, {"ln2p", 0, math.Ln2},
		{"square", -3, 9}, {"sqrt", 2.25, 1.5}, {"reciprocal", 8, 0.125},
	} {
		m, ok := Named[Modifier](c.name)
		if got := m.Of(c.x); !ok || got != c.want {
			t.Errorf("%s of %v is %v, want %v", c.name, c.x, got, c.want)
		}
	}
	if _, ok := Named[Modifier]("cube"); ok {
		t.Error("cube is no modifier")
	}
	for _, m := range []Modifier{Log, Ln, LnPlus1, Sqrt} {
		if x := m.Of(-5); x >= 0 {
			t.Errorf("%s of -5 is %v", m.Name(), x)
		}
	}
}

func TestDecays(t *testing.T) {
	near := func(got, want float64) bool { return math.Abs(got-want) < 1e-15 }
	for _, c := range []struct {
		shape          Shape
		distance, want float64
	}{
		// With an offset of 2, and 0.25 at a distance of 10 behind it.
		{Gauss, 0, 1}, {Gauss, 2, 1}, {Gauss, 12, 0.25}, {Gauss, 7, math.Sqrt2 / 2}, {Gauss, 22, 1.0 / 256}, {Gauss, 1e300, 0},
		{Exponential, 1, 1}, {Exponential, 12, 0.25}, {Exponential, 7, 0.5}, {Exponential, 22, 1.0 / 16}, {Exponential, 1e300, 0},
		{Linear, 2, 1}, {Linear, 12, 0.25}, {Linear, 7, 0.625}, {Linear, 22, 0}, {Linear, math.Inf(1), 0},
	} {
		d := NewDecay(c.shape, 10, 2, 0.25)
		if got := d.At(d.Behind(c.distance)); !d.Valid() || !near(got, c.want) {
			t.Errorf("%s at %v: %v, want %v", c.shape.Name(), c.distance, got, c.want)
		}
	}
	for _, d := range []Decay{
		NewDecay(Gauss, 1e-200, 0, 0.5), NewDecay(Gauss, 1e200, 0, 0.5), NewDecay(Exponential, 0, 0, 0.5), NewDecay(Exponential, 1, 0, 1), NewDecay(Linear, 1, 0, 1), NewDecay(Linear, 1, -1, 0.5),
		NewDecay(Gauss, math.NaN(), 0, 0.5), {Shape: shapes, Rate: -1},
	} {
		if d.Valid() {
			t.Errorf("%+v is valid", d)
		}
	}
	for pick, want := range map[Pick]float64{Least: 1, Greatest: 5, Mean: 3, Total: 9} {
		if got := pick.Of([]float64{3, 1, 5}); got != want || pick.Of(nil) != 0 {
			t.Errorf("%s: %v, want %v", pick.Name(), got, want)
		}
	}
}

func TestTally(t *testing.T) {
	for mode, want := range map[Mode]float64{Multiply: 48, Sum: 12, Average: 12 / 4.5, First: 6, Greater: 6, Lesser: 2} {
		tally := Tally{Mode: mode}
		if tally.Factor() != 1 {
			t.Errorf("%s of nothing: %v", mode.Name(), tally.Factor())
		}
		for _, v := range [][2]float64{{6, 3}, {2, 0.5}, {4, 1}} {
			if !tally.Add(v[0], v[1]) {
				break
			}
		}
		if got := tally.Factor(); got != want {
			t.Errorf("%s: %v, want %v", mode.Name(), got, want)
		}
	}
	for mode, want := range map[Mode]float64{Multiply: 0, Sum: 1, Average: 1, Greater: 0} { // without weight
		tally := Tally{Mode: mode}
		tally.Add(0, 0)
		if got := tally.Factor(); got != want {
			t.Errorf("%s: %v, want %v", mode.Name(), got, want)
		}
	}
	for boost, want := range map[Boost]float64{Times: 6, Replace: 3, Plus: 5, Between: 2.5, Larger: 3, Smaller: 2} {
		if got := boost.Of(2, 3); got != want {
			t.Errorf("%s: %v, want %v", boost.Name(), got, want)
		}
	}
}

func BenchmarkGauss(b *testing.B) {
	d := NewDecay(Gauss, 10, 2, 0.25)
	sum := 0.0
	for i := range b.N {
		sum += d.At(d.Behind(float64(i & 63)))
	}
	if sum == 0 {
		b.Fatal(sum)
	}
}
