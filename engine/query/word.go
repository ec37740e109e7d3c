package query

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query/pattern"
)

// existsField is the field name whose word is the name of a field that must be there.
const existsField = "_exists_"

// scanned is a run of characters as they stand in q.
type scanned struct {
	text    string // without escapes
	pattern string // with the escapes that a wildcard pattern needs
	wild    bool   // an unescaped * or ? is in it
	escaped bool
}

// word reads a word, with everything that a word can turn out to be.
func (p *parser) word(field string, depth int) (Node, error) {
	at := p.pos
	w, err := p.scan(true)
	if err != nil {
		return nil, err
	}
	if !p.end() && p.q[p.pos] == ':' && p.pos > at {
		p.pos++
		return p.fielded(w, at, depth)
	}
	if p.pos == at {
		return nil, p.unexpected()
	}
	if !w.escaped && (w.text == "AND" || w.text == "OR" || w.text == "NOT" || w.text == "&&" || w.text == "||") {
		return nil, fault.At(fault.BadQuery, at, "%s stands where a clause is expected; write \"%s\" for the word", w.text, w.text)
	}
	return p.finish(field, w, at)
}

// fielded reads what stands behind FIELD: and holds for that field alone.
func (p *parser) fielded(name scanned, at, depth int) (Node, error) {
	p.space()
	if p.end() {
		return nil, fault.At(fault.BadQuery, at, "field %s has no value", fault.Quote(name.text))
	}
	if name.wild {
		if name.pattern == "*" && p.q[p.pos] == '*' { // *:* is everything
			p.pos++
			return &MatchAll{Boost: 1}, p.budget.clause(at)
		}
		return nil, fault.At(fault.BadQuery, at, "a field is named without * and ?")
	}
	switch c := p.q[p.pos]; c {
	case '(', '"', '/', '[', '{', '<', '>':
		if name.text == existsField && c != '"' {
			return nil, fault.At(fault.BadQuery, p.pos, "_exists_ takes the name of a field")
		}
		n, err := p.primary(name.text, depth)
		if phrase, ok := n.(*Phrase); ok && name.text == existsField {
			return &Exists{Field: phrase.Text, Boost: 1}, err
		}
		return n, err
	}
	start := p.pos
	w, err := p.scan(false)
	if err != nil {
		return nil, err
	}
	if p.pos == start {
		return nil, fault.At(fault.BadQuery, at, "field %s has no value", fault.Quote(name.text))
	}
	if name.text == existsField {
		return &Exists{Field: w.text, Boost: 1}, p.budget.clause(at)
	}
	return p.finish(name.text, w, start)
}

// finish makes a node of a scanned word: everything, existence, prefix, wildcard, fuzzy or plain.
func (p *parser) finish(field string, w scanned, at int) (Node, error) {
	if err := p.budget.clause(at); err != nil {
		return nil, err
	}
	if !p.end() && p.q[p.pos] == '~' {
		return p.fuzzy(field, w, at)
	}
	if !w.wild {
		return &Word{Field: field, Text: w.text, Boost: 1, Pos: at, Lenient: p.opts.Lenient}, nil
	}
	if w.pattern == "*" {
		if field == "" {
			return &MatchAll{Boost: 1}, nil
		}
		return &Exists{Field: field, Boost: 1}, nil
	}
	if prefix, only := prefixOf(w.pattern); only {
		return &Prefix{Field: field, Text: prefix, Boost: 1, Pos: at, Lenient: p.opts.Lenient}, nil
	}
	return &Wildcard{Field: field, Pattern: w.pattern, Boost: 1, Pos: at, Lenient: p.opts.Lenient}, nil
}

// prefixOf gives the text before a * that is the last and only sign of a pattern.
func prefixOf(pattern string) (text string, only bool) {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '*':
			return b.String(), i == len(pattern)-1 && i > 0
		case '?':
			return "", false
		case '\\':
			i++
		}
		b.WriteByte(pattern[i])
	}
	return "", false
}

// fuzzy reads ~ or ~N behind a word.
func (p *parser) fuzzy(field string, w scanned, at int) (Node, error) {
	tilde := p.pos
	p.pos++
	edits := p.digits()
	switch {
	case w.wild:
		return nil, fault.At(fault.BadQuery, tilde, "a word with * or ? cannot be fuzzy")
	case !p.end() && p.q[p.pos] == '.':
		return nil, fault.At(fault.BadQuery, tilde, "~ takes a whole number of edits")
	case edits == "":
		edits = strconv.Itoa(MaxEdits)
	}
	if err := checkEdits(edits, tilde); err != nil {
		return nil, err
	}
	return &Fuzzy{Field: field, Text: w.text, Fuzziness: edits[len(edits)-1:], Boost: 1, Pos: at, Lenient: p.opts.Lenient}, nil
}

