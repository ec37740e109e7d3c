package geo

import "math"

// Coefficients of FreeBSD's k_sin.c and k_cos.c: polynomials in x² for |x| up to π/4, to within 2^-58.
const (
	s1 = -1.66666666666666324348e-01
	s2 = 8.33333333332248946124e-03
	s3 = -1.98412698298579493134e-04
	s4 = 2.75573137070700676789e-06
	s5 = -2.50507602534068634195e-08
	s6 = 1.58969099521155010221e-10

	c1 = 4.16666666666666019037e-02
	c2 = -1.38888888888741095749e-03
	c3 = 2.48015872894767294178e-05
	c4 = -2.75573143513906633035e-07
	c5 = 2.08757232129817482790e-09
	c6 = -1.13596475577881948265e-11
)

// Coefficients of FreeBSD's e_asin.c: asin(x) is x + x*x²*p(x²)/q(x²) for |x| up to 0.5.
const (
	p0 = 1.66666666666666657415e-01
	p1 = -3.25565818622400915405e-01
	p2 = 2.01212532134862925881e-01
	p3 = -4.00555345006794114027e-02
	p4 = 7.91534994289814532176e-04
	p5 = 3.47933107596021167570e-05
	q1 = -2.40339491173441421878e+00
	q2 = 2.02094576023350569471e+00
	q3 = -6.88283971605453293030e-01
	q4 = 7.70381505559019352791e-02
)

// sine is the sine of an angle of -180 to 180 degrees. Angles are brought below 45 degrees while they are degrees, where that is exact.
func sine(degrees float64) float64 {
	if degrees < 0 {
		return -sine(-degrees)
	}
	if degrees > 90 {
		degrees = 180 - degrees
	}
	if degrees > 45 {
		return kernelCosine(radians(90 - degrees))
	}
	return kernelSine(radians(degrees))
}

// cosine is the cosine of an angle of -90 to 90 degrees.
func cosine(degrees float64) float64 {
	if degrees < 0 {
		degrees = -degrees
	}
	if degrees > 45 {
		return kernelSine(radians(90 - degrees))
	}
	return kernelCosine(radians(degrees))
}

func radians(degrees float64) float64 { return float64(degrees * (math.Pi / 180)) }

func kernelSine(x float64) float64 {
	z := float64(x * x)
	r := s1 + float64(z*(s2+float64(z*(s3+float64(z*(s4+float64(z*(s5+float64(z*s6)))))))))
	return x + float64(float64(z*x)*r)
}

func kernelCosine(x float64) float64 {
	z := float64(x * x)
	r := float64(z * (c1 + float64(z*(c2+float64(z*(c3+float64(z*(c4+float64(z*(c5+float64(z*c6)))))))))))
	return 1 - (float64(0.5*z) - float64(z*r))
}

// arcSine is the arc sine of 0 to 1, in radians. Above 0.5 it is π/2 - 2*asin(sqrt((1-x)/2)).
func arcSine(x float64) float64 {
	if x > 0.5 {
		return math.Pi/2 - float64(2*arcSine(math.Sqrt(float64(0.5*(1-x)))))
	}
	z := float64(x * x)
	p := float64(z * (p0 + float64(z*(p1+float64(z*(p2+float64(z*(p3+float64(z*(p4+float64(z*p5)))))))))))
	q := 1 + float64(z*(q1+float64(z*(q2+float64(z*(q3+float64(z*q4)))))))
	return x + float64(x*(p/q))
}
