package bm25

import "math"

// The constants of FreeBSD's e_log.c: ln 2 in two parts, the first with trailing zeros so that k*ln2Hi is exact, and the coefficients of
// the polynomial that approximates log((1+s)/(1-s)) - 2s over s² on [0, 0.1716] to within 2^-58.45.
const (
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10

	lg1 = 6.666666666666735130e-01
	lg2 = 3.999999999940941908e-01
	lg3 = 2.857142874366239149e-01
	lg4 = 2.222219843214978396e-01
	lg5 = 1.818357216161805012e-01
	lg6 = 1.531383769920937332e-01
	lg7 = 1.479819860511658591e-01
)

// Ln is the natural logarithm, within 1 ulp and with the same bits on every machine: math.Log is assembly on some processors, and a
// compiler may fuse its products. The algorithm is that of FreeBSD's e_log.c: with x = 2^k * (1+f), sqrt(2)/2 < 1+f < sqrt(2), and s = f/(2+f),
// log(1+f) is f - s*(f - R) with R a polynomial in s². Ln of a negative number or NaN is NaN, of 0 is -Inf, of +Inf is +Inf.
func Ln(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x < 0:
		return math.NaN()
	case x == 0:
		return math.Inf(-1)
	}
	k, f, half, tail := LnParts(x)
	return float64(k*ln2Hi) - ((half - (tail + float64(k*ln2Lo))) - f)
}

// LnParts takes a finite number above 0 apart for logarithms to any base: x is 2^k * (1+f), and ln(1+f) is f - half + tail, where half is f*f/2 and tail is small.
func LnParts(x float64) (k, f, half, tail float64) {
	mantissa, exponent := math.Frexp(x)
	if mantissa < math.Sqrt2/2 {
		mantissa *= 2
		exponent--
	}
	f = mantissa - 1
	s := f / (2 + f)
	s2 := float64(s * s)
	s4 := float64(s2 * s2)
	odd := float64(s2 * (lg1 + float64(s4*(lg3+float64(s4*(lg5+float64(s4*lg7)))))))
	even := float64(s4 * (lg2 + float64(s4*(lg4+float64(s4*lg6)))))
	half = float64(float64(0.5*f) * f)
	return float64(exponent), f, half, float64(s * (half + (odd + even)))
}
