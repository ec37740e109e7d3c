package query

import (
	"math"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// This file holds the forms of queries in JSON, one function each.

func (d *jsonDecoder) bool(depth int) (Node, error) {
	n := &Bool{Boost: 1}
	clauses := func(into *[]Node) func() error {
		return func() error {
			return d.list(func() error {
				child, err := d.query(depth + 1)
				*into = append(*into, child)
				return err
			})
		}
	}
	return n, d.params("bool", map[string]func() error{
		"must": clauses(&n.Must), "should": clauses(&n.Should), "must_not": clauses(&n.MustNot), "filter": clauses(&n.Filter),
		"minimum_should_match": d.minShould(&n.MinShouldText), "boost": d.boost(&n.Boost),
	})
}

func (d *jsonDecoder) disMax(depth int) (Node, error) {
	n := &DisMax{Boost: 1}
	err := d.params("dis_max", map[string]func() error{
		"queries": func() error {
			return d.list(func() error {
				child, err := d.query(depth + 1)
				n.Children = append(n.Children, child)
				return err
			})
		},
		"tie_breaker": d.tie(&n.Tie), "boost": d.boost(&n.Boost),
	})
	if err == nil && len(n.Children) == 0 {
		err = fault.New(fault.BadQuery, "dis_max has no queries")
	}
	return n, err
}

func (d *jsonDecoder) tie(into *float64) func() error {
	return func() error {
		if err := d.float(into)(); err != nil {
			return err
		}
		if !(*into >= 0 && *into <= 1) {
			return fault.New(fault.BadQuery, "tie_breaker is a number from 0 to 1")
		}
		return nil
	}
}

func (d *jsonDecoder) constantScore(depth int) (Node, error) {
	n := &ConstantScore{Boost: 1}
	err := d.params("constant_score", map[string]func() error{
		"filter": func() (err error) { n.Child, err = d.query(depth + 1); return err },
		"boost":  d.boost(&n.Boost),
	})
	if err == nil && n.Child == nil {
		err = fault.New(fault.BadQuery, "constant_score has no filter")
	}
	return n, err
}

func (d *jsonDecoder) queryString(depth int) (Node, error) {
	opts := d.opts
	var q, field string
	boost := 1.0
	given := false
	err := d.params("query_string", map[string]func() error{
		"query":            func() error { given = true; return d.text(&q)() },
		"default_field":    d.text(&field),
		"default_operator": d.choice(&opts.DefaultOperatorAnd, "or", "and"),
		"lenient":          d.truth(&opts.Lenient),
		"boost":            d.boost(&boost),
	})
	if err != nil {
		return nil, err
	}
	if !given {
		return nil, fault.New(fault.BadQuery, "query_string has no query")
	}
	n, err := parse(q, opts, field, d.budget, depth)
	if err != nil || boost == 1 {
		return n, err
	}
	return withBoost(n, boost), nil
}

func (d *jsonDecoder) match() (Node, error) {
	n := &Match{Fuzziness: "0", Boost: 1}
	given := false
	err := d.fieldParams("match", &n.Field, "query", map[string]func() error{
		"query":                func() error { given = true; return d.value(&n.Value)() },
		"operator":             d.choice(&n.And, "or", "and"),
		"minimum_should_match": d.minShould(&n.MinShould),
		"fuzziness":            d.fuzziness(&n.Fuzziness),
		"boost":                d.boost(&n.Boost),
	})
	return n, needs("match", "query", given, err)
}

func (d *jsonDecoder) matchPhrase(name string, prefix bool) (Node, error) {
	n := &Phrase{Prefix: prefix, Boost: 1, Pos: -1}
	given := false
	err := d.fieldParams(name, &n.Field, "query", map[string]func() error{
		"query": func() error { given = true; return d.text(&n.Text)() },
		"slop":  d.wholeNumber(&n.Slop, MaxSlop),
		"boost": d.boost(&n.Boost),
	})
	return n, needs(name, "query", given, err)
}

func (d *jsonDecoder) multiMatch() (Node, error) {
	n := &MultiMatch{Fuzziness: "0", Boost: 1}
	given := false
	err := d.params("multi_match", map[string]func() error{
		"query":                func() error { given = true; return d.value(&n.Value)() },
		"fields":               func() error { return d.boostedFields(&n.Fields) },
		"type":                 d.choice(&n.Most, "best_fields", "most_fields"),
		"operator":             d.choice(&n.And, "or", "and"),
		"minimum_should_match": d.minShould(&n.MinShould),
		"fuzziness":            d.fuzziness(&n.Fuzziness),
		"tie_breaker":          d.tie(&n.Tie),
		"boost":                d.boost(&n.Boost),
	})
	return n, needs("multi_match", "query", given, err)
}

// boostedFields reads ["title^2","body"].
func (d *jsonDecoder) boostedFields(into *[]BoostedField) error {
	return d.list(func() error {
		f := BoostedField{Boost: 1}
		if err := d.text(&f.Name)(); err != nil {
			return err
		}
		if name, digits, boosted := strings.Cut(f.Name, "^"); boosted {
			boost, err := strconv.ParseFloat(digits, 64)
			if err != nil || math.IsNaN(boost) {
				return fault.New(fault.BadQuery, "field %s has no number behind its ^", fault.Quote(f.Name))
			}
			if err := checkBoost(boost); err != nil {
				return err
			}
			f = BoostedField{Name: name, Boost: boost}
		}
		if len(*into) == schema.MaxFields {
			return fault.New(fault.LimitExceeded, "multi_match takes at most %d fields", schema.MaxFields)
		}
		*into = append(*into, f)
		return nil
	})
}

func (d *jsonDecoder) term() (Node, error) {
	n := &Term{Boost: 1}
	given := false
	err := d.fieldParams("term", &n.Field, "value", map[string]func() error{
		"value": func() error { given = true; return d.value(&n.Value)() },
		"boost": d.boost(&n.Boost),
	})
	return n, needs("term", "value", given, err)
}

// terms reads {"FIELD":[…],"boost":…}.
func (d *jsonDecoder) terms() (Node, error) {
	n := &Terms{Boost: 1}
	named := false
	err := d.object("terms", func(key string) error {
		if key == "boost" && d.r.Kind() == strictjson.Number {
			return d.boost(&n.Boost)()
		}
		if named {
			return fault.New(fault.BadQuery, "terms takes one field, and %s is a second", fault.Quote(key))
		}
		named, n.Field = true, key
		return d.values(&n.Values, "terms")
	})
	return n, needs("terms", "field", named, err)
}

// values reads a list of scalars, whose bytes do not count as query.
func (d *jsonDecoder) values(into *[]Value, what string) error {
	if d.r.Kind() != strictjson.Array {
		return d.expected(what, "a list")
	}
	start := d.r.Offset()
	defer func() { d.lists += d.r.Offset() - start }()
	return d.list(func() error {
		if len(*into) == MaxTerms {
			return fault.New(fault.LimitExceeded, "%s takes at most %d values", what, MaxTerms)
		}
		var v Value
		err := d.value(&v)()
		*into = append(*into, v)
		return err
	})
}

func (d *jsonDecoder) rangeQuery() (Node, error) {
	n := &Range{Boost: 1, Pos: -1}
	end := func(into **Value, inclusive *bool, includes bool) func() error {
		return func() error {
			if *into != nil {
				return fault.New(fault.BadQuery, "range has the same end twice: gt and gte, or lt and lte")
			}
			if d.r.Kind() == strictjson.Null {
				return d.r.Null() // an open end
			}
			*into, *inclusive = &Value{}, includes
			return d.value(*into)()
		}
	}
	return n, d.fieldParams("range", &n.Field, "", map[string]func() error{
		"gt": end(&n.Lo, &n.IncLo, false), "gte": end(&n.Lo, &n.IncLo, true),
		"lt": end(&n.Hi, &n.IncHi, false), "lte": end(&n.Hi, &n.IncHi, true),
		"boost": d.boost(&n.Boost),
	})
}

// pattern reads prefix, wildcard, regexp and fuzzy, which differ in little.
func (d *jsonDecoder) pattern(name string) (Node, error) {
	var field, text string
	boost := 1.0
	fuzzy := &Fuzzy{Fuzziness: strconv.Itoa(MaxEdits), Pos: -1}
	given := false
	known := map[string]func() error{
		"value": func() error { given = true; return d.text(&text)() },
		"boost": d.boost(&boost),
	}
	if name == "fuzzy" {
		known["fuzziness"] = d.fuzziness(&fuzzy.Fuzziness)
		known["prefix_length"] = d.wholeNumber(&fuzzy.PrefixLength, MaxBytes)
		known["max_expansions"] = d.wholeNumber(&fuzzy.MaxExpansions, MaxExpansions)
	}
	err := d.fieldParams(name, &field, "value", known)
	if err = needs(name, "value", given, err); err != nil {
		return nil, err
	}
	switch name {
	case "prefix":
		return &Prefix{Field: field, Text: text, Boost: boost, Pos: -1}, nil
	case "wildcard":
		return &Wildcard{Field: field, Pattern: text, Boost: boost, Pos: -1}, nil
	case "regexp":
		return &Regexp{Field: field, Pattern: text, Boost: boost, Pos: -1}, checkRegexp(text, -1)
	}
	fuzzy.Field, fuzzy.Text, fuzzy.Boost = field, text, boost
	return fuzzy, nil
}

func (d *jsonDecoder) exists() (Node, error) {
	n := &Exists{Boost: 1}
	err := d.params("exists", map[string]func() error{"field": d.text(&n.Field), "boost": d.boost(&n.Boost)})
	return n, needs("exists", "field", n.Field != "", err)
}

func (d *jsonDecoder) geoDistance() (Node, error) {
	n := &GeoDistance{Boost: 1}
	given := givenKeys{}
	return n, given.needs("geo_distance", d.params("geo_distance", given.note(map[string]func() error{
		"field": d.text(&n.Field), "lat": d.degrees(&n.Lat, 90), "lon": d.degrees(&n.Lon, 180), "distance": d.length(&n.Metres), "boost": d.boost(&n.Boost),
	})), "field", "lat", "lon", "distance")
}

func (d *jsonDecoder) geoBox() (Node, error) {
	n := &GeoBox{Boost: 1}
	given := givenKeys{}
	err := d.params("geo_box", given.note(map[string]func() error{
		"field": d.text(&n.Field), "top": d.degrees(&n.Top, 90), "bottom": d.degrees(&n.Bottom, 90), "left": d.degrees(&n.Left, 180), "right": d.degrees(&n.Right, 180),
		"boost": d.boost(&n.Boost),
	}))
	if err = given.needs("geo_box", err, "field", "top", "left", "bottom", "right"); err == nil && n.Top < n.Bottom {
		err = fault.New(fault.BadQuery, "geo_box: top %g lies south of bottom %g", n.Top, n.Bottom)
	}
	return n, err
}

// givenKeys are the parameters that were there.
type givenKeys map[string]bool

// note makes each reader of a parameter leave word that it was there.
func (g givenKeys) note(known map[string]func() error) map[string]func() error {
	for key, read := range known {
		known[key] = func() error { g[key] = true; return read() }
	}
	return known
}

func checkIDValue(v Value) error {
	if v.Kind == BoolValue || v.Kind == NumberValue && !schema.IsWhole(v.Text) {
		return fault.New(fault.BadQuery, "ids are strings or integers, not %s", fault.Quote(v.Text))
	}
	return nil
}

func (d *jsonDecoder) like() (Node, error) {
	n := &Like{MaxTerms: DefaultLikeTerms, MinFreq: 1, MinDF: 2, MinShould: "30%", Boost: 1}
	given := false
	err := d.params("like", map[string]func() error{
		"id": func() error {
			given = true
			var v Value
			if err := d.value(&v)(); err != nil {
				return err
			}
			n.ID = v.Text
			return checkIDValue(v)
		},
		"fields": func() error {
			n.Fields = []string{}
			return d.list(func() error {
				var name string
				if err := d.text(&name)(); err != nil {
					return err
				}
				if n.Fields = append(n.Fields, name); len(n.Fields) > schema.MaxFields {
					return fault.New(fault.LimitExceeded, "like takes at most %d fields", schema.MaxFields)
				}
				return nil
			})
		},
		"max_terms":            d.wholeNumber(&n.MaxTerms, MaxLikeTerms),
		"min_term_freq":        d.wholeNumber(&n.MinFreq, math.MaxInt32),
		"min_doc_freq":         d.wholeNumber(&n.MinDF, math.MaxInt32),
		"minimum_should_match": d.minShould(&n.MinShould),
		"include":              d.truth(&n.Include),
		"boost":                d.boost(&n.Boost),
	})
	if err = needs("like", "id", given, err); err != nil {
		return nil, err
	}
	if err := schema.CheckID(n.ID); err != nil {
		return nil, fault.New(fault.BadQuery, "like: %v", err)
	}
	return n, nil
}

// needs is err, or else the error that a query lacks the first of some keys that is not there.
func (g givenKeys) needs(what string, err error, keys ...string) error {
	for _, key := range keys {
		err = needs(what, key, g[key], err)
	}
	return err
}

func (d *jsonDecoder) ids() (Node, error) {
	n := &IDs{Boost: 1}
	var values []Value
	given := false
	err := d.params("ids", map[string]func() error{
		"values": func() error { given = true; return d.values(&values, "ids") },
		"boost":  d.boost(&n.Boost),
	})
	if err = needs("ids", "values", given, err); err != nil {
		return nil, err
	}
	for _, v := range values {
		if err := checkIDValue(v); err != nil {
			return nil, err
		}
		n.Values = append(n.Values, v.Text)
	}
	n.Values = sortedSet(n.Values)
	return n, nil
}

// needs is err, or else the error that a query lacks what it cannot do without.
func needs(what, key string, given bool, err error) error {
	if err == nil && !given {
		err = fault.New(fault.BadQuery, "%s has no %s", what, key)
	}
	return err
}
