package schema

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// defaultAnalyzer is the analyzer of text fields that name none.
const defaultAnalyzer = "standard"

// Parse reads a schema from JSON as a user writes it, or as [Schema.MarshalJSON] does. It fails with bad_request where the text is not such JSON (an unknown
// or repeated key, a wrong type), with bad_field where a field's declaration makes no sense, with limit_exceeded past a limit.
func Parse(text []byte) (*Schema, error) {
	r := strictjson.New(string(text), MaxDepth)
	s, err := parse(r)
	if err == nil {
		err = r.End()
	}
	if err != nil {
		return nil, badRequest(err)
	}
	slices.SortFunc(s.Fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	if err := s.check(); err != nil {
		return nil, err
	}
	return s, s.checkAnalyzers()
}

// badRequest turns an error of the JSON reader into the fault that a schema gives.
func badRequest(err error) error {
	var broken *strictjson.Error
	if errors.As(err, &broken) {
		return fault.New(fault.BadRequest, "schema: %s", broken)
	}
	return err
}

func parse(r *strictjson.Reader) (*Schema, error) {
	s := &Schema{}
	return s, eachKey(r, "a schema", func(key string) error {
		var err error
		switch key {
		case "fields":
			s.Fields, err = parseFields(r)
		case "analyzers":
			s.Analyzers, err = parseAnalyzers(r)
		case "dynamic":
			s.Dynamic, err = parseDynamic(r)
		case "default_fields":
			s.DefaultFields, err = parseDefaultFields(r)
		default:
			err = fault.New(fault.BadRequest, "schema: unknown key %s", fault.Quote(key))
		}
		return err
	})
}

// eachKey calls f for each key of the object that comes; f takes the value.
func eachKey(r *strictjson.Reader, what string, f func(key string) error) error {
	if kind := r.Kind(); kind != strictjson.Object && kind != strictjson.None {
		return fault.New(fault.BadRequest, "%s must be an object, not %s", what, kind)
	}
	if err := r.Enter(); err != nil {
		return err
	}
	for {
		key, ok, err := r.Key()
		if err != nil || !ok {
			return err
		}
		if err := f(key); err != nil {
			return err
		}
	}
}

func parseFields(r *strictjson.Reader) ([]Field, error) {
	var fields []Field
	return fields, eachKey(r, "fields", func(name string) error {
		if len(fields) == MaxFields {
			return fault.New(fault.LimitExceeded, "a schema holds at most %d fields", MaxFields)
		}
		f, err := parseField(r, name)
		fields = append(fields, f)
		return err
	})
}

func parseField(r *strictjson.Reader, name string) (Field, error) {
	f := Field{Name: name, Boost: 1}
	bad := func(format string, args ...any) error {
		return fault.New(fault.BadField, "field %s: %s", fault.Quote(name), fmt.Sprintf(format, args...))
	}
	var given []string
	err := eachKey(r, "field "+fault.Quote(name), func(key string) (err error) {
		given = append(given, key)
		switch key {
		case "type":
			var typeName string
			if typeName, err = r.String(); err != nil {
				return bad("type must be a string")
			}
			if f.Type = typeByName(typeName); f.Type == 0 {
				return bad("unknown type %s; there are %s", fault.Quote(typeName), strings.Join(typeNames[Text:], ", "))
			}
		case "analyzer":
			if f.Analyzer, err = r.String(); err != nil {
				return bad("analyzer must be a string")
			}
		case "search_analyzer":
			if f.SearchAnalyzer, err = r.String(); err != nil {
				return bad("search_analyzer must be a string")
			}
		case "boost":
			token, err := r.Number()
			if err != nil {
				return bad("boost must be a number")
			}
			if f.Boost, err = strconv.ParseFloat(token, 64); err != nil || f.Boost < 0 || f.Boost > MaxBoost {
				return bad("boost must be a number from 0 to %d", MaxBoost)
			}
			f.Boost += 0 // -0 is 0
		case "exact":
			if f.Exact, err = r.Bool(); err != nil {
				return bad("exact must be true or false")
			}
		case "dims":
			token, err := r.Number()
			if err != nil {
				return bad("dims must be a number")
			}
			if f.Dims, err = strconv.Atoi(token); err != nil || f.Dims < 1 || f.Dims > MaxDims {
				return bad("dims must be a whole number from 1 to %d", MaxDims)
			}
		case "similarity":
			if f.Similarity, err = r.String(); err != nil || !slices.Contains([]string{"cosine", "dot", "l2"}, f.Similarity) {
				return bad("similarity must be cosine, dot or l2")
			}
		default:
			return fault.New(fault.BadRequest, "schema: field %s: unknown key %s", fault.Quote(name), fault.Quote(key))
		}
		return nil
	})
	if err != nil {
		return f, err
	}
	return f, f.complete(given, bad)
}

// complete applies defaults, and refuses settings that mean nothing for the field's type.
func (f *Field) complete(given []string, bad func(string, ...any) error) error {
	if f.Type == 0 {
		return bad("a type is missing; there are %s", strings.Join(typeNames[Text:], ", "))
	}
	for _, key := range given {
		forText := key == "analyzer" || key == "search_analyzer" || key == "exact"
		forVector := key == "dims" || key == "similarity"
		if forText && f.Type != Text || forVector && f.Type != Vector {
			return bad("%s means nothing for type %s", key, f.Type)
		}
	}
	if f.Type == Text {
		f.Analyzer = cmp.Or(f.Analyzer, defaultAnalyzer)
		if f.SearchAnalyzer == f.Analyzer {
			f.SearchAnalyzer = ""
		}
	}
	switch {
	case f.Type == Vector && f.Dims == 0:
		return bad("dims is missing")
	case f.Type == Vector && f.Similarity == "":
		f.Similarity = "cosine"
	}
	return nil
}

func parseDynamic(r *strictjson.Reader) (Dynamic, error) {
	switch r.Kind() {
	case strictjson.Bool:
		adds, err := r.Bool()
		if adds {
			return DynamicTrue, err
		}
		return DynamicFalse, err
	case strictjson.String:
		if word, err := r.String(); err != nil || word == "strict" {
			return DynamicStrict, err
		}
	}
	return 0, fault.New(fault.BadRequest, `schema: dynamic must be true, false or "strict"`)
}

func parseDefaultFields(r *strictjson.Reader) ([]string, error) {
	if r.Kind() != strictjson.Array {
		return nil, fault.New(fault.BadRequest, "schema: default_fields must be a list of names")
	}
	if err := r.Enter(); err != nil {
		return nil, err
	}
	var names []string
	for {
		if more, err := r.More(); err != nil || !more {
			return names, err
		}
		name, err := r.String()
		if err != nil {
			return nil, err
		}
		switch {
		case len(names) == MaxFields:
			return nil, fault.New(fault.LimitExceeded, "default_fields holds at most %d names", MaxFields)
		case slices.Contains(names, name):
			return nil, fault.New(fault.BadRequest, "schema: default_fields names %s twice", fault.Quote(name))
		}
		if err := checkName(name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
}

// MarshalJSON gives the canonical form: fields and analyzers by name, defaults of fields left out but for dynamic. [Parse] makes the same schema of it, and equal schemas give
// the same bytes.
func (s *Schema) MarshalJSON() ([]byte, error) {
	b := []byte(`{"fields":{`)
	for i := range s.Fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = s.Fields[i].appendJSON(b)
	}
	b = append(b, '}')
	for i := range s.Analyzers {
		separator := `,`
		if i == 0 {
			separator = `,"analyzers":{`
		}
		b = s.Analyzers[i].appendJSON(append(b, separator...))
	}
	if len(s.Analyzers) > 0 {
		b = append(b, '}')
	}
	b = append(b, `,"dynamic":`...)
	b = append(b, [...]string{DynamicTrue: "true", DynamicFalse: "false", DynamicStrict: `"strict"`}[s.Dynamic]...)
	if len(s.DefaultFields) > 0 {
		b = append(b, `,"default_fields":[`...)
		for i, name := range s.DefaultFields {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, name)
		}
		b = append(b, ']')
	}
	return append(b, '}'), nil
}

func (f *Field) appendJSON(b []byte) []byte {
	b = appendString(b, f.Name)
	b = append(b, `:{"type":"`...)
	b = append(b, f.Type.String()...)
	b = append(b, '"')
	if f.Type == Text && f.Analyzer != defaultAnalyzer {
		b = append(b, `,"analyzer":`...)
		b = appendString(b, f.Analyzer)
	}
	if f.SearchAnalyzer != "" {
		b = append(b, `,"search_analyzer":`...)
		b = appendString(b, f.SearchAnalyzer)
	}
	if f.Exact {
		b = append(b, `,"exact":true`...)
	}
	if f.Boost != 1 {
		b = append(b, `,"boost":`...)
		b = strconv.AppendFloat(b, f.Boost, 'g', -1, 64)
	}
	if f.Type == Vector {
		b = append(b, `,"dims":`...)
		b = strconv.AppendInt(b, int64(f.Dims), 10)
		b = append(b, `,"similarity":`...)
		b = appendString(b, f.Similarity)
	}
	return append(b, '}')
}

// appendString appends a JSON string with the escapes that json.Marshal makes, so that a schema inside another body has the same bytes.
func appendString(b []byte, s string) []byte {
	encoded, err := json.Marshal(s)
	if err != nil {
		panic("encoding a string: " + err.Error()) // cannot happen: strings always encode
	}
	return append(b, encoded...)
}
