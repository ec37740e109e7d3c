package schema

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"unsafe"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// Decode reads the body of a document: one pass over the JSON that checks all of it. added are the fields that a schema with dynamic:true
// does not have yet and that this body would add, by name; their values stand in the document like the others. Whoever writes
// the document first makes [Schema.With] of them the collection's schema.
//
// It fails with bad_document where the body is no strict JSON object or its id is not acceptable, with bad_field or bad_vector where a value does
// not fit, with limit_exceeded past a limit. Nothing is coerced.
func (s *Schema) Decode(body []byte) (doc *Document, added []Field, err error) {
	return s.decode(body, decodeWrite)
}

// DecodeKnown reads a body that was accepted before, perhaps under a newer schema: fields that s does not name are left out, whatever dynamic says.
func (s *Schema) DecodeKnown(body []byte) (*Document, error) {
	doc, _, err := s.decode(body, decodeKnown)
	return doc, err
}

type decodeMode uint8

const (
	decodeWrite decodeMode = iota // the body of a write
	decodeLine                    // a line of a bulk
	decodeKnown                   // a body from the log
)

func (s *Schema) decode(body []byte, mode decodeMode) (*Document, []Field, error) {
	d := &decoder{}
	return d.decode(s, string(body), mode)
}

// Decoder decodes one document after the other with the same memory, and without a copy: what it gives shares memory with the bytes that it was given, which must
// not change while that is used. The zero value is ready; it serves one goroutine.
type Decoder struct{ d decoder }

// DecodeKnown is [Schema.DecodeKnown]; the document is the decoder's until the next call.
func (d *Decoder) DecodeKnown(s *Schema, body []byte) (*Document, error) {
	doc, _, err := d.d.decode(s, view(body), decodeKnown)
	return doc, err
}

// Decode is [Schema.Decode]; the document is the decoder's until the next call.
func (d *Decoder) Decode(s *Schema, body []byte) (*Document, []Field, error) {
	return d.d.decode(s, view(body), decodeWrite)
}

// DecodeLine is [ParseBulkLine] and [Schema.Decode] in one pass. What is wrong with the line as such is its error before what is wrong with a field; in the latter case, the
// line is given beside the error.
func (d *Decoder) DecodeLine(s *Schema, line []byte) (BulkLine, []Field, error) {
	doc, added, err := d.d.decode(s, view(line), decodeLine)
	if err != nil {
		parsed, malformed := ParseBulkLine(line)
		return parsed, nil, cmp.Or(malformed, err)
	}
	parsed := d.d.line
	if !parsed.Delete {
		parsed.ID, parsed.Body = doc.ID, line
	}
	return parsed, added, nil
}

// Release lets go of the bytes that were decoded last, and of what shares memory with them.
func (d *Decoder) Release() {
	d.d.r.Release()
	d.d.line, d.d.doc.ID = BulkLine{}, ""
	clear(d.d.doc.Values[:cap(d.d.doc.Values)])
	clear(d.d.strings[:cap(d.d.strings)])
}

// view gives bytes as a string without a copy.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

func (d *decoder) decode(s *Schema, body string, mode decodeMode) (*Document, []Field, error) {
	d.reset(s, body, mode)
	err := d.document()
	if err == nil {
		err = d.r.End()
	}
	if err == nil && d.line.Delete && d.others {
		err = errDeleteAndMore()
	}
	if err != nil {
		return nil, nil, badDocument(err)
	}
	added, err := d.addedFields()
	if err != nil {
		return nil, nil, err
	}
	d.sortValues()
	return &d.doc, added, nil
}

func (d *decoder) reset(s *Schema, body string, mode decodeMode) {
	d.schema, d.mode, d.added, d.places = s, mode, nil, nil
	d.line, d.others = BulkLine{IfVersion: -1}, false
	d.r.Reset(body, MaxDepth)
	if d.doc.Values == nil {
		d.doc.Values, d.path = make([]Values, 0, min(fewFields, max(len(s.Fields), 1))), make([]byte, 0, 64)
	}
	d.doc = Document{Values: d.doc.Values[:0]}
	d.path, d.once = d.path[:0], d.once[:0]
	d.strings, d.ints, d.floats = d.strings[:0], d.ints[:0], d.floats[:0]
}

