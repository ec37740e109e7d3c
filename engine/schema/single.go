package schema

import (
	"slices"
	"strconv"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// single takes the value of a geo or vector field, of which a document has at most one. They are checked and not kept: the document's source
// holds them, and nothing searches them yet.
func (d *decoder) single(field *Field) error {
	if d.r.Kind() == strictjson.Null {
		return d.r.Null()
	}
	var present bool
	var err error
	if field.Type == Geo {
		present, err = d.geo()
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
func (d *decoder) geo() (present bool, err error) {
	if d.r.Kind() != strictjson.Array {
		return true, d.point()
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
		if err := d.point(); err != nil {
			return false, err
		}
	}
}

func (d *decoder) point() error {
	bad := func() error {
		return fault.New(fault.BadField, `field %s is geo and takes {"lat":…,"lon":…}, degrees within ±90 and ±180`, d.name())
	}
	if kind := d.r.Kind(); kind != strictjson.Object && kind != strictjson.None {
		return bad()
	}
	if err := d.r.Enter(); err != nil {
		return err
	}
	for given := 0; ; given++ {
		key, ok, err := d.r.Key()
		if err != nil {
			return err
		}
		if !ok {
			if given != 2 {
				return bad()
			}
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
		if degrees, err := strconv.ParseFloat(token, 64); err != nil || degrees < -limit || degrees > limit {
			return bad()
		}
	}
}

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
