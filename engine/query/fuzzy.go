package query

import (
	"cmp"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// This file resolves fuzzy words. What terms lie near a word depends on the index, and what a search finds must not depend on how documents are spread: so the
// terms are agreed first. [Resolve] leaves a [FuzzyTerms] for each word; all groups are asked for their live terms near it ([FuzzyQuestions]), [Agree] joins what
// they say, and [Expand] puts the terms in place of the words.

// MaxExpansions is how many terms a fuzzy word expands to. Where more lie near it and the query does not say how many of the nearest to take, it is refused.
const MaxExpansions = 1024

// FuzzyTerms matches documents that hold a term near a word. It scores the best of them, each times 1 - edits/characters of the word. It is no leaf that can be
// executed.
type FuzzyTerms struct {
	FuzzyQuestion
	Boost  float64
	Scores bool
}

func (*FuzzyTerms) node() {}

// FuzzyQuestion asks for the terms near a word that live documents hold.
type FuzzyQuestion struct {
	Field  string
	Exact  bool // exact values, else words
	Word   string
	Edits  int // 1 to [MaxEdits]
	Prefix int // characters at the beginning that must agree
	Most   int // how many of the nearest are taken; 0: all, up to [MaxExpansions]
}

// Limit is how many of the nearest terms an answer needs to hold: where all are wanted one more than are allowed, so that it shows.
func (q *FuzzyQuestion) Limit() int {
	if q.Most > 0 {
		return q.Most
	}
	return MaxExpansions + 1
}

// Expansion is a term near a word.
type Expansion struct {
	Term  string
	Edits int
	DF    uint64 // live documents that hold it
}

// CompareExpansions orders terms by their distance, then by bytes.
func CompareExpansions(a, b Expansion) int {
	return cmp.Or(cmp.Compare(a.Edits, b.Edits), cmp.Compare(a.Term, b.Term))
}

// fuzzy resolves a word against one field.
func (r *resolver) fuzzy(word string, fuzziness string, n *Fuzzy, f *schema.Field, c scope, forgiven bool) (Node, error) {
	q := FuzzyQuestion{Field: f.Name, Exact: f.Type == schema.Keyword, Word: word, Prefix: n.PrefixLength, Most: min(n.MaxExpansions, MaxExpansions)}
	longest := analysis.MaxTermBytes
	switch f.Type {
	case schema.Text:
	case schema.Keyword:
		longest = schema.MaxExactBytes
	default:
		switch {
		case forgiven:
			return &MatchNone{}, nil
		case n.Pos < 0:
			return nil, fault.New(fault.BadField, "field %s is %s, which has no words to be near %s", fault.Quote(f.Name), f.Type, fault.Quote(word))
		}
		return nil, fault.At(fault.BadQuery, n.Pos, "field %s is %s, which has no words to be near %s", fault.Quote(f.Name), f.Type, fault.Quote(word))
	}
	characters := utf8.RuneCountInString(word)
	if characters == 0 || characters > longest+MaxEdits {
		return &MatchNone{}, nil
	}
	if q.Edits = edits(fuzziness, characters); q.Edits > 0 {
		return &FuzzyTerms{FuzzyQuestion: q, Boost: c.leaf(), Scores: c.scores}, nil
	}
	if q.Exact {
		return &KeywordSet{Field: f.Name, Values: []string{word}, Boost: c.leaf()}, nil
	}
	return oneTerm(f, word, c), nil
}

// edits gives the distance that a fuzziness allows a word of so many characters.
func edits(fuzziness string, characters int) int {
	if n, err := strconv.Atoi(fuzziness); err == nil {
		return min(n, MaxEdits)
	}
	switch { // AUTO
	case characters <= 2:
		return 0
	case characters <= 5:
		return 1
	}
	return MaxEdits
}

// FuzzyQuestions lists what must be asked for the fuzzy words of resolved nodes, each once, in order.
func FuzzyQuestions(nodes ...Node) []FuzzyQuestion {
	var questions []FuzzyQuestion
	for _, n := range nodes {
		walk(n, true, func(n Node, _ bool) {
			if n, ok := n.(*FuzzyTerms); ok {
				questions = append(questions, n.FuzzyQuestion)
			}
		})
	}
	slices.SortFunc(questions, compareQuestions)
	return slices.Compact(questions)
}

func compareQuestions(a, b FuzzyQuestion) int {
	return cmp.Or(cmp.Compare(a.Field, b.Field), cmp.Compare(schema.BoolInt(a.Exact), schema.BoolInt(b.Exact)), cmp.Compare(a.Word, b.Word), cmp.Compare(a.Edits, b.Edits),
		cmp.Compare(a.Prefix, b.Prefix), cmp.Compare(a.Most, b.Most))
}

// Agree joins the answers of all groups to one question, each with the nearest of its terms in order ([CompareExpansions]), as many as it has or as the
// question's Limit. It fails with limit_exceeded where more terms lie near the word than are allowed.
func Agree(q *FuzzyQuestion, answers [][]Expansion) ([]Expansion, error) {
	sums := map[string]Expansion{}
	for _, answer := range answers {
		for _, e := range answer {
			e.DF += sums[e.Term].DF
			sums[e.Term] = e
		}
	}
	agreed := make([]Expansion, 0, len(sums))
	for _, e := range sums {
		agreed = append(agreed, e)
	}
	slices.SortFunc(agreed, CompareExpansions)
	if q.Most == 0 && len(agreed) > MaxExpansions {
		return nil, fault.New(fault.LimitExceeded, "more than %d terms lie near %s: allow fewer edits, or ask for more characters at the beginning to agree (prefix_length)",
			MaxExpansions, fault.Quote(q.Word))
	}
	return agreed[:min(len(agreed), q.Limit())], nil
}

// Expand puts terms in place of the fuzzy words of a resolved node and what was chosen in place of its likes, and numbers its leaves anew. questions are those of
// [FuzzyQuestions], agreed what was agreed on each. It fails with limit_exceeded past [MaxLeaves], else as [Resolve] does for boosts.
func Expand(n Node, filter bool, questions []FuzzyQuestion, agreed [][]Expansion, chosen map[*LikeTerms]Node) (Node, error) {
	x := expander{questions: questions, agreed: agreed, chosen: chosen}
	n = x.node(n)
	if x.terms > MaxLeaves {
		return nil, fault.New(fault.LimitExceeded, "the fuzzy words and likes of a query stand for at most %d terms", MaxLeaves)
	}
	return n, finishLeaves(n, filter)
}

type expander struct {
	questions []FuzzyQuestion
	agreed    [][]Expansion
	chosen    map[*LikeTerms]Node
	terms     int
}

// node gives a node without fuzzy words and likes; those that hold none are shared.
func (x *expander) node(n Node) Node {
	switch n := n.(type) {
	case *Bool:
		copied := *n
		copied.Must, copied.Should, copied.MustNot, copied.Filter = x.list(n.Must), x.list(n.Should), x.list(n.MustNot), x.list(n.Filter)
		return &copied
	case *DisMax:
		return &DisMax{Children: x.list(n.Children), Tie: n.Tie}
	case *ConstantScore:
		return &ConstantScore{Child: x.node(n.Child), Boost: n.Boost}
	case *AtLeast:
		return &AtLeast{Child: x.node(n.Child), Score: n.Score}
	case *Functions:
		copied := *n
		copied.Child, copied.List = x.node(n.Child), slices.Clone(n.List)
		for i, f := range n.List {
			if f.Filter != nil {
				copied.List[i].Filter = x.node(f.Filter)
			}
		}
		return &copied
	case *FuzzyTerms:
		return x.fuzzy(n)
	case *LikeTerms:
		return x.like(n)
	}
	return n
}

func (x *expander) list(nodes []Node) []Node {
	if nodes == nil {
		return nil
	}
	list := make([]Node, len(nodes))
	for i, n := range nodes {
		list[i] = x.node(n)
	}
	return list
}

func (x *expander) like(n *LikeTerms) Node {
	found, known := x.chosen[n]
	if !known {
		return n
	}
	walk(found, n.scores, func(n Node, _ bool) {
		if _, ok := n.(*TextTerm); ok {
			x.terms++
		}
	})
	return found
}

func (x *expander) fuzzy(n *FuzzyTerms) Node {
	at, known := slices.BinarySearchFunc(x.questions, n.FuzzyQuestion, compareQuestions)
	if !known {
		return &MatchNone{}
	}
	near := x.agreed[at]
	if x.terms += len(near); x.terms > MaxLeaves {
		return &MatchNone{} // refused in the end
	}
	var parts []Node
	for from := 0; from < len(near); {
		to := from + 1
		for n.Exact && to < len(near) && near[to].Edits == near[from].Edits {
			to++
		}
		parts = append(parts, n.part(near[from:to]))
		from = to
	}
	if !n.Scores {
		return simplify(&Bool{Should: parts, MinShould: 1})
	}
	return best(parts, 0)
}

// part matches terms at one distance.
func (n *FuzzyTerms) part(near []Expansion) Node {
	var leaf Node = &TextTerm{Field: n.Field, Term: near[0].Term, Boost: n.Boost, Leaf: -1}
	if n.Exact {
		values := make([]string, len(near))
		for i, e := range near {
			values[i] = e.Term
		}
		leaf = &KeywordSet{Field: n.Field, Values: sortedSet(values), Boost: n.Boost}
	}
	if near[0].Edits == 0 || !n.Scores {
		return leaf
	}
	return &Scaled{Child: leaf, Factor: max(0, 1-float64(near[0].Edits)/float64(utf8.RuneCountInString(n.Word)))}
}
