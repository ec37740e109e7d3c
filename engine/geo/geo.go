// Package geo is distances on the Earth, with the same bits on every machine. It imports nothing of the project.
//
// The Earth is a sphere. The distance of two points is by the haversine formula, with latitudes and longitudes in degrees,
//
//	h = sin²((lat2-lat1)/2) + cos(lat1)*cos(lat2)*sin²((lon2-lon1)/2)
//	d = 2*[EarthRadius]*asin(min(1, sqrt(h)))
//
// Sine, cosine and arc sine are the package's own (trigonometry.go): those of package math are assembly on some processors, and a compiler may fuse their products.
// Square roots are rounded correctly everywhere.
package geo

import "math"

// EarthRadius is the mean radius of the Earth in metres, (2a+b)/3 of WGS 84.
const EarthRadius = 6371008.7714

// Point is a place in degrees: Lat from -90 to 90, Lon from -180 to 180.
type Point struct{ Lat, Lon float64 }

// Valid tells whether both are within their bounds, which NaN is not.
func (p Point) Valid() bool {
	return p.Lat >= -90 && p.Lat <= 90 && p.Lon >= -180 && p.Lon <= 180
}

// Distance gives the distance of two places in metres; it is the same both ways.
func Distance(a, b Point) float64 {
	lat, lon := sine((b.Lat-a.Lat)/2), sine((b.Lon-a.Lon)/2)
	h := float64(lat*lat) + float64(float64(cosine(a.Lat)*cosine(b.Lat))*float64(lon*lon))
	return float64(2 * EarthRadius * arcSine(min(1, math.Sqrt(h))))
}

// Band gives latitudes between which all places within so many metres of one lie, those included that only rounding brings so near.
func Band(p Point, metres float64) (south, north float64) {
	const margin = 1e-5 // degrees: an arc sine near 1 may be off by 1e-6
	reach := metres/EarthRadius*(180/math.Pi) + margin
	return p.Lat - reach, p.Lat + reach
}
