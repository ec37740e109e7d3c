package factor

import (
	"math"

	"github.com/jetseek/jetseek/engine/bm25"
)

// The constants of FreeBSD's e_log10.c: 1/ln 10 and log10 2, each in two parts of which the first has trailing zeros, so that its products are exact.
const (
	invLn10Hi = 4.34294481878168880939e-01
	invLn10Lo = 2.50829467116452752298e-11
	log10Two1 = 3.01029995663611771306e-01
	log10Two2 = 3.69423907715893078616e-13
)

// Log10 is the logarithm to the base of 10, within 1 ulp, exact for powers of 10, and with the same bits on every machine. The algorithm is that of FreeBSD's e_log10.c. Log10 of a
// negative number or NaN is NaN, of 0 is -Inf, of +Inf is +Inf.
func Log10(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	y, f, half, r := bm25.LnParts(x)

	// ln(1+f) is hi+lo, of which hi has at most 32 bits.
	hi := math.Float64frombits(math.Float64bits(f-half) &^ (1<<32 - 1))
	lo := ((f - hi) - half) + r
	high := float64(hi * invLn10Hi)
	whole := float64(y * log10Two1)
	low := float64(y*log10Two2) + float64((lo+hi)*invLn10Lo) + float64(lo*invLn10Hi)
	sum := whole + high
	low += (whole - sum) + high
	return low + sum
}

// Log1p is ln(1+x), near 0 too, where 1+x loses digits of x: the remedy is the first term of the series in what was lost.
func Log1p(x float64) float64 {
	u := 1 + x
	if u <= 0 || u > math.MaxFloat64 || u != u {
		return bm25.Ln(u)
	}
	return bm25.Ln(u) + (x-(u-1))/u
}
