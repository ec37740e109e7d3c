package query

import (
	"math"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file resolves function_score.

// functionScore resolves a function_score. Where nothing scores it is its query, and where its score is replaced its query does not score.
func (r *resolver) functionScore(n *FunctionScore, c scope, depth int) (Node, error) {
	if !c.scores && n.MinScore != nil {
		return nil, fault.New(fault.BadQuery, "a function_score with min_score stands where scores are made, not in a filter, must_not, constant_score, or where boost_mode replaces them")
	}
	inner := c.times(n.Boost)
	if n.BoostMode == factor.Replace && len(n.Functions) > 0 {
		inner = c.silent()
	}
	child, err := r.node(n.Query, inner, depth+1)
	if err != nil || child == nil {
		return nil, err
	}
	list, err := r.functions(n.Functions, depth)
	if err != nil {
		return nil, err
	}
	if _, none := child.(*MatchNone); none || !c.scores {
		return child, nil
	}
	if len(list) > 0 {
		child = &Functions{Child: child, List: list, Mode: n.ScoreMode, Boost: n.BoostMode, MaxBoost: n.MaxBoost, Limit: MaxScore}
	}
	if n.MinScore != nil {
		child = &AtLeast{Child: child, Score: *n.MinScore}
	}
	return child, nil
}

func (r *resolver) functions(functions []ScoreFunction, depth int) ([]Function, error) {
	var list []Function
	for i := range functions {
		f := &functions[i]
		if r.leaves++; r.leaves > MaxLeaves {
			return nil, tooManyLeaves()
		}
		one := Function{Weight: f.Weight}
		var err error
		if f.Filter != nil {
			if one.Filter, err = r.node(f.Filter, scope{boost: 1}, depth+1); err != nil {
				return nil, err
			}
			if one.Filter == nil {
				one.Filter = &MatchNone{} // a filter without words
			}
		}
		switch {
		case f.Value != nil:
			one.Of, err = r.valueOf(f.Value)
		case f.Near != nil:
			one.Of, err = r.nearness(f.Near)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// valueOf resolves a field_value_factor. A field that is not known is one of which no document has a value.
func (r *resolver) valueOf(v *FieldValue) (Measure, error) {
	m := &ValueOf{Field: v.Field, Type: schema.Double, Factor: v.Factor, Modifier: v.Modifier, Missing: v.Missing}
	f, known := r.schema.Lookup(v.Field)
	switch {
	case !known && v.Missing == nil:
		return nil, fault.New(fault.BadField, "field_value_factor: there is no field %s, and no missing that stands for its value", fault.Quote(v.Field))
	case !known:
		return m, nil
	}
	switch m.Type = f.Type; f.Type {
	case schema.Long, schema.Double, schema.Bool, schema.Date:
		return m, nil
	}
	return nil, fault.New(fault.BadField, "field_value_factor: field %s is %s, and has no values to calculate with", fault.Quote(f.Name), f.Type)
}

// nearness resolves a decay by the type of its field, which tells what origin, scale and offset are.
func (r *resolver) nearness(v *DecayFrom) (Measure, error) {
	what := v.Shape.Name()
	f, known := r.schema.Lookup(v.Field)
	if !known {
		return nil, fault.New(fault.BadField, "%s: there is no field %s", what, fault.Quote(v.Field))
	}
	m := &Nearness{Field: f.Name, Type: f.Type, Pick: v.Pick}
	length := (*resolver).plainLength
	var err error
	switch f.Type {
	case schema.Long, schema.Double:
		m.Origin, err = number(v.Origin)
	case schema.Date:
		length = (*resolver).milliseconds
		var at schema.Span
		if at, err = spanOf(f, v.Origin); err == nil && at.Outside != 0 {
			err = misfit(f, v.Origin)
		}
		m.Time = at.Lo
	case schema.Geo:
		length = (*resolver).metres
		m.Place, err = v.place()
	default:
		return nil, fault.New(fault.BadField, "%s: field %s is %s, and has no distances", what, fault.Quote(f.Name), f.Type)
	}
	if err != nil {
		return nil, err
	}
	scale, err := length(r, v.Scale)
	if err != nil {
		return nil, err
	}
	offset, err := length(r, v.Offset)
	if err != nil {
		return nil, err
	}
	if m.Decay = factor.NewDecay(v.Shape, scale, offset, v.Decay); !(scale > 0) || !m.Decay.Valid() {
		return nil, fault.New(fault.BadQuery, "%s: a scale of %s is too small or too large", what, fault.Quote(v.Scale.Text))
	}
	return m, nil
}

// place gives the origin in a geo field.
func (v *DecayFrom) place() (geo.Point, error) {
	if v.Place != nil {
		return *v.Place, nil
	}
	if p, ok := placeOf(v.Origin.Text); ok {
		return p, nil
	}
	return geo.Point{}, fault.New(fault.BadField, `an origin is a place as {"lat":52.5,"lon":13.4} or "52.5,13.4", not %s`, fault.Quote(v.Origin.Text))
}

// number reads a number of JSON.
func number(v Value) (float64, error) {
	x, err := strconv.ParseFloat(v.Text, 64)
	if v.Kind != NumberValue || err != nil {
		return 0, fault.New(fault.BadField, "%s is no number", fault.Quote(v.Text))
	}
	return x, nil
}

// The functions below read a scale or offset.

func (*resolver) plainLength(v Value) (float64, error) {
	x, err := number(v)
	if err == nil && x < 0 {
		err = fault.New(fault.BadQuery, "%s is no distance: it is negative", fault.Quote(v.Text))
	}
	return x, err
}

func (*resolver) metres(v Value) (float64, error) { return parseLength(v.Text) }

// milliseconds reads a time as "10d".
func (*resolver) milliseconds(v Value) (float64, error) {
	if v.Kind == NumberValue && v.Text == "0" {
		return 0, nil
	}
	at := strings.LastIndexAny(v.Text, "0123456789.") + 1
	digits, unit := v.Text[:at], v.Text[at:]
	factor, known := map[string]float64{"d": 864e5, "h": 36e5, "m": 6e4, "s": 1e3, "ms": 1, "micros": 1e-3, "nanos": 1e-6}[unit]
	x, err := strconv.ParseFloat(digits, 64)
	ms := float64(x * factor)
	if !known || err != nil || !schema.IsDecimal(digits) || !(ms >= 0 && ms <= math.MaxFloat64) {
		return 0, fault.New(fault.BadQuery, "%s is no length of time: it is a number that is not negative with d, h, m, s, ms, micros or nanos, as 10d", fault.Quote(v.Text))
	}
	return ms, nil
}
