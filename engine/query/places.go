package query

import (
	"math"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// This file resolves what concerns places. A geo field is kept as two fields of doubles, so a box is two ranges.

func (r *resolver) geoDistance(n *GeoDistance, c scope) (Node, error) {
	f, err := r.geoField(n.Field)
	if f == nil {
		return &MatchNone{}, err
	}
	p := geo.Point{Lat: n.Lat, Lon: n.Lon}
	if !p.Valid() {
		return nil, outOfBounds(p)
	}
	return &Near{Field: f.Name, Point: p, Metres: n.Metres, Boost: c.times(f.Boost).leaf()}, nil
}

// geoBox resolves a box. With its left edge east of the right one it crosses the 180th meridian, which has two longitudes, and either lies on an edge there.
func (r *resolver) geoBox(n *GeoBox, c scope) (Node, error) {
	f, err := r.geoField(n.Field)
	if f == nil {
		return &MatchNone{}, err
	}
	longitudes := func(west, east float64) Node {
		return &DoubleRange{Field: schema.LonName(f.Name), Lo: west, Hi: east, IncLo: true, IncHi: true}
	}
	var parts []Node
	if n.Left > n.Right {
		parts = []Node{longitudes(n.Left, 180), longitudes(-180, n.Right)}
	} else {
		parts = []Node{longitudes(n.Left, n.Right)}
		if n.Left == -180 {
			parts = append(parts, longitudes(180, 180))
		}
		if n.Right == 180 {
			parts = append(parts, longitudes(-180, -180))
		}
	}
	inside := &Bool{Filter: []Node{
		&DoubleRange{Field: schema.LatName(f.Name), Lo: n.Bottom, Hi: n.Top, IncLo: true, IncHi: true},
		simplify(&Bool{Should: parts, MinShould: 1}),
	}}
	return constant(inside, c.times(f.Boost)), nil
}

// geoField finds a geo field; nil where no field has the name, which matches nothing.
func (r *resolver) geoField(name string) (*schema.Field, error) {
	f, known := r.schema.Lookup(name)
	if !known {
		return nil, nil
	}
	if f.Type != schema.Geo {
		return nil, fault.New(fault.BadField, "field %s is %s, not geo", fault.Quote(f.Name), f.Type)
	}
	return f, nil
}

func outOfBounds(p geo.Point) error {
	return fault.New(fault.BadField, "%g, %g is no place: a latitude is within ±90 degrees, a longitude within ±180", p.Lat, p.Lon)
}

// lengthUnits gives the metres of each unit of length, by its names.
func lengthUnits(unit string) (metres float64, ok bool) {
	switch unit {
	case "", "m", "meters", "metres":
		return 1, true
	case "km", "kilometers", "kilometres":
		return 1000, true
	case "cm":
		return 0.01, true
	case "mm":
		return 0.001, true
	case "mi", "miles":
		return 1609.344, true
	case "nmi", "NM", "nauticalmiles":
		return 1852, true
	case "yd", "yards":
		return 0.9144, true
	case "ft", "feet":
		return 0.3048, true
	case "in", "inch":
		return 0.0254, true
	}
	return 0, false
}

// parseLength reads a length as "5km" or "1.5 mi"; without a unit it is metres.
func parseLength(text string) (metres float64, err error) {
	at := strings.LastIndexAny(text, "0123456789.") + 1
	number, unit := strings.TrimSpace(text[:at]), strings.TrimSpace(text[at:])
	factor, known := lengthUnits(unit)
	value, err := strconv.ParseFloat(number, 64)
	if metres = float64(value * factor); err != nil || !known || !schema.IsDecimal(number) || !(metres >= 0 && metres <= math.MaxFloat64) {
		return 0, fault.New(fault.BadQuery, "%s is no distance: it is a number that is not negative with m, km, cm, mm, mi, nmi, yd, ft or in, as 5km", fault.Quote(text))
	}
	return metres, nil
}

// length reads a length: a string with its unit, or a number of metres.
func (d *jsonDecoder) length(into *float64) func() error {
	return func() (err error) {
		if d.r.Kind() != strictjson.Number && d.r.Kind() != strictjson.String {
			return d.expected("a distance", `a string as "5km", or a number of metres`)
		}
		var v Value
		if err := d.value(&v)(); err != nil {
			return err
		}
		*into, err = parseLength(v.Text)
		return err
	}
}
