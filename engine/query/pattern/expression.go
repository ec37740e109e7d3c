package pattern

import (
	"encoding/binary"
	"errors"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"

	"github.com/jetseek/jetseek/engine/fault"
)

// MaxStates bounds the size of an expression: its characters and classes, each as often as it may be repeated.
const MaxStates = 10_000

// Expression is a wildcard or regular expression that was read. It is immutable.
type Expression struct {
	tree *syntax.Regexp
	size int
}

// Size bounds the states of the expression's program; it is at most [MaxStates].
func (e *Expression) Size() int { return e.size }

// ParseRegexp reads an expression in RE2 syntax that must match a whole term. fold, nil for none, brings the letters of terms together: what is written out is
// folded as terms are, and classes take both cases. It fails with bad_query where the expression cannot be read, with limit_exceeded past [MaxStates].
func ParseRegexp(text string, fold func(string) string) (*Expression, error) {
	flags := syntax.Perl
	if fold != nil {
		flags |= syntax.FoldCase
	}
	tree, err := syntax.Parse(text, flags)
	if err != nil {
		var broken *syntax.Error
		if errors.As(err, &broken) && (broken.Code == syntax.ErrLarge || broken.Code == syntax.ErrNestingDepth) {
			return nil, fault.New(fault.LimitExceeded, "the regular expression is too large")
		}
		return nil, fault.New(fault.BadQuery, "the regular expression cannot be read: %s", fault.Quote(err.Error()))
	}
	if fold != nil {
		foldLiterals(tree, fold)
	}
	return measured(tree)
}

// ParseWildcard reads a pattern in which * stands for any characters, ? for one, and \ takes the meaning off the next. fold is that of [ParseRegexp]. It fails with
// limit_exceeded past [MaxStates].
func ParseWildcard(text string, fold func(string) string) (*Expression, error) {
	tree := &syntax.Regexp{Op: syntax.OpConcat}
	var literal strings.Builder
	end := func() {
		if literal.Len() == 0 {
			return
		}
		tree.Sub = append(tree.Sub, literalOf(literal.String(), fold))
		literal.Reset()
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text):
			i++
			literal.WriteByte(text[i])
		case c == '*':
			end()
			if n := len(tree.Sub); n == 0 || tree.Sub[n-1].Op != syntax.OpStar {
				anything := &syntax.Regexp{Op: syntax.OpAnyChar}
				tree.Sub = append(tree.Sub, &syntax.Regexp{Op: syntax.OpStar, Sub: []*syntax.Regexp{anything}})
			}
		case c == '?':
			end()
			tree.Sub = append(tree.Sub, &syntax.Regexp{Op: syntax.OpAnyChar})
		default:
			literal.WriteByte(c)
		}
	}
	end()
	return measured(tree)
}

// Automaton compiles the expression.
func (e *Expression) Automaton() (*Automaton, error) {
	program, err := syntax.Compile(e.tree.Simplify())
	if err != nil {
		return nil, fault.New(fault.BadQuery, "the regular expression cannot be compiled: %s", fault.Quote(err.Error()))
	}
	return newAutomaton(newThreads(program)), nil
}

func literalOf(text string, fold func(string) string) *syntax.Regexp {
	if fold != nil {
		text = fold(text)
	}
	return &syntax.Regexp{Op: syntax.OpLiteral, Rune: []rune(text)}
}

// foldLiterals folds what is written out. Its recursion is bounded by the parser's.
func foldLiterals(tree *syntax.Regexp, fold func(string) string) {
	if tree.Op == syntax.OpLiteral {
		tree.Rune, tree.Flags = []rune(fold(string(tree.Rune))), tree.Flags&^syntax.FoldCase
	}
	for _, sub := range tree.Sub {
		foldLiterals(sub, fold)
	}
}

func measured(tree *syntax.Regexp) (*Expression, error) {
	e := &Expression{tree, size(tree)}
	if e.size > MaxStates {
		return nil, fault.New(fault.LimitExceeded, "an expression has at most %d states: its characters and classes, each as often as it is repeated", MaxStates)
	}
	return e, nil
}

// size bounds the length of the program of an expression, and is never far above [MaxStates].
func size(tree *syntax.Regexp) int {
	n := 1
	switch tree.Op {
	case syntax.OpLiteral:
		n = len(tree.Rune) + 1
	case syntax.OpRepeat:
		times := max(tree.Min, tree.Max, 1)
		n += times * (size(tree.Sub[0]) + 1)
	default:
		for _, sub := range tree.Sub {
			if n += size(sub) + 1; n > MaxStates {
				break
			}
		}
	}
	return min(n, MaxStates+1)
}

// threads is the machine of a program: a state is the set of instructions that wait for a character, for the end, or for what a word boundary or the like needs.
type threads struct {
	program *syntax.Prog
	useful  []bool // instructions from which the match can be reached
	looks   bool   // there are conditions on the characters around a place

	states  []threadSet // the first is dead
	numbers map[string]int
	bytes   int

	seen  []uint32 // by instruction: the round in which it was reached
	round uint32
	stack []uint32
	key   []byte
}

// threadSet is a set of instructions, ascending, and the kind of the character before, where that counts.
type threadSet struct {
	waiting []uint32
	before  rune
}

