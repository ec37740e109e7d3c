package query

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
)

// Options say how query text is read.
type Options struct {
	DefaultOperatorAnd bool // words side by side are joined by AND instead of OR
	Lenient            bool // never fail on syntax or on values that do not fit: take bad syntax as words
}

// Parse reads the query language that the package comment describes, and gives surface nodes. It fails with bad_query at the byte where the text broke, and
// with limit_exceeded past a limit. Only blanks are [MatchAll].
func Parse(q string, opts Options) (Node, error) {
	return parse(q, opts, "", newBudget(), 0)
}

// parse reads q for [Parse] and for a query_string inside JSON, which goes on with the same budget and depth, and may name a field for bare words.
func parse(q string, opts Options, field string, b *budget, depth int) (Node, error) {
	if len(q) > MaxBytes {
		return nil, fault.New(fault.LimitExceeded, "a query is at most %d bytes long", MaxBytes)
	}
	if !utf8.ValidString(q) {
		if !opts.Lenient {
			return nil, fault.New(fault.BadQuery, "a query must be valid UTF-8")
		}
		q = strings.ToValidUTF8(q, " ")
	}
	attempt := *b
	p := parser{q: q, opts: opts, budget: &attempt}
	n, err := p.whole(field, depth)
	if err == nil || !opts.Lenient {
		*b = attempt
		return n, err
	}
	return lenientWords(q, opts, field, b)
}

// parser reads q from left to right, with one function for each rule of the grammar.
type parser struct {
	q      string
	opts   Options
	pos    int
	budget *budget
}

func (p *parser) whole(field string, depth int) (Node, error) {
	p.space()
	if p.end() {
		return &MatchAll{Boost: 1}, p.budget.clause(0)
	}
	n, err := p.alternatives(field, depth)
	if err != nil {
		return nil, err
	}
	if !p.end() {
		return nil, p.unexpected()
	}
	return n, nil
}

// occur says how a clause takes part in the list that it stands in.
type occur uint8

const (
	plain    occur = iota
	required       // +
	excluded       // -
	negated        // NOT or !
)

// clause is a node with how it takes part.
type clause struct {
	node  Node
	occur occur
}

// alternatives reads chains joined by OR, up to the end or a closing parenthesis.
func (p *parser) alternatives(field string, depth int) (Node, error) {
	var clauses []clause
	afterOr := false
	for {
		c, err := p.chain(field, depth)
		if err != nil {
			return nil, err
		}
		p.space()
		beforeOr := p.operator("OR", "||")
		if c.occur == negated && (afterOr || beforeOr) {
			c = clause{node: not(c.node)} // a OR NOT b is boolean
		}
		clauses = append(clauses, c)
		afterOr = beforeOr
		if !afterOr && (p.end() || p.q[p.pos] == ')') {
			return join(clauses, false), nil
		}
	}
}

// chain reads clauses joined by AND. One alone keeps its sign for the list that it stands in.
func (p *parser) chain(field string, depth int) (clause, error) {
	var clauses []clause
	for {
		c, err := p.signed(field, depth)
		if err != nil {
			return clause{}, err
		}
		clauses = append(clauses, c)
		p.space()
		if p.operator("AND", "&&") {
			continue
		}
		beside := p.opts.DefaultOperatorAnd && !p.end() && p.q[p.pos] != ')' && !p.atOperator("OR", "||")
		switch {
		case beside:
		case len(clauses) == 1:
			return c, nil
		default:
			return clause{node: join(clauses, true)}, nil
		}
	}
}

// join makes one node of a list of clauses. In an AND chain what has no sign is required.
func join(clauses []clause, and bool) Node {
	if len(clauses) == 1 && clauses[0].occur == plain {
		return clauses[0].node
	}
	n := &Bool{Boost: 1}
	for _, c := range clauses {
		switch {
		case c.occur == excluded || c.occur == negated:
			n.MustNot = append(n.MustNot, c.node)
		case c.occur == required || and:
			n.Must = append(n.Must, c.node)
		default:
			n.Should = append(n.Should, c.node)
		}
	}
	return n
}

