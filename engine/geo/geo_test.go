package geo

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func TestTrigonometryIsThatOfMath(t *testing.T) {
	near := func(what string, x, got, want float64) {
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("%s of %v: %v, want %v", what, x, got, want)
		}
	}
	for i := -180_000; i <= 180_000; i += 37 {
		x := float64(i) / 1000
		near("sine", x, sine(x), math.Sin(x*math.Pi/180))
		near("sine", x, sine(x), math.Copysign(math.Sin((180-math.Abs(x))*math.Pi/180), x))
		if math.Abs(x) <= 90 {
			near("cosine", x, cosine(x), math.Cos(x*math.Pi/180))
		}
		y := math.Abs(x) / 180
		if got, want := arcSine(y), math.Asin(y); math.Abs(got-want) > 2e-15 { // that of math is off by more
			t.Errorf("arc sine of %v: %v, want %v", y, got, want)
		}
	}
	for x, want := range map[float64]float64{0: 0, 30: 0.5, 90: 1, 180: 0, -90: -1} {
		near("sine", x, sine(x), want)
	}
}

// The chord between two points of the unit sphere, in 200 bits, is another way to their distance.
func TestDistanceIsThatOfTheChord(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 4_000 {
		a := Point{r.Float64()*180 - 90, r.Float64()*360 - 180}
		b := Point{r.Float64()*180 - 90, r.Float64()*360 - 180}
		if r.IntN(2) == 0 {
			b = Point{max(-90, min(90, a.Lat+r.NormFloat64()/100)), max(-180, min(180, a.Lon+r.NormFloat64()/100))}
		}
		got, want := Distance(a, b), byChord(a, b)
		if back := Distance(b, a); back != got {
			t.Fatalf("%v to %v: %v, and %v back", a, b, got, back)
		}
		if math.Abs(got-want) > 0.2 && want > 2e7 || want <= 2e7 && math.Abs(got-want) > 1e-6 {
			t.Errorf("%v to %v: %v m, want %v", a, b, got, want)
		}
		if south, north := Band(a, got); b.Lat < south || b.Lat > north {
			t.Errorf("%v lies %v m from %v, and outside of %v to %v", b, got, a, south, north)
		}
	}
}

func byChord(a, b Point) float64 {
	vector := func(p Point) [3]float64 {
		lat, lon := p.Lat*math.Pi/180, p.Lon*math.Pi/180
		return [3]float64{math.Cos(lat) * math.Cos(lon), math.Cos(lat) * math.Sin(lon), math.Sin(lat)}
	}
	u, v := vector(a), vector(b)
	sum := new(big.Float).SetPrec(200)
	for i := range u {
		d := new(big.Float).SetPrec(200).Sub(big.NewFloat(u[i]), big.NewFloat(v[i]))
		sum.Add(sum, d.Mul(d, d))
	}
	chord, _ := sum.Sqrt(sum).Float64()
	return 2 * EarthRadius * math.Asin(min(1, chord/2))
}

// Known distances, of the published examples of the formula with a radius of 6371 km and of geodesy: a degree of a meridian, a quarter, half of the globe.
func TestKnownDistances(t *testing.T) {
	for _, c := range []struct {
		name   string
		a, b   Point
		metres float64
		within float64
	}{
		{"same place", Point{52.5, 13.4}, Point{52.5, 13.4}, 0, 0},
		{"a degree north", Point{10, 20}, Point{11, 20}, math.Pi * EarthRadius / 180, 1e-6},
		{"a degree along the equator, over 180", Point{0, 179.5}, Point{0, -179.5}, math.Pi * EarthRadius / 180, 1e-6},
		{"pole to equator", Point{90, 50}, Point{0, -120}, math.Pi * EarthRadius / 2, 1e-6},
		{"the other side", Point{0, 0}, Point{0, 180}, math.Pi * EarthRadius, 1e-6},
		{"Nashville to Los Angeles", Point{36.12, -86.67}, Point{33.94, -118.40}, 2886.44444 * 1000 * EarthRadius / 6371000, 1},
		{"180 and -180 are one", Point{12, 180}, Point{12, -180}, 0, 1e-8},
	} {
		if got := Distance(c.a, c.b); math.Abs(got-c.metres) > c.within {
			t.Errorf("%s: %v m, want %v", c.name, got, c.metres)
		}
	}
}