// checkEdits holds a number of edits, in digits, to its limit.
func checkEdits(digits string, pos int) error {
	if n, err := strconv.Atoi(digits); err != nil || n > MaxEdits {
		return fault.At(fault.LimitExceeded, pos, "the edit distance of a fuzzy term is at most %d", MaxEdits)
	}
	return nil
}

// scan reads characters up to one that ends a word. The first of a clause may not be : where a field could end (colon), so that a name can be told from its
// value; a value may hold more of them, as a time or address does.
func (p *parser) scan(colon bool) (scanned, error) {
	var w scanned
	var text, pattern strings.Builder
	for !p.end() {
		r, size := utf8.DecodeRuneInString(p.q[p.pos:])
		char := p.q[p.pos : p.pos+size]
		switch {
		case unicode.IsSpace(r) || strings.ContainsRune(`()[]{}"^~`, r) || r == ':' && colon:
			w.text, w.pattern = text.String(), pattern.String()
			return w, nil
		case r == '\\':
			if p.pos+size >= len(p.q) {
				return w, fault.At(fault.BadQuery, p.pos, "\\ stands before nothing")
			}
			p.pos += size
			_, size = utf8.DecodeRuneInString(p.q[p.pos:])
			char = p.q[p.pos : p.pos+size]
			w.escaped = true
			if strings.Contains(`\*?`, char) {
				pattern.WriteByte('\\')
			}
		case r == '*' || r == '?':
			w.wild = true
		}
		text.WriteString(char)
		pattern.WriteString(char)
		p.pos += size
	}
	w.text, w.pattern = text.String(), pattern.String()
	return w, nil
}

// between reads [low TO high], with { and } for ends that do not belong.
func (p *parser) between(field string) (Node, error) {
	at := p.pos
	if field == "" {
		return nil, fault.At(fault.BadQuery, at, "a range stands behind a field, as in year:[2000 TO 2010]")
	}
	n := &Range{Field: field, IncLo: p.q[p.pos] == '[', Boost: 1, Pos: at, Lenient: p.opts.Lenient}
	p.pos++
	var err error
	if n.Lo, err = p.rangeEnd(at); err != nil {
		return nil, err
	}
	p.space()
	if !p.atOperator("TO", "") {
		return nil, fault.At(fault.BadQuery, min(p.pos, len(p.q)), "a range is written [low TO high]")
	}
	p.pos += len("TO")
	if n.Hi, err = p.rangeEnd(at); err != nil {
		return nil, err
	}
	p.space()
	if p.end() || p.q[p.pos] != ']' && p.q[p.pos] != '}' {
		return nil, fault.At(fault.BadQuery, at, "a range is not closed")
	}
	n.IncHi = p.q[p.pos] == ']'
	p.pos++
	return n, p.budget.clause(at)
}

// rangeEnd reads one end; nil for *.
func (p *parser) rangeEnd(at int) (*Value, error) {
	p.space()
	if p.end() {
		return nil, fault.At(fault.BadQuery, at, "a range is not closed")
	}
	if p.q[p.pos] == '"' {
		text, err := p.quoted()
		return &Value{Text: text}, err
	}
	start := p.pos
	var text strings.Builder
	escaped := false
	for !p.end() {
		r, size := utf8.DecodeRuneInString(p.q[p.pos:])
		if unicode.IsSpace(r) || r == ']' || r == '}' {
			break
		}
		if r == '\\' && p.pos+size < len(p.q) {
			p.pos += size
			escaped = true
			_, size = utf8.DecodeRuneInString(p.q[p.pos:])
		}
		text.WriteString(p.q[p.pos : p.pos+size])
		p.pos += size
	}
	switch {
	case p.pos == start:
		return nil, fault.At(fault.BadQuery, p.pos, "an end of a range is missing; * leaves it open")
	case text.String() == "*" && !escaped:
		return nil, nil
	}
	return &Value{Text: text.String()}, nil
}

// compared reads >value, >=value, <value or <=value.
func (p *parser) compared(field string) (Node, error) {
	at := p.pos
	greater := p.q[p.pos] == '>'
	p.pos++
	inclusive := !p.end() && p.q[p.pos] == '='
	if inclusive {
		p.pos++
	}
	p.space()
	var value Value
	start := p.pos
	if !p.end() && p.q[p.pos] == '"' {
		text, err := p.quoted()
		if err != nil {
			return nil, err
		}
		value.Text = text
	} else {
		w, err := p.scan(false)
		if err != nil {
			return nil, err
		}
		value.Text = w.text
	}
	if p.pos == start {
		return nil, fault.At(fault.BadQuery, at, "a comparison has no value")
	}
	n := &Range{Field: field, Boost: 1, Pos: at, Lenient: p.opts.Lenient}
	if greater {
		n.Lo, n.IncLo = &value, inclusive
	} else {
		n.Hi, n.IncHi = &value, inclusive
	}
	return n, p.budget.clause(at)
}

// checkRegexp tells whether an expression can be read.
func checkRegexp(text string, pos int) error {
	_, err := pattern.ParseRegexp(text, nil)
	return placed(err, pos)
}
