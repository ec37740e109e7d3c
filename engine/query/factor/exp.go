package factor

import "math"

// The constants of FreeBSD's e_exp.c: 1/ln 2, ln 2 in two parts, and the coefficients of the polynomial that approximates r*(exp(r)+1)/(exp(r)-1) over r² on [0, 0.34658] to within 2^-59.
const (
	log2E = 1.44269504088896338700e+00
	ln2Hi = 6.93147180369123816490e-01
	ln2Lo = 1.90821492927058770002e-10

	expP1 = 1.66666666666666657415e-01
	expP2 = -2.77777777770155933842e-03
	expP3 = 6.61375632143793436117e-05
	expP4 = -1.65339022054652515390e-06
	expP5 = 4.13813679705723846039e-08

	expOverflow  = 7.09782712893383973096e+02  // beyond it exp is infinite
	expUnderflow = -7.45133219101941108420e+02 // below it exp is 0
)

// Exp is e to the power of x, within 1 ulp and with the same bits on every machine; math.Exp is assembly on some processors. The algorithm is that of FreeBSD's e_exp.c: with
// x = k*ln 2 + r and |r| <= ln 2 / 2, exp(r) is 1 + 2r/(R-r) with R a polynomial in r². Exp of NaN is NaN.
func Exp(x float64) float64 {
	const tiny = 1.0 / (1 << 28)
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	case -tiny < x && x < tiny:
		return 1 + x
	}
	k := int(float64(log2E*x) + math.Copysign(0.5, x)) // towards zero
	hi := x - float64(float64(k)*ln2Hi)
	lo := float64(float64(k) * ln2Lo)
	r := hi - lo
	t := float64(r * r)
	c := r - float64(t*(expP1+float64(t*(expP2+float64(t*(expP3+float64(t*(expP4+float64(t*expP5)))))))))
	y := 1 - ((lo - float64(r*c)/(2-c)) - hi)
	return math.Ldexp(y, k)
}
