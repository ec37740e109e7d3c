package query

import (
	"errors"
	"math"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// maxJSONDepth bounds the nesting of JSON: a query takes up to three levels of it (an object, its parameters, a list) for each of its own.
const maxJSONDepth = 3*MaxDepth + 8

// DecodeJSON reads a query as a request holds it: a JSON string in the query language ([Parse]), or an object in the forms that the package comment lists. It gives
// surface nodes. It fails with bad_request where the text is not strict JSON, with bad_query where it is no query, with limit_exceeded past a limit.
func DecodeJSON(raw []byte, opts Options) (Node, error) {
	if len(raw) > MaxJSONBytes {
		return nil, fault.New(fault.LimitExceeded, "a query is at most %d bytes long", MaxJSONBytes)
	}
	d := jsonDecoder{r: strictjson.New(string(raw), maxJSONDepth), opts: opts, budget: newBudget()}
	n, err := d.whole()
	if err == nil {
		err = d.r.End()
	}
	var broken *strictjson.Error
	switch {
	case !errors.As(err, &broken):
		return n, err
	case broken.TooDeep:
		return nil, fault.New(fault.LimitExceeded, "a query nests at most %d deep", MaxDepth)
	}
	return nil, fault.New(fault.BadRequest, "the query is not valid JSON: %s", broken)
}

// jsonDecoder reads one query; its recursion is bounded by [MaxDepth].
type jsonDecoder struct {
	r      *strictjson.Reader
	opts   Options
	budget *budget
	lists  int // bytes of lists of values, which do not count against [MaxBytes]
}

func (d *jsonDecoder) whole() (Node, error) {
	if d.r.Kind() == strictjson.String {
		q, err := d.r.String()
		if err != nil {
			return nil, err
		}
		return parse(q, d.opts, "", d.budget, 0)
	}
	n, err := d.query(1)
	if err == nil && d.r.Offset()-d.lists > MaxBytes {
		return nil, fault.New(fault.LimitExceeded, "a query is at most %d bytes long, besides its lists of values", MaxBytes)
	}
	return n, err
}

// query reads {"NAME":…}.
func (d *jsonDecoder) query(depth int) (n Node, err error) {
	if err := checkDepth(depth, -1); err != nil {
		return nil, err
	}
	err = d.object("a query", func(name string) error {
		if n != nil {
			return fault.New(fault.BadQuery, "a query has one name: combine %s with others by bool", fault.Quote(name))
		}
		n, err = d.named(name, depth)
		return err
	})
	if err == nil && n == nil {
		err = fault.New(fault.BadQuery, "a query names what it does, as in {\"match\":{\"title\":\"words\"}}")
	}
	return n, err
}

func (d *jsonDecoder) named(name string, depth int) (Node, error) {
	switch name {
	case "bool":
		return d.bool(depth)
	case "dis_max":
		return d.disMax(depth)
	case "constant_score":
		return d.constantScore(depth)
	case "function_score":
		return d.functionScore(depth)
	case "query_string":
		return d.queryString(depth)
	}
	if err := d.budget.clause(-1); err != nil {
		return nil, err
	}
	switch name {
	case "match":
		return d.match()
	case "match_phrase":
		return d.matchPhrase(name, false)
	case "match_phrase_prefix":
		return d.matchPhrase(name, true)
	case "multi_match":
		return d.multiMatch()
	case "term":
		return d.term()
	case "terms":
		return d.terms()
	case "range":
		return d.rangeQuery()
	case "prefix", "wildcard", "regexp", "fuzzy":
		return d.pattern(name)
	case "exists":
		return d.exists()
	case "ids":
		return d.ids()
	case "match_all":
		n := &MatchAll{Boost: 1}
		return n, d.params(name, map[string]func() error{"boost": d.boost(&n.Boost)})
	case "match_none":
		return &MatchNone{}, d.params(name, nil)
	case "like":
		return d.like()
	case "geo_distance":
		return d.geoDistance()
	case "geo_box":
		return d.geoBox()
	}
	return nil, fault.New(fault.BadQuery, "unknown query %s", fault.Quote(name))
}

// object calls f for each key of the object that comes; f takes the value.
func (d *jsonDecoder) object(what string, f func(key string) error) error {
	if kind := d.r.Kind(); kind != strictjson.Object && kind != strictjson.None {
		return fault.New(fault.BadQuery, "%s is an object, not %s", what, kind)
	}
	if err := d.r.Enter(); err != nil {
		return err
	}
	for {
		key, ok, err := d.r.Key()
		if err != nil || !ok {
			return err
		}
		if err := f(key); err != nil {
			return err
		}
	}
}

// list calls f for each element of the array that comes, or once for a value that stands alone.
func (d *jsonDecoder) list(f func() error) error {
	if d.r.Kind() != strictjson.Array {
		return f()
	}
	if err := d.r.Enter(); err != nil {
		return err
	}
	for {
		if more, err := d.r.More(); err != nil || !more {
			return err
		}
		if err := f(); err != nil {
			return err
		}
	}
}

// params reads an object of named parameters, each by its function.
func (d *jsonDecoder) params(what string, known map[string]func() error) error {
	return d.object(what, func(key string) error {
		read, ok := known[key]
		if !ok {
			return fault.New(fault.BadQuery, "%s: unknown key %s", what, fault.Quote(key))
		}
		return read()
	})
}

// fieldParams reads {"FIELD":{params}}, or {"FIELD":value} with the function of the parameter main.
func (d *jsonDecoder) fieldParams(what string, field *string, main string, known map[string]func() error) error {
	named := false
	err := d.object(what, func(name string) error {
		if named {
			return fault.New(fault.BadQuery, "%s takes one field, and %s is a second", what, fault.Quote(name))
		}
		named, *field = true, name
		if name == "" {
			return fault.New(fault.BadQuery, "%s: a field needs a name", what)
		}
		if d.r.Kind() != strictjson.Object {
			if main == "" {
				return d.expected(what+" of a field", "an object")
			}
			return known[main]()
		}
		return d.params(what, known)
	})
	if err == nil && !named {
		err = fault.New(fault.BadQuery, "%s names no field", what)
	}
	return err
}

func (d *jsonDecoder) expected(what, kind string) error {
	if d.r.Kind() == strictjson.None {
		return d.r.Skip() // which tells what is wrong with the JSON
	}
	return fault.New(fault.BadQuery, "%s is %s, not %s", what, kind, d.r.Kind())
}

// The functions below make readers of one parameter.

func (d *jsonDecoder) text(into *string) func() error {
	return func() (err error) {
		if d.r.Kind() != strictjson.String {
			return d.expected("this parameter", "a string")
		}
		*into, err = d.r.String()
		return err
	}
}

func (d *jsonDecoder) float(into *float64) func() error {
	return func() error {
		if d.r.Kind() != strictjson.Number {
			return d.expected("this parameter", "a number")
		}
		token, err := d.r.Number()
		if err != nil {
			return err
		}
		if *into, err = strconv.ParseFloat(token, 64); err != nil {
			return fault.New(fault.BadQuery, "%s is too large", fault.Quote(token))
		}
		return nil
	}
}

func (d *jsonDecoder) boost(into *float64) func() error {
	return func() error {
		if err := d.float(into)(); err != nil {
			return err
		}
		return checkBoost(*into)
	}
}

func checkBoost(boost float64) error {
	if !(boost >= 0 && boost <= math.MaxFloat64) {
		return fault.New(fault.BadQuery, "a boost is a finite number that is not negative")
	}
	return nil
}

func (d *jsonDecoder) degrees(into *float64, limit float64) func() error {
	return func() error {
		if err := d.float(into)(); err != nil {
			return err
		}
		if *into < -limit || *into > limit {
			return fault.New(fault.BadField, "%v is no latitude or longitude: it must be within ±%v degrees", *into, limit)
		}
		return nil
	}
}

func (d *jsonDecoder) wholeNumber(into *int, limit int) func() error {
	return func() error {
		if d.r.Kind() != strictjson.Number {
			return d.expected("this parameter", "a whole number")
		}
		token, err := d.r.Number()
		if err != nil {
			return err
		}
		n, err := strconv.Atoi(token)
		switch {
		case err != nil && !errors.Is(err, strconv.ErrRange) || n < 0:
			return fault.New(fault.BadQuery, "%s is no whole number from 0", fault.Quote(token))
		case n > limit:
			return fault.New(fault.LimitExceeded, "%s is above the limit of %d", fault.Quote(token), limit)
		}
		*into = n
		return nil
	}
}

func (d *jsonDecoder) truth(into *bool) func() error {
	return func() (err error) {
		if d.r.Kind() != strictjson.Bool {
			return d.expected("this parameter", "true or false")
		}
		*into, err = d.r.Bool()
		return err
	}
}

// choice reads a word, and tells whether it is yes rather than no.
func (d *jsonDecoder) choice(into *bool, no, yes string) func() error {
	return func() error {
		var word string
		if err := d.text(&word)(); err != nil {
			return err
		}
		switch lower := strings.ToLower(word); lower {
		case no, yes:
			*into = lower == yes
			return nil
		}
		return fault.New(fault.BadQuery, "%s is neither %s nor %s", fault.Quote(word), no, yes)
	}
}

// value reads a scalar.
func (d *jsonDecoder) value(into *Value) func() error {
	return func() (err error) {
		switch d.r.Kind() {
		case strictjson.String:
			into.Kind = StringValue
			into.Text, err = d.r.String()
		case strictjson.Number:
			into.Kind = NumberValue
			into.Text, err = d.r.Number()
		case strictjson.Bool:
			var yes bool
			into.Kind = BoolValue
			yes, err = d.r.Bool()
			into.Text = strconv.FormatBool(yes)
		default:
			return d.expected("a value", "a string, a number, true or false")
		}
		return err
	}
}

// minShould reads minimum_should_match: 2, "-1" or "75%".
func (d *jsonDecoder) minShould(into *string) func() error {
	return func() error {
		var v Value
		if err := d.value(&v)(); err != nil {
			return err
		}
		*into = v.Text
		_, err := neededClauses(v.Text, 1)
		return err
	}
}

// fuzziness reads a number of edits, or "AUTO".
func (d *jsonDecoder) fuzziness(into *string) func() error {
	return func() error {
		var v Value
		if err := d.value(&v)(); err != nil {
			return err
		}
		if strings.EqualFold(v.Text, "AUTO") {
			*into = "AUTO"
			return nil
		}
		if n, err := strconv.Atoi(v.Text); err != nil || n < 0 || v.Kind == BoolValue {
			return fault.New(fault.BadQuery, "fuzziness is a whole number or \"AUTO\", not %s", fault.Quote(v.Text))
		} else if n > MaxEdits {
			return checkEdits(v.Text, -1)
		} else {
			*into = strconv.Itoa(n)
		}
		return nil
	}
}