// sortValues orders the values by name. It sorts places, and then moves each of the large structs once, cycle by cycle.
func (d *decoder) sortValues() {
	values := d.doc.Values
	var some [fewFields]int
	from := some[:0]
	for i := range values {
		from = append(from, i)
	}
	slices.SortFunc(from, func(a, b int) int { return cmp.Compare(values[a].Field.Name, values[b].Field.Name) })
	for start := range from {
		held, at := values[start], start
		for from[at] != start {
			next := from[at]
			values[at], from[at] = values[next], at
			at = next
		}
		values[at], from[at] = held, at
	}
}

// badDocument turns an error of the JSON reader into the fault that a document gives.
func badDocument(err error) error {
	var broken *strictjson.Error
	if errors.As(err, &broken) {
		return fault.New(fault.BadDocument, "the document is not valid JSON: %s", broken)
	}
	return err
}

// decoder is the state of one pass over one document.
type decoder struct {
	schema *Schema
	mode   decodeMode
	r      strictjson.Reader
	doc    Document
	path   []byte            // dotted name of the present object
	line   BulkLine          // of a line: what is no document
	others bool              // it has keys that a line with deleteKey may not have
	added  map[string]*Field // dynamic fields that this document brings, by name
	once   []*Field          // fields of one value a document that have it
	places map[*Field]int    // where in doc.Values a field stands, once there are many

	// Most fields have one value. These hold the first one of several fields in one allocation.
	strings []string
	ints    []int64
	floats  []float64
}

// appendFrom appends a value to a field's list, whose first place it takes from the shared room.
func appendFrom[T any](room *[]T, list []T, value T) []T {
	if len(list) > 0 {
		return append(list, value)
	}
	if len(*room) == cap(*room) {
		*room = make([]T, 0, fewFields)
	}
	*room = append(*room, value)
	n := len(*room)
	return (*room)[n-1 : n : n]
}

// fewFields is up to how many fields of a document are found by looking at each.
const fewFields = 16

func (d *decoder) document() error {
	if kind := d.r.Kind(); kind != strictjson.Object && kind != strictjson.None {
		return fault.New(fault.BadDocument, "a document is a JSON object, not %s", kind)
	}
	return d.object()
}

// object takes the object that comes; d.path names it. Its recursion is bounded by [MaxDepth].
func (d *decoder) object() error {
	if err := d.r.Enter(); err != nil {
		return err
	}
	outer := len(d.path)
	for {
		key, ok, err := d.r.Key()
		if err != nil || !ok {
			return err
		}
		if outer == 0 {
			err = d.topLevel(key)
		} else {
			d.path = append(append(d.path, '.'), key...)
			err = d.member()
			d.path = d.path[:outer]
		}
		if err != nil {
			return err
		}
	}
}

// topLevel takes the value of a key of the document itself, where some keys are no fields.
func (d *decoder) topLevel(key string) (err error) {
	if d.mode == decodeLine {
		switch key {
		case ifVersionKey:
			d.line.IfVersion, err = readVersion(&d.r)
			return err
		case deleteKey:
			d.line.Delete = true
			d.line.ID, err = readID(&d.r, key)
			return err
		}
		d.others = true
	}
	switch {
	case key == idKey:
		d.doc.ID, err = readID(&d.r, key)
		return err
	case key == "" || key[0] == '_':
		if d.mode == decodeKnown {
			return d.r.Skip()
		}
		return checkName(key)
	}
	d.path = append(d.path, key...)
	err = d.member()
	d.path = d.path[:0]
	return err
}

// member takes the value of the key that d.path names.
func (d *decoder) member() error {
	field, known := d.lookup()
	if known && (field.Type == Geo || field.Type == Vector) {
		return d.single(field)
	}
	at := place{field: field}
	if d.r.Kind() == strictjson.Array {
		return d.array(&at)
	}
	return d.element(&at)
}

// place is what is known of the values under one name while they are read.
type place struct {
	field   *Field // nil while the schema does not name it
	objects bool   // an object stood there
}

