package query

import (
	"strconv"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file resolves exact values and ranges by the types of their fields.

// misfit is the error for a value of JSON that its field's type does not hold.
func misfit(f *schema.Field, v Value) error {
	return fault.New(fault.BadField, "field %s is %s and cannot be %s", fault.Quote(f.Name), f.Type, fault.Quote(v.Text))
}

// exact gives the node for one value of a field that is no text, with a constant score. It fails where the value does not fit the type.
func exact(f *schema.Field, v Value, c scope) (Node, error) {
	switch f.Type {
	case schema.Keyword:
		if v.Kind != WordValue && v.Kind != StringValue {
			return nil, misfit(f, v)
		}
		return &KeywordSet{Field: f.Name, Values: []string{v.Text}, Boost: c.leaf()}, nil
	case schema.Double:
		x, err := doubleValue(f, v)
		if err != nil {
			return nil, err
		}
		return &DoubleRange{Field: f.Name, Lo: x, Hi: x, IncLo: true, IncHi: true, Boost: c.leaf()}, nil
	}
	in, err := spanOf(f, v)
	switch {
	case err != nil:
		return nil, err
	case in.Outside != 0:
		return &MatchNone{}, nil
	}
	return longRange(f, in.Lo, in.Hi, c), nil
}

// longRange gives the values from lo to hi; nothing when there are none.
func longRange(f *schema.Field, lo, hi int64, c scope) Node {
	if lo > hi {
		return &MatchNone{}
	}
	return &LongRange{Field: f.Name, Lo: lo, Hi: hi, Boost: c.leaf()}
}

// spanOf reads a value of a long, date or bool field.
func spanOf(f *schema.Field, v Value) (schema.Span, error) {
	word := v.Kind == WordValue
	switch f.Type {
	case schema.Long:
		if in, ok := schema.WholeSpan(v.Text); ok && (word || v.Kind == NumberValue) {
			return in, nil
		}
	case schema.Bool:
		if (v.Text == "true" || v.Text == "false") && (word || v.Kind == BoolValue) {
			n := schema.BoolInt(v.Text == "true")
			return schema.Span{Lo: n, Hi: n}, nil
		}
	case schema.Date:
		if in, ok := schema.DateSpan(v.Text); ok && (word || v.Kind == StringValue) {
			return in, nil
		}
		if in, ok := schema.EpochSpan(v.Text); ok && (word || v.Kind == NumberValue) {
			return in, nil
		}
	}
	return schema.Span{}, misfit(f, v)
}

// doubleValue reads a value of a double field. Beyond the largest double it is infinite, which no document holds.
func doubleValue(f *schema.Field, v Value) (float64, error) {
	if (v.Kind != WordValue && v.Kind != NumberValue) || !schema.IsDecimal(v.Text) {
		return 0, misfit(f, v)
	}
	x, _ := strconv.ParseFloat(v.Text, 64) // what is too large becomes infinite
	return x + 0, nil                      // -0 is 0
}