func newThreads(p *syntax.Prog) *threads {
	t := &threads{program: p, useful: useful(p), seen: make([]uint32, len(p.Inst))}
	for i := range p.Inst {
		t.looks = t.looks || p.Inst[i].Op == syntax.InstEmptyWidth
	}
	return t
}

// useful finds the instructions from which the match can be reached: until none is added, which takes few rounds since programs run forwards.
func useful(p *syntax.Prog) []bool {
	found := make([]bool, len(p.Inst))
	for added := true; added; {
		added = false
		for i := len(p.Inst) - 1; i >= 0; i-- {
			inst := &p.Inst[i]
			leads := inst.Op == syntax.InstMatch
			switch inst.Op {
			case syntax.InstMatch, syntax.InstFail:
			case syntax.InstAlt, syntax.InstAltMatch:
				leads = found[inst.Out] || found[inst.Arg]
			default:
				leads = found[inst.Out]
			}
			if leads && !found[i] {
				found[i], added = true, true
			}
		}
	}
	return found
}

func (t *threads) forget() {
	t.states = append(t.states[:0], threadSet{})
	t.numbers, t.bytes = map[string]int{}, 0
}

func (t *threads) size() int { return t.bytes }

func (t *threads) start() int {
	t.round++
	return t.number(t.reach(nil, uint32(t.program.Start), 0), -1)
}

// reach appends the instructions that wait and can be reached from one without a character, when the conditions hold, but for those seen in this round.
func (t *threads) reach(waiting []uint32, from uint32, holds syntax.EmptyOp) []uint32 {
	t.stack = append(t.stack[:0], from)
	for len(t.stack) > 0 {
		pc := t.stack[len(t.stack)-1]
		t.stack = t.stack[:len(t.stack)-1]
		if t.seen[pc] == t.round || !t.useful[pc] {
			continue
		}
		t.seen[pc] = t.round
		switch inst := &t.program.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			t.stack = append(t.stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			t.stack = append(t.stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^holds == 0 {
				t.stack = append(t.stack, inst.Out)
			} else {
				waiting = append(waiting, pc)
			}
		case syntax.InstFail:
		default:
			waiting = append(waiting, pc)
		}
	}
	return waiting
}

// resolved gives what waits in a state before a character, -1 for the end.
func (t *threads) resolved(state int, next rune) []uint32 {
	s := &t.states[state]
	if !t.looks {
		return s.waiting
	}
	holds := syntax.EmptyOpContext(s.before, next)
	t.round++
	var waiting []uint32
	for _, pc := range s.waiting {
		waiting = t.reach(waiting, pc, holds)
	}
	return waiting
}

func (t *threads) step(state int, r rune) int {
	waiting := t.resolved(state, r)
	t.round++
	var next []uint32
	for _, pc := range waiting {
		if inst := &t.program.Inst[pc]; isRune(inst) && inst.MatchRune(r) {
			next = t.reach(next, inst.Out, 0)
		}
	}
	return t.number(next, r)
}

func isRune(inst *syntax.Inst) bool {
	switch inst.Op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

func (t *threads) accepts(state int) bool {
	return slices.ContainsFunc(t.resolved(state, -1), func(pc uint32) bool { return t.program.Inst[pc].Op == syntax.InstMatch })
}

func (t *threads) meets(state int, lo, hi rune) bool {
	return slices.ContainsFunc(t.states[state].waiting, func(pc uint32) bool {
		inst := &t.program.Inst[pc]
		if !isRune(inst) {
			return inst.Op == syntax.InstEmptyWidth
		}
		if inst.Op == syntax.InstRuneAny || inst.Op == syntax.InstRuneAnyNotNL {
			return true
		}
		if len(inst.Rune) == 1 {
			r := inst.Rune[0]
			if lo <= r && r <= hi {
				return true
			}
			if syntax.Flags(inst.Arg)&syntax.FoldCase != 0 {
				for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
					if lo <= f && f <= hi {
						return true
					}
				}
			}
			return false
		}
		for i := 0; i+1 < len(inst.Rune); i += 2 {
			if inst.Rune[i] <= hi && lo <= inst.Rune[i+1] {
				return true
			}
		}
		return false
	})
}

// number gives the state of a set of instructions behind a character, -1 for none.
func (t *threads) number(waiting []uint32, before rune) int {
	if len(waiting) == 0 {
		return dead
	}
	slices.Sort(waiting)
	before = t.kind(before)
	t.key = binary.AppendVarint(t.key[:0], int64(before))
	for _, pc := range waiting {
		t.key = binary.LittleEndian.AppendUint32(t.key, pc)
	}
	if n, ok := t.numbers[string(t.key)]; ok {
		return n
	}
	n := len(t.states)
	t.states = append(t.states, threadSet{waiting, before})
	t.numbers[string(t.key)] = n
	t.bytes += 2*len(t.key) + 100
	return n
}

// kind gives a character that stands for all that conditions take alike.
func (t *threads) kind(r rune) rune {
	switch {
	case !t.looks:
		return 0
	case r == -1 || r == '\n':
		return r
	case syntax.IsWordChar(r):
		return 'a'
	}
	return ' '
}