func not(n Node) Node { return &Bool{MustNot: []Node{n}, Boost: 1} }

// signed reads a clause with its sign: + - ! or NOT.
func (p *parser) signed(field string, depth int) (c clause, err error) {
	p.space()
	switch {
	case p.end():
	case p.q[p.pos] == '+':
		c.occur = required
		p.pos++
	case p.q[p.pos] == '-':
		c.occur = excluded
		p.pos++
	case p.q[p.pos] == '!':
		c.occur = negated
		p.pos++
	case p.operator("NOT", ""):
		c.occur = negated
	}
	p.space()
	c.node, err = p.boosted(field, depth)
	return c, err
}

// boosted reads a clause without sign, and the ^boost behind it.
func (p *parser) boosted(field string, depth int) (Node, error) {
	n, err := p.primary(field, depth)
	if err != nil || p.end() || p.q[p.pos] != '^' {
		return n, err
	}
	at := p.pos
	p.pos++
	start := p.pos
	for !p.end() && strings.IndexByte("0123456789.eE", p.q[p.pos]) >= 0 {
		p.pos++
	}
	boost, err := strconv.ParseFloat(p.q[start:p.pos], 64)
	if err != nil || math.IsInf(boost, 0) {
		return nil, fault.At(fault.BadQuery, at, "^ takes a number that is not negative")
	}
	return withBoost(n, boost), nil
}

// withBoost gives n a boost. A node that has one already is wrapped, so that the product of both is made from the outermost inwards.
func withBoost(n Node, boost float64) Node {
	if own := boostOf(n); own != nil && *own == 1 {
		*own = boost
		return n
	}
	return &Bool{Must: []Node{n}, Boost: boost}
}

// boostOf finds the boost of a node that q can hold.
func boostOf(n Node) *float64 {
	switch n := n.(type) {
	case *Bool:
		return &n.Boost
	case *Word:
		return &n.Boost
	case *Phrase:
		return &n.Boost
	case *Range:
		return &n.Boost
	case *Exists:
		return &n.Boost
	case *MatchAll:
		return &n.Boost
	case *Prefix:
		return &n.Boost
	case *Wildcard:
		return &n.Boost
	case *Regexp:
		return &n.Boost
	case *Fuzzy:
		return &n.Boost
	}
	return nil
}

// primary reads a group, phrase, range, expression or word, perhaps with a field in front.
func (p *parser) primary(field string, depth int) (Node, error) {
	if p.end() {
		return nil, fault.At(fault.BadQuery, p.pos, "the query ends where a clause is expected")
	}
	switch c := p.q[p.pos]; {
	case c == '(':
		return p.group(field, depth)
	case c == '"':
		return p.phrase(field)
	case c == '/':
		return p.expression(field)
	case c == '[' || c == '{':
		return p.between(field)
	case (c == '<' || c == '>') && field != "":
		return p.compared(field)
	}
	return p.word(field, depth)
}

func (p *parser) group(field string, depth int) (Node, error) {
	at := p.pos
	if err := checkDepth(depth+1, at); err != nil {
		return nil, err
	}
	p.pos++
	n, err := p.alternatives(field, depth+1)
	if err != nil {
		// What was left open is the reason, wherever the text then broke off.
		var f *fault.Error
		if p.end() && errors.As(err, &f) && f.Code == fault.BadQuery {
			return nil, fault.At(fault.BadQuery, at, "( is not closed")
		}
		return nil, err
	}
	if p.end() {
		return nil, fault.At(fault.BadQuery, at, "( is not closed")
	}
	p.pos++
	return n, nil
}

