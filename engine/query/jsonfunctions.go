package query

import (
	"math"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// This file reads function_score.

// functionScore reads the query and its functions: a list of them, or one beside the query.
func (d *jsonDecoder) functionScore(depth int) (Node, error) {
	n := &FunctionScore{MaxBoost: math.MaxFloat64, Boost: 1}
	one, listed := ScoreFunction{Weight: 1}, false
	given := givenKeys{}
	known := given.note(d.function(&one))
	known["query"] = func() (err error) { n.Query, err = d.query(depth + 1); return err }
	known["functions"] = func() error {
		listed = true
		return d.list(func() error {
			f, err := d.listedFunction(depth)
			n.Functions = append(n.Functions, f)
			return err
		})
	}
	known["score_mode"] = named(d, "score_mode", &n.ScoreMode)
	known["boost_mode"] = named(d, "boost_mode", &n.BoostMode)
	known["max_boost"] = d.notNegative("max_boost", &n.MaxBoost)
	known["min_score"] = d.optional(&n.MinScore)
	known["boost"] = d.boost(&n.Boost)
	err := d.params("function_score", known)
	switch {
	case err != nil:
		return nil, err
	case listed && len(given) > 0:
		return nil, fault.New(fault.BadQuery, "function_score has functions and one beside them: put it into the list")
	case len(given) > 0:
		n.Functions = []ScoreFunction{one}
		err = d.budget.clause(-1)
	}
	if n.Query == nil {
		n.Query = &MatchAll{Boost: 1}
	}
	return n, err
}

// listedFunction reads one of functions.
func (d *jsonDecoder) listedFunction(depth int) (ScoreFunction, error) {
	f := ScoreFunction{Weight: 1}
	if err := d.budget.clause(-1); err != nil {
		return f, err
	}
	given := givenKeys{}
	known := given.note(d.function(&f))
	known["filter"] = func() (err error) { f.Filter, err = d.query(depth + 1); return err }
	err := d.params("a function of function_score", known)
	if err == nil && len(given) == 0 {
		err = fault.New(fault.BadQuery, "a function of function_score has a weight, field_value_factor, gauss, exp or linear")
	}
	return f, err
}

// function makes the readers of a function's parameters.
func (d *jsonDecoder) function(f *ScoreFunction) map[string]func() error {
	measure := func(read func() error) func() error {
		return func() error {
			if f.Value != nil || f.Near != nil {
				return fault.New(fault.BadQuery, "a function of function_score is one of field_value_factor, gauss, exp and linear")
			}
			return read()
		}
	}
	known := map[string]func() error{
		"weight":             d.notNegative("weight", &f.Weight),
		"field_value_factor": measure(func() error { return d.fieldValue(f) }),
	}
	for shape := factor.Gauss; shape.Name() != ""; shape++ {
		known[shape.Name()] = measure(func() error { return d.decay(f, shape) })
	}
	return known
}

func (d *jsonDecoder) fieldValue(f *ScoreFunction) error {
	v := &FieldValue{Factor: 1}
	f.Value = v
	err := d.params("field_value_factor", map[string]func() error{
		"field": d.text(&v.Field), "factor": d.float(&v.Factor),
		"modifier": named(d, "modifier", &v.Modifier), "missing": d.optional(&v.Missing),
	})
	return needs("field_value_factor", "field", v.Field != "", err)
}

// decay reads {"FIELD":{"origin":…,"scale":…,"offset":…,"decay":…},"multi_value_mode":…}.
func (d *jsonDecoder) decay(f *ScoreFunction, shape factor.Shape) error {
	what := shape.Name()
	by := &DecayFrom{Shape: shape, Offset: Value{Kind: NumberValue, Text: "0"}, Decay: 0.5}
	f.Near = by
	given := givenKeys{}
	err := d.object(what, func(key string) error {
		if key == "multi_value_mode" && d.r.Kind() == strictjson.String {
			return named(d, key, &by.Pick)()
		}
		if by.Field != "" {
			return fault.New(fault.BadQuery, "%s takes one field, and %s is a second", what, fault.Quote(key))
		}
		by.Field = key
		return d.params(what, given.note(map[string]func() error{
			"origin": d.origin(by), "scale": d.value(&by.Scale), "offset": d.value(&by.Offset), "decay": d.float(&by.Decay),
		}))
	})
	err = given.needs(what, needs(what, "field", by.Field != "", err), "origin", "scale")
	if err == nil && !(by.Decay > 0 && by.Decay < 1) {
		err = fault.New(fault.BadQuery, "%s: decay is a number between 0 and 1", what)
	}
	return err
}

// origin reads a value, or a place as {"lat":…,"lon":…}.
func (d *jsonDecoder) origin(by *DecayFrom) func() error {
	return func() error {
		if d.r.Kind() != strictjson.Object {
			return d.value(&by.Origin)()
		}
		by.Place = &geo.Point{}
		given := givenKeys{}
		err := d.params("origin", given.note(map[string]func() error{"lat": d.degrees(&by.Place.Lat, 90), "lon": d.degrees(&by.Place.Lon, 180)}))
		return given.needs("origin", err, "lat", "lon")
	}
}

// placeOf reads a place written "lat,lon".
func placeOf(text string) (geo.Point, bool) {
	north, east, both := strings.Cut(text, ",")
	north, east = strings.TrimSpace(north), strings.TrimSpace(east)
	if !both || !schema.IsDecimal(north) || !schema.IsDecimal(east) {
		return geo.Point{}, false
	}
	lat, err := strconv.ParseFloat(north, 64)
	lon, err2 := strconv.ParseFloat(east, 64)
	p := geo.Point{Lat: lat, Lon: lon}
	return p, err == nil && err2 == nil && p.Valid()
}

func (d *jsonDecoder) notNegative(what string, into *float64) func() error {
	return func() error {
		if err := d.float(into)(); err != nil {
			return err
		}
		if !(*into >= 0) {
			return fault.New(fault.BadQuery, "%s is a number that is not negative", what)
		}
		return nil
	}
}

// optional reads a number that may be left out.
func (d *jsonDecoder) optional(into **float64) func() error {
	return func() error {
		*into = new(float64)
		return d.float(*into)()
	}
}

// named reads the name of one of a few things.
func named[T interface {
	~uint8
	Name() string
}](d *jsonDecoder, what string, into *T) func() error {
	return func() error {
		var name string
		if err := d.text(&name)(); err != nil {
			return err
		}
		value, known := factor.Named[T](name)
		if !known {
			var names []string
			for t := T(0); t.Name() != ""; t++ {
				names = append(names, t.Name())
			}
			return fault.New(fault.BadQuery, "%s is one of %s, not %s", what, strings.Join(names, ", "), fault.Quote(name))
		}
		*into = value
		return nil
	}
}