// array takes an array. Arrays in arrays are one list of values.
func (d *decoder) array(at *place) error {
	if err := d.r.Enter(); err != nil {
		return err
	}
	for {
		more, err := d.r.More()
		if err != nil || !more {
			return err
		}
		if d.r.Kind() == strictjson.Array {
			err = d.array(at)
		} else {
			err = d.element(at)
		}
		if err != nil {
			return err
		}
	}
}

// element takes an object or a scalar.
func (d *decoder) element(at *place) (err error) {
	kind := d.r.Kind()
	switch {
	case kind == strictjson.Object && at.field == nil:
		at.objects = true
		return d.object()
	case kind == strictjson.Object && d.mode == decodeKnown:
		// It was accepted before the field was there, and so holds no values.
		return d.r.Skip()
	case kind == strictjson.Object:
		return d.misfit(at.field, kind)
	case at.objects && kind != strictjson.Null && d.adds():
		return fault.New(fault.BadField, "field %s holds objects and values in one array", d.name())
	}
	at.field, err = d.scalar(at.field)
	return err
}

// scalar takes a value that is no object and no array, and gives the field that it went to, nil where it went to none.
func (d *decoder) scalar(field *Field) (_ *Field, err error) {
	kind := d.r.Kind()
	if kind == strictjson.Null || kind == strictjson.None {
		return field, d.r.Skip()
	}
	if field == nil && !d.adds() {
		if d.mode != decodeKnown && d.schema.Dynamic == DynamicStrict {
			return nil, fault.New(fault.BadField, "field %s is not in the schema, which is strict", d.name())
		}
		return nil, d.r.Skip()
	}
	var token string // a number decides by its digits what becomes of it
	if kind == strictjson.Number {
		if token, err = d.r.Number(); err != nil {
			return nil, err
		}
	}
	if field == nil {
		if field, err = d.add(kind, token); err != nil {
			return nil, err
		}
	}
	return field, d.value(field, kind, token)
}

// adds tells whether fields that the schema does not name are added.
func (d *decoder) adds() bool {
	return d.mode != decodeKnown && d.schema.Dynamic == DynamicTrue
}

// value takes a scalar of the field's type; a number was taken already and is token.
func (d *decoder) value(field *Field, kind strictjson.Kind, token string) error {
	switch {
	case (field.Type == Text || field.Type == Keyword) && kind == strictjson.String:
		text, err := d.r.String()
		if err != nil {
			return err
		}
		if field.Type == Keyword && len(text) > MaxExactBytes {
			return fault.New(fault.BadField, "field %s: a keyword holds at most %d bytes", d.name(), MaxExactBytes)
		}
		v := d.values(field)
		v.Strings = appendFrom(&d.strings, v.Strings, text)
	case field.Type == Bool && kind == strictjson.Bool:
		yes, err := d.r.Bool()
		if err != nil {
			return err
		}
		v := d.values(field)
		v.Ints = appendFrom(&d.ints, v.Ints, BoolInt(yes))
	case field.Type == Double && kind == strictjson.Number:
		number, err := strconv.ParseFloat(token, 64)
		if err != nil {
			return fault.New(fault.BadField, "field %s: %s is too large for a double", d.name(), fault.Quote(token))
		}
		v := d.values(field)
		v.Floats = appendFrom(&d.floats, v.Floats, number+0) // -0 is 0
	case field.Type == Long && kind == strictjson.Number:
		number, err := strconv.ParseInt(token, 10, 64)
		if err != nil {
			return d.notLong(token)
		}
		v := d.values(field)
		v.Ints = appendFrom(&d.ints, v.Ints, number)
	case field.Type == Date && kind == strictjson.String:
		text, err := d.r.String()
		if err != nil {
			return err
		}
		ns, ok := ParseDate(text)
		if !ok {
			return fault.New(fault.BadField, "field %s: %s is no RFC 3339 date between 1677-09-21 and 2262-04-11", d.name(), fault.Quote(text))
		}
		v := d.values(field)
		v.Ints = appendFrom(&d.ints, v.Ints, ns)
	case field.Type == Date && kind == strictjson.Number:
		ns, ok := ParseEpochMs(token)
		if !ok {
			return fault.New(fault.BadField, "field %s: %s is no whole number of milliseconds between 1677-09-21 and 2262-04-11", d.name(), fault.Quote(token))
		}
		v := d.values(field)
		v.Ints = appendFrom(&d.ints, v.Ints, ns)
	default:
		return d.misfit(field, kind)
	}
	return nil
}

