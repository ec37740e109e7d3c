package agg

import (
	"math"
	"math/big"
	"math/bits"
)

// flushEvery is how many significands of 53 bits fit a signed 64-bit counter.
const flushEvery = 1 << 10

// lowestExponent is that of the unit of sums of doubles.
const lowestExponent = -1074

// Summer adds values exactly, in any order. The zero value is an empty sum; it serves one goroutine.
type Summer struct {
	hi int64 // of longs: a 128-bit integer
	lo uint64

	floats bool
	n      int // values in byExponent
	from   int // exponents that occur there
	to     int
	// byExponent adds up significands of doubles by their exponent, which costs a table look-up and an addition each; every 1,024 values they move on to parts.
	byExponent [2][2048]int64
	parts      [67]int64 // 32 bits each, from the unit upwards; carries are settled at the end
	flushes    int
}

// Reset empties the sum.
func (s *Summer) Reset() {
	if s.floats {
		*s = Summer{}
		return
	}
	s.hi, s.lo = 0, 0
}

// AddInt adds a long.
func (s *Summer) AddInt(v int64) {
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, uint64(v), 0)
	s.hi += v>>63 + int64(carry)
}

// AddInts adds longs.
func (s *Summer) AddInts(values []int64) {
	for len(values) > 0 {
		n := min(len(values), 1<<30)
		var high, low int64 // of the halves of values: no carries between them
		for _, v := range values[:n] {
			high += v >> 32
			low += v & math.MaxUint32
		}
		values = values[n:]
		lo, carry := bits.Add64(s.lo, uint64(high)<<32, 0)
		s.hi += high>>32 + int64(carry)
		s.lo, carry = bits.Add64(lo, uint64(low), 0)
		s.hi += int64(carry)
	}
}

// AddOrdered adds finite doubles, as [Ordered] gives them.
func (s *Summer) AddOrdered(values []int64) {
	for len(values) > 0 {
		if s.n == flushEvery || !s.floats {
			s.flush()
		}
		n := min(len(values), flushEvery-s.n)
		s.addOrdered(values[:n])
		values = values[n:]
	}
}

// addOrdered adds as many doubles as the counters have room for: by turns to one of two sets, since one that was just written is slow to read.
func (s *Summer) addOrdered(values []int64) {
	from, to := s.from, s.to
	s.n += len(values)
	i := 0
	for ; i+1 < len(values); i += 2 {
		e, m := significand(bitsOf(values[i]))
		f, n := significand(bitsOf(values[i+1]))
		s.byExponent[0][e&2047] += m
		s.byExponent[1][f&2047] += n
		from, to = min(from, e, f), max(to, e, f)
	}
	if i < len(values) {
		e, m := significand(bitsOf(values[i]))
		s.byExponent[0][e&2047] += m
		from, to = min(from, e), max(to, e)
	}
	s.from, s.to = from, to
}

// significand takes the bits of a double apart: it is m * 2^(e-1) units.
func significand(b uint64) (e int, m int64) {
	e = int(b >> 52 & 0x7ff)
	normal := min(e, 1)
	m = int64(b&(1<<52-1) | uint64(normal)<<52)
	sign := int64(b) >> 63
	return e + 1 - normal, (m ^ sign) - sign
}

// AddFloat adds a finite double.
func (s *Summer) AddFloat(x float64) {
	if s.n == flushEvery || !s.floats {
		s.flush()
	}
	e, m := significand(math.Float64bits(x))
	s.byExponent[0][e] += m
	s.from, s.to = min(s.from, e), max(s.to, e)
	s.n++
}

// flush moves significands on to parts.
func (s *Summer) flush() {
	for e := s.from; e <= s.to && s.n > 0; e++ {
		if m := s.byExponent[0][e] + s.byExponent[1][e]; m != 0 { // all 1,024 values may have gone to one of them, but no more to both
			s.spread(m, uint(e-1))
		}
		s.byExponent[0][e], s.byExponent[1][e] = 0, 0
	}
	s.floats, s.n, s.from, s.to = true, 0, len(s.byExponent[0]), 0
	if s.flushes++; s.flushes == 1<<18 { // each adds less than 2^33 for each of 2,046 exponents, of which 32 at most touch a part's lower half
		s.settle()
	}
}

// spread adds m * 2^shift units.
func (s *Summer) spread(m int64, shift uint) {
	neg := m < 0
	u := uint64(m)
	if neg {
		u = -u
	}
	at, by := shift/32, shift%32
	low := u << by
	high := uint64(0)
	if by > 0 {
		high = u >> (64 - by)
	}
	p := [3]int64{int64(low & math.MaxUint32), int64(low >> 32), int64(high)}
	for i, v := range p {
		if v == 0 {
			continue
		}
		if neg {
			v = -v
		}
		s.parts[int(at)+i] += v
	}
}

// settle moves carries up, so that all parts but the last are below 2^32 and not negative.
func (s *Summer) settle() {
	s.flushes = 0
	for i := range len(s.parts) - 1 {
		s.parts[i+1] += s.parts[i] >> 32
		s.parts[i] &= math.MaxUint32
	}
}

// Total gives the sum: of longs in ones, of doubles in units of 2^-1074.
func (s *Summer) Total() *big.Int {
	if !s.floats {
		t := big.NewInt(s.hi)
		return t.Add(t.Lsh(t, 64), new(big.Int).SetUint64(s.lo))
	}
	s.flush()
	s.settle()
	t := big.NewInt(s.parts[len(s.parts)-1])
	part := new(big.Int)
	for i := len(s.parts) - 2; i >= 0; i-- {
		t.Lsh(t, 32).Add(t, part.SetInt64(s.parts[i]))
	}
	return t
}

// rounded gives a sum as the nearest double, which may be infinite.
func rounded(sum *big.Int, floats bool) float64 {
	if sum == nil || sum.Sign() == 0 {
		return 0
	}
	x := new(big.Float).SetInt(sum)
	if floats {
		x.SetMantExp(x, lowestExponent)
	}
	f, _ := x.Float64()
	return f
}
