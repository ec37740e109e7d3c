package schema

import (
	"slices"
	"strconv"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// single takes the value of a geo or vector field, of which a document has at most one. A vector is checked and not kept: the document's source
// holds it, and nothing searches it yet.
func (d *decoder) single(field *Field) error {
	if d.r.Kind() == strictjson.Null {
		return d.r.Null()
	}
	var present bool
	var err error
	if field.Type == Geo {
		present, err = d.geo(field)
	} else {
		present, err = d.vector(field)
	}
	if err != nil || !present {
		return err
	}
	if slices.Contains(d.once, field) {
		return fault.New(fault.BadField, "field %s is %s and holds one value a document", d.name(), field.Type)
	}
	d.once = append(d.once, field)
	return nil
}

// geo takes {"lat":…,"lon":…}, alone or as the only element of an array.
func (d *decoder) geo(field *Field) (present bool, err error) {
	if d.r.Kind() != strictjson.Array {
		return true, d.point(field)
	}
	if err := d.r.Enter(); err != nil {
		return false, err
	}
	for {
		if more, err := d.r.More(); err != nil || !more {
			return present, err
		}
		if d.r.Kind() == strictjson.Null {
			if err := d.r.Null(); err != nil {
				return false, err
			}
			continue
		}
		if present {
			return false, fault.New(fault.BadField, "field %s is geo and holds one value a document", d.name())
		}
		present = true
		if err := d.point(field); err != nil {
			return false, err
		}
	}
}

// point takes one place, and keeps it as the values of two fields of doubles, [LatName] and [LonName]: so columns, their bounds and ranges serve places too.
func (d *decoder) point(field *Field) error {
	bad := func() error {
		return fault.New(fault.BadField, `field %s is geo and takes {"lat":…,"lon":…}, degrees within ±90 and ±180`, d.name())
	}
	if kind := d.r.Kind(); kind != strictjson.Object && kind != strictjson.None {
		return bad()
	}
	if err := d.r.Enter(); err != nil {
		return err
	}
	var lat, lon float64
	for given := 0; ; given++ {
		key, ok, err := d.r.Key()
		if err != nil {
			return err
		}
		if !ok {
			if given != 2 {
				return bad()
			}
			d.coordinate(LatName(field.Name), lat)
			d.coordinate(LonName(field.Name), lon)
			return nil
		}
		limit := map[string]float64{"lat": 90, "lon": 180}[key]
		if limit == 0 || d.r.Kind() != strictjson.Number {
			return bad()
		}
		token, err := d.r.Number()
		if err != nil {
			return err
		}
		degrees, err := strconv.ParseFloat(token, 64)
		if err != nil || degrees < -limit || degrees > limit {
			return bad()
		}
		if key == "lat" {
			lat = degrees + 0 // -0 is 0
		} else {
			lon = degrees + 0
		}
	}
}

// coordinate keeps one half of a place.
func (d *decoder) coordinate(name string, degrees float64) {
	v := d.values(&Field{Name: name, Type: Double, Boost: 1})
	v.Floats = appendFrom(&d.floats, v.Floats, degrees)
}

// LatName names the field of doubles that keeps the latitudes of a geo field. No schema has a field of this name beside the geo field, since that cannot be an object.
func LatName(field string) string { return field + ".lat" }

// LonName names the field of doubles that keeps the longitudes of a geo field.
func LonName(field string) string { return field + ".lon" }

// vector takes an array of numbers; an empty one is no value.
func (d *decoder) vector(field *Field) (present bool, err error) {
	if kind := d.r.Kind(); kind != strictjson.Array && kind != strictjson.None {
		return false, fault.New(fault.BadVector, "field %s is vector and takes an array of %d numbers, not %s", d.name(), field.Dims, kind)
	}
	if err := d.r.Enter(); err != nil {
		return false, err
	}
	dims, zero := 0, true
	for {
		more, err := d.r.More()
		if err != nil {
			return false, err
		}
		if !more {
			break
		}
		if kind := d.r.Kind(); kind != strictjson.Number && kind != strictjson.None {
			return false, fault.New(fault.BadVector, "field %s is vector and holds numbers, not %s", d.name(), kind)
		}
		token, err := d.r.Number()
		if err != nil {
			return false, err
		}
		number, err := strconv.ParseFloat(token, 32)
		if err != nil {
			return false, fault.New(fault.BadVector, "field %s: %s is too large for a 32-bit float", d.name(), fault.Quote(token))
		}
		zero = zero && number == 0
		dims++
	}
	switch {
	case dims == 0:
		return false, nil
	case dims != field.Dims:
		return false, fault.New(fault.BadVector, "field %s has %d dimensions, not %d", d.name(), field.Dims, dims)
	case zero && field.Similarity == "cosine":
		return false, fault.New(fault.BadVector, "field %s: a zero vector has no direction, and so no cosine", d.name())
	}
	return true, nil
}