func (d *decoder) notLong(token string) error {
	if IsWhole(token) {
		return fault.New(fault.BadField, "field %s: %s does not fit in 64 bits", d.name(), fault.Quote(token))
	}
	return fault.New(fault.BadField, `field %s is long and takes whole numbers without point or exponent, not %s; declare it as {"type":"double"} to hold others`,
		d.name(), fault.Quote(token))
}

// lookup finds the field that d.path names, in the schema or among those that this document adds.
func (d *decoder) lookup() (*Field, bool) {
	// As Lookup, which would need a copy of the path.
	fields := d.schema.Fields
	low, high := 0, len(fields)
	for low < high {
		if middle := int(uint(low+high) >> 1); fields[middle].Name < string(d.path) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(fields) && fields[low].Name == string(d.path) {
		return &fields[low], true
	}
	f, ok := d.added[string(d.path)]
	return f, ok
}

// add makes a dynamic field of d.path, typed by the token that comes.
func (d *decoder) add(kind strictjson.Kind, token string) (*Field, error) {
	f := &Field{Name: string(d.path), Boost: 1}
	if err := checkName(f.Name); err != nil {
		return nil, err
	}
	if len(d.schema.Fields)+len(d.added) >= MaxFields {
		return nil, fault.New(fault.LimitExceeded, "field %s is one too many: a schema holds at most %d fields", d.name(), MaxFields)
	}
	switch {
	case kind == strictjson.String:
		f.Type, f.Analyzer, f.Exact = Text, defaultAnalyzer, true
	case kind == strictjson.Bool:
		f.Type = Bool
	case IsWhole(token):
		f.Type = Long
	default:
		f.Type = Double
	}
	if d.added == nil {
		d.added = make(map[string]*Field)
	}
	d.added[f.Name] = f
	return f, nil
}

// addedFields lists the added fields by name, after checking that they can stand beside those of the schema.
func (d *decoder) addedFields() ([]Field, error) {
	if len(d.added) == 0 {
		return nil, nil
	}
	fields := make([]Field, 0, len(d.added))
	for _, f := range d.added {
		fields = append(fields, *f)
	}
	slices.SortFunc(fields, func(a, b Field) int { return cmp.Compare(a.Name, b.Name) })
	_, err := d.schema.With(fields)
	return fields, err
}

// values finds or begins the field's values.
func (d *decoder) values(field *Field) *Values {
	all := d.doc.Values
	if n := len(all); n > 0 && all[n-1].Field == field {
		return &all[n-1]
	}
	if i, ok := d.find(field); ok {
		return &all[i]
	}
	d.doc.Values = append(d.doc.Values, Values{Field: field})
	if n := len(d.doc.Values); d.places != nil {
		d.places[field] = n - 1
	} else if n > fewFields {
		d.places = make(map[*Field]int, 2*n)
		for i := range d.doc.Values {
			d.places[d.doc.Values[i].Field] = i
		}
	}
	return &d.doc.Values[len(d.doc.Values)-1]
}

func (d *decoder) find(field *Field) (int, bool) {
	if d.places != nil {
		i, ok := d.places[field]
		return i, ok
	}
	for i := range d.doc.Values {
		if d.doc.Values[i].Field == field {
			return i, true
		}
	}
	return 0, false
}

func (d *decoder) name() string { return fault.Quote(string(d.path)) }

func (d *decoder) misfit(field *Field, kind strictjson.Kind) error {
	return fault.New(fault.BadField, "field %s is %s and does not take %s", d.name(), field.Type, kind)
}

// BoolInt is how a bool is kept: false 0, true 1.
func BoolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// IsWhole tells whether a JSON number is written as a whole number, without point and exponent.
func IsWhole(token string) bool {
	for i := range len(token) {
		if c := token[i]; c == '.' || c == 'e' || c == 'E' {
			return false
		}
	}
	return true
}
