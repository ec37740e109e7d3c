package bridge

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// call is what parameters have made of a request so far.
type call struct {
	collection string
	header     map[string][]string
	fields     []byte // the members of a JSON object, without braces
	timeoutMs  int64  // 0: not said
}

// readParams reads a request's parameters by the route's table. Unknown and repeated ones are refused, so that a misspelt one is not simply ignored.
func readParams(params []ops.Param, pathValue func(string) string, query string) (*call, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "the query string does not decode: %s", fault.Quote(query))
	}
	c := &call{collection: ops.DefaultCollection, header: map[string][]string{}}
	for i := range params {
		p := &params[i]
		given := values[p.Name]
		if p.InPath {
			given = []string{pathValue(p.Name)}
		} else {
			delete(values, p.Name)
		}
		if err := take(p, c, given); err != nil {
			return nil, err
		}
	}
	if len(values) > 0 {
		unknown := make([]string, 0, len(values))
		for name := range values {
			unknown = append(unknown, name)
		}
		return nil, fault.New(fault.BadRequest, "unknown parameter %s; this path and method take %s", fault.Quote(slices.Min(unknown)), known(params))
	}
	return c, nil
}

// known names the parameters that may be said, in the table's order.
func known(params []ops.Param) string {
	var names []string
	for _, p := range params {
		if !p.InPath {
			names = append(names, p.Name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// take puts the given values of one parameter where they belong.
func take(p *ops.Param, c *call, given []string) error {
	switch {
	case len(given) == 0 && p.Required:
		return fault.New(fault.BadRequest, "parameter %s is missing", p.Name)
	case len(given) == 0:
		return nil
	case len(given) > 1 && p.Kind != ops.Repeated:
		return fault.New(fault.BadRequest, "parameter %s is given %d times", p.Name, len(given))
	}
	for _, v := range given {
		if !utf8.ValidString(v) {
			return fault.New(fault.BadRequest, "parameter %s is not UTF-8: %s", p.Name, fault.Quote(v))
		}
	}
	value, err := valueOf(p, given)
	if err != nil {
		return err
	}
	if p.Name == "timeout_ms" {
		c.timeoutMs, _ = strconv.ParseInt(value, 10, 64) // a whole number by its kind
	}
	switch p.To {
	case ops.Collection:
		c.collection = given[0]
	case ops.IDHeader:
		wire.SetID(c.header, given[0])
	case ops.Header:
		c.header[p.Key] = given
	case ops.Field:
		c.addField(p.Key, value)
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

// valueOf gives the JSON value of the texts given; more than one only for repeated.
func valueOf(p *ops.Param, given []string) (string, error) {
	s := given[0]
	bad := func(want string) error {
		return fault.New(fault.BadRequest, "parameter %s wants %s, not %s", p.Name, want, fault.Quote(s))
	}
	switch p.Kind {
	case ops.Token:
		if s == "" || len(s) > 256 || strings.TrimSpace(s) != s || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			return "", bad("1 to 256 printable bytes without blanks at the ends")
		}
		return s, nil
	case ops.Text:
		if p.Choices != nil && !slices.Contains(p.Choices, s) {
			return "", bad("one of " + strings.Join(p.Choices, ", "))
		}
		return quote(s), nil
	case ops.Whole:
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil || n < p.Least {
			return "", bad("a whole number of at least " + strconv.FormatInt(p.Least, 10))
		}
		return strconv.FormatInt(n, 10), nil
	case ops.Number:
		if !isNumber(s) {
			return "", bad("a number")
		}
		return s, nil
	case ops.Flag:
		if s != "true" && s != "false" {
			return "", bad("true or false")
		}
		return s, nil
	case ops.WholeOrFlag:
		if n, err := strconv.ParseInt(s, 10, 64); err == nil && n >= 0 {
			return strconv.FormatInt(n, 10), nil
		}
		if s != "true" && s != "false" {
			return "", bad("true, false or a whole number")
		}
		return s, nil
	case ops.List:
		if s == "" {
			return "[]", nil
		}
		return quoteAll(strings.Split(s, ",")), nil
	case ops.Repeated:
		return quoteAll(given), nil
	case ops.Sequences:
		return sequencesValue(s, bad)
	case ops.Object:
		return `{"field":` + quote(s) + `}`, nil
	case ops.Nearest:
		return nearestValue(s, bad)
	default: // ops.JSON
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