// phrase reads "words" and ~slop.
func (p *parser) phrase(field string) (Node, error) {
	at := p.pos
	text, err := p.quoted()
	if err != nil {
		return nil, err
	}
	n := &Phrase{Field: field, Text: text, Boost: 1, Pos: at, Lenient: p.opts.Lenient}
	if !p.end() && p.q[p.pos] == '~' {
		tilde := p.pos
		p.pos++
		if n.Slop, err = strconv.Atoi(p.digits()); err != nil {
			return nil, fault.At(fault.BadQuery, tilde, "~ behind a phrase takes a whole number")
		}
		if n.Slop > MaxSlop {
			return nil, fault.At(fault.LimitExceeded, tilde, "the slop of a phrase is at most %d", MaxSlop)
		}
	}
	return n, p.budget.clause(at)
}

// quoted reads "text", without its escapes.
func (p *parser) quoted() (string, error) {
	at := p.pos
	p.pos++
	var text strings.Builder
	for !p.end() {
		switch c := p.q[p.pos]; c {
		case '"':
			p.pos++
			return text.String(), nil
		case '\\':
			p.pos++
			if p.end() {
				return "", fault.At(fault.BadQuery, at, `" is not closed`)
			}
			fallthrough
		default:
			text.WriteByte(p.q[p.pos])
			p.pos++
		}
	}
	return "", fault.At(fault.BadQuery, at, `" is not closed`)
}

// expression reads /expression/, in which \/ is a slash.
func (p *parser) expression(field string) (Node, error) {
	at := p.pos
	p.pos++
	var pattern strings.Builder
	for !p.end() {
		c := p.q[p.pos]
		p.pos++
		switch {
		case c == '/':
			n := &Regexp{Field: field, Pattern: pattern.String(), Boost: 1, Pos: at, Lenient: p.opts.Lenient}
			if err := checkRegexp(n.Pattern, at); err != nil {
				return nil, err
			}
			return n, p.budget.clause(at)
		case c == '\\' && !p.end() && p.q[p.pos] == '/':
			pattern.WriteByte('/')
			p.pos++
		case c == '\\' && !p.end():
			pattern.WriteByte(c)
			pattern.WriteByte(p.q[p.pos])
			p.pos++
		default:
			pattern.WriteByte(c)
		}
	}
	return nil, fault.At(fault.BadQuery, at, "/ is not closed")
}

// operator takes a word operator or its sign, when it stands here.
func (p *parser) operator(word, sign string) bool {
	if !p.atOperator(word, sign) {
		return false
	}
	if sign != "" && strings.HasPrefix(p.q[p.pos:], sign) {
		p.pos += len(sign)
	} else {
		p.pos += len(word)
	}
	return true
}

func (p *parser) atOperator(word, sign string) bool {
	rest := p.q[p.pos:]
	if sign != "" && strings.HasPrefix(rest, sign) {
		return true
	}
	if !strings.HasPrefix(rest, word) {
		return false
	}
	next, size := utf8.DecodeRuneInString(rest[len(word):])
	return size == 0 || unicode.IsSpace(next) || strings.ContainsRune(`()"`, next)
}

func (p *parser) end() bool { return p.pos >= len(p.q) }

func (p *parser) space() {
	for !p.end() {
		r, size := utf8.DecodeRuneInString(p.q[p.pos:])
		if !unicode.IsSpace(r) {
			return
		}
		p.pos += size
	}
}

func (p *parser) digits() string {
	start := p.pos
	for !p.end() && '0' <= p.q[p.pos] && p.q[p.pos] <= '9' {
		p.pos++
	}
	return p.q[start:p.pos]
}

// unexpected is the error for a character that nothing can begin with.
func (p *parser) unexpected() error {
	r, _ := utf8.DecodeRuneInString(p.q[p.pos:])
	if r == ')' {
		return fault.At(fault.BadQuery, p.pos, ") closes nothing")
	}
	return fault.At(fault.BadQuery, p.pos, "unexpected %q; write \\%c for the character itself", r, r)
}
