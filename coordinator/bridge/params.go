package bridge

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// param is one parameter of a route: how its text is read and where it goes.
type param struct {
	name     string
	kind     kind
	to       place
	key      string // the header or field
	inPath   bool
	required bool
	least    int64    // of whole
	choices  []string // of text; nil: any
	about    string
}

// kind is how a parameter's text becomes a value.
type kind uint8

const (
	text        kind = iota // as it is
	token                   // text that a header can carry byte for byte: printable, without blanks at its ends, up to 256 bytes
	whole                   // an int64
	number                  // a JSON number
	flag                    // true or false
	wholeOrFlag             // either
	list                    // comma-separated texts; empty: none
	repeated                // a list whose items are given one by one
	sequences               // g0:17,g1:3
	object                  // a field's name, as {"field":NAME}
	nearest                 // FIELD:v1,v2,… as {"field":…,"vector":[…]}
	raw                     // JSON
)

// place is where a parameter goes.
type place uint8

const (
	toField      place = iota // a field of the call's JSON body
	toHeader                  // a header of the call
	toHeaderID                // the header for ids, which can hold any
	toCollection              // the subject
)

// call is what parameters have made of a request so far.
type call struct {
	collection string
	header     map[string][]string
	fields     []byte // the members of a JSON object, without braces
	timeoutMs  int64  // 0: not said
}

// defaultCollection is the one that a request means which names none.
const defaultCollection = "default"

// readParams reads a request's parameters by the route's table. Unknown and repeated ones are refused, so that a misspelt one is not simply ignored.
func readParams(params []param, pathValue func(string) string, query string) (*call, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "the query string does not decode: %s", fault.Quote(query))
	}
	c := &call{collection: defaultCollection, header: map[string][]string{}}
	for i := range params {
		p := &params[i]
		given := values[p.name]
		if p.inPath {
			given = []string{pathValue(p.name)}
		} else {
			delete(values, p.name)
		}
		if err := p.take(c, given); err != nil {
			return nil, err
		}
	}
	if len(values) > 0 {
		unknown := make([]string, 0, len(values))
		for name := range values {
			unknown = append(unknown, name)
		}
		return nil, fault.New(fault.BadRequest, "unknown parameter %s", fault.Quote(slices.Min(unknown)))
	}
	return c, nil
}

// take puts the given values of one parameter where they belong.
func (p *param) take(c *call, given []string) error {
	switch {
	case len(given) == 0 && p.required:
		return fault.New(fault.BadRequest, "parameter %s is missing", p.name)
	case len(given) == 0:
		return nil
	case len(given) > 1 && p.kind != repeated:
		return fault.New(fault.BadRequest, "parameter %s is given %d times", p.name, len(given))
	}
	for _, v := range given {
		if !utf8.ValidString(v) {
			return fault.New(fault.BadRequest, "parameter %s is not UTF-8: %s", p.name, fault.Quote(v))
		}
	}
	value, err := p.value(given)
	if err != nil {
		return err
	}
	if p.name == "timeout_ms" {
		c.timeoutMs, _ = strconv.ParseInt(value, 10, 64) // a whole number by its kind
	}
	switch p.to {
	case toCollection:
		c.collection = given[0]
	case toHeaderID:
		wire.SetID(c.header, given[0])
	case toHeader:
		c.header[p.key] = given
	case toField:
		c.addField(p.key, value)
	}
	return nil
}

// addField adds a member to the call's body; value is JSON.
func (c *call) addField(key, value string) {
	if len(c.fields) > 0 {
		c.fields = append(c.fields, ',')
	}
	c.fields = append(strconv.AppendQuote(c.fields, key), ':')
	c.fields = append(c.fields, value...)
}

// body is the call's JSON body as its fields make it.
func (c *call) body() []byte {
	b := make([]byte, 0, len(c.fields)+2)
	b = append(b, '{')
	b = append(b, c.fields...)
	return append(b, '}')
}

// value gives the JSON value of the texts given; more than one only for repeated.
func (p *param) value(given []string) (string, error) {
	s := given[0]
	bad := func(want string) error {
		return fault.New(fault.BadRequest, "parameter %s wants %s, not %s", p.name, want, fault.Quote(s))
	}
	switch p.kind {
	case token:
		if s == "" || len(s) > 256 || strings.TrimSpace(s) != s || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return "", bad("1 to 256 printable bytes without blanks at the ends")
		}
		return s, nil
	case text:
		if p.choices != nil && !slices.Contains(p.choices, s) {
			return "", bad("one of " + strings.Join(p.choices, ", "))
		}
		return quote(s), nil
	case whole:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < p.least {
			return "", bad("a whole number of at least " + strconv.FormatInt(p.least, 10))
		}
		return strconv.FormatInt(n, 10), nil
	case number:
		if !isNumber(s) {
			return "", bad("a number")
		}
		return s, nil
	case flag:
		if s != "true" && s != "false" {
			return "", bad("true or false")
		}
		return s, nil
	case wholeOrFlag:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
			return strconv.FormatInt(n, 10), nil
		}
		if s != "true" && s != "false" {
			return "", bad("true, false or a whole number")
		}
		return s, nil
	case list:
		if s == "" {
			return "[]", nil
		}
		return quoteAll(strings.Split(s, ",")), nil
	case repeated:
		return quoteAll(given), nil
	case sequences:
		return sequencesValue(s, bad)
	case object:
		return `{"field":` + quote(s) + `}`, nil
	case nearest:
		return nearestValue(s, bad)
	default: // raw
		if !json.Valid([]byte(s)) {
			return "", bad("JSON")
		}
		return s, nil
	}
}

// sequencesValue reads g0:17,g1:3.
func sequencesValue(s string, bad func(string) error) (string, error) {
	var members []string
	seen := map[string]bool{}
	for part := range strings.SplitSeq(s, ",") {
		group, seq, ok := strings.Cut(part, ":")
		n, err := strconv.ParseUint(seq, 10, 64)
		if !ok || err != nil || group == "" || seen[group] {
			return "", bad("sequences by group, as in g0:17,g1:3")
		}
		seen[group] = true
		members = append(members, quote(group)+":"+strconv.FormatUint(n, 10))
	}
	return "{" + strings.Join(members, ",") + "}", nil
}

// nearestValue reads FIELD:v1,v2,…; the field is what stands before the last colon.
func nearestValue(s string, bad func(string) error) (string, error) {
	i := strings.LastIndexByte(s, ':')
	if i < 1 {
		return "", bad("FIELD:v1,v2,…")
	}
	for v := range strings.SplitSeq(s[i+1:], ",") {
		if !isNumber(v) {
			return "", bad("numbers behind FIELD:")
		}
	}
	return `{"field":` + quote(s[:i]) + `,"vector":[` + s[i+1:] + `]}`, nil
}

// isNumber tells whether s is one JSON number and nothing else.
func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && s[len(s)-1] > ' ' && json.Valid([]byte(s))
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic("bridge: a string that is no JSON: " + err.Error())
	}
	return string(b)
}

func quoteAll(items []string) string {
	quoted := make([]string, len(items))
	for i, s := range items {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ",") + "]"
}
