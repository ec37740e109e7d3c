package query_test

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// corpus is the naive model of a collection: documents in a list, everything counted anew for each question.
type corpus struct {
	schema *schema.Schema
	docs   []*model
}

// model is one document: its exact values, and its tokens field by field.
type model struct {
	id     string
	values map[string]schema.Values
	terms  map[string][]string // by position; "" in gaps
}

func newCorpus(s *schema.Schema) *corpus { return &corpus{schema: s} }

func (c *corpus) put(body []byte, id string) error {
	doc, added, err := c.schema.Decode(body)
	if err != nil {
		return err
	}
	switch {
	case doc.ID == "":
		doc.ID = id
	case id != "" && doc.ID != id:
		return fault.New(fault.BadRequest, "two ids")
	}
	if c.schema, err = c.schema.With(added); err != nil {
		return err
	}
	m := &model{id: doc.ID, values: map[string]schema.Values{}, terms: map[string][]string{}}
	for _, v := range doc.Values {
		m.values[v.Field.Name] = v
		if v.Field.Type != schema.Text {
			continue
		}
		analyzer, _ := c.schema.IndexAnalyzer(v.Field)
		var terms []string
		for _, text := range v.Strings {
			if len(terms) > 0 {
				terms = append(terms, make([]string, analysis.PositionGap)...)
			}
			base := len(terms)
			for _, token := range analyzer.Analyze(nil, text) {
				for len(terms) < base+token.Position {
					terms = append(terms, "")
				}
				terms = append(terms, token.Term)
			}
		}
		m.terms[v.Field.Name] = terms
	}
	c.remove(doc.ID)
	c.docs = append(c.docs, m)
	return nil
}

func (c *corpus) remove(id string) {
	c.docs = slices.DeleteFunc(c.docs, func(m *model) bool { return m.id == id })
}

func (m *model) length(field string) (n int) {
	for _, term := range m.terms[field] {
		if term != "" {
			n++
		}
	}
	return n
}

func (m *model) count(field, term string) (n int) {
	for _, t := range m.terms[field] {
		if t == term {
			n++
		}
	}
	return n
}

func (c *corpus) stats(fields []string, terms []bm25.FieldTerm) bm25.Stats {
	s := bm25.Stats{Fields: make([]bm25.FieldStats, len(fields)), DF: make([]uint64, len(terms))}
	for _, m := range c.docs {
		for i, f := range fields {
			if n := m.length(f); n > 0 {
				s.Fields[i].Docs++
				s.Fields[i].TotalLen += uint64(n)
			}
		}
		for i, t := range terms {
			if m.count(t.Field, t.Term) > 0 {
				s.DF[i]++
			}
		}
	}
	return s
}

// hit is a document of an answer.
type hit struct {
	id    string
	score float64
}

// search answers a query and filters in all documents.
func (c *corpus) search(n query.Node, filters []query.Node, keys []query.SortKey) ([]hit, error) {
	leaves := query.Leaves(n)
	fields, terms := query.Question(leaves)
	weights, err := query.Weigh(leaves, fields, terms, c.stats(fields, terms))
	if err != nil {
		return nil, err
	}
	var found []query.Candidate
	for _, m := range c.docs {
		matches, score := m.eval(n, weights)
		for _, f := range filters {
			passes, none := m.eval(f, nil)
			if none != 0 {
				panic("a filter scores")
			}
			matches = matches && passes
		}
		if matches {
			found = append(found, query.Candidate{ID: m.id, Score: score, Keys: m.keys(keys, score)})
		}
	}
	slices.SortFunc(found, func(a, b query.Candidate) int { return query.CompareKeys(keys, &a, &b) })
	hits := make([]hit, len(found))
	for i, f := range found {
		hits[i] = hit{f.ID, bm25.Shown(f.Score)}
	}
	return hits, nil
}

func (m *model) keys(keys []query.SortKey, score int64) []query.Key {
	var out []query.Key
	for _, k := range keys {
		switch k.By {
		case query.ByScore:
			out = append(out, query.Key{Kind: query.KeyInt, Int: score})
			continue
		case query.ByID:
			out = append(out, query.Key{Kind: query.KeyString, Str: m.id})
			continue
		case query.ByDistance:
			if p, ok := m.place(k.Field); ok {
				out = append(out, query.Key{Kind: query.KeyFloat, Float: geo.Distance(k.From, p)})
			} else {
				out = append(out, query.Key{})
			}
			continue
		}
		v := m.values[k.Field]
		switch {
		case len(v.Strings) > 0:
			out = append(out, query.Key{Kind: query.KeyString, Str: extreme(v.Strings, k.Desc)})
		case len(v.Ints) > 0:
			out = append(out, query.Key{Kind: query.KeyInt, Int: extreme(v.Ints, k.Desc)})
		case len(v.Floats) > 0:
			out = append(out, query.Key{Kind: query.KeyFloat, Float: extreme(v.Floats, k.Desc)})
		default:
			out = append(out, query.Key{})
		}
	}
	return out
}

func (m *model) place(field string) (geo.Point, bool) {
	lat, lon := m.values[field+".lat"].Floats, m.values[field+".lon"].Floats
	if len(lat) == 0 {
		return geo.Point{}, false
	}
	return geo.Point{Lat: lat[0], Lon: lon[0]}, true
}

func extreme[T cmp.Ordered](values []T, greatest bool) T {
	if greatest {
		return slices.Max(values)
	}
	return slices.Min(values)
}

// eval tells whether a document matches a resolved node, and what it scores.
func (m *model) eval(n query.Node, weights []bm25.Weight) (bool, int64) {
	constant := func(matches bool, boost float64) (bool, int64) {
		if !matches {
			return false, 0
		}
		return true, bm25.Units(boost)
	}
	switch n := n.(type) {
	case *query.MatchAll:
		return constant(true, n.Boost)
	case *query.MatchNone:
		return false, 0
	case *query.Bool:
		return m.evalBool(n, weights)
	case *query.DisMax:
		return m.evalDisMax(n, weights)
	case *query.ConstantScore:
		matches, _ := m.eval(n.Child, weights)
		return constant(matches, n.Boost)
	case *query.TextTerm:
		return m.part(n.Field, n.Leaf, m.count(n.Field, n.Term), weights)
	case *query.TextPhrase:
		return m.part(n.Field, n.Leaf, m.phrases(n), weights)
	case *query.KeywordSet:
		return constant(slices.ContainsFunc(m.values[n.Field].Strings, func(s string) bool { return slices.Contains(n.Values, s) }), n.Boost)
	case *query.KeywordRange:
		return constant(slices.ContainsFunc(m.values[n.Field].Strings, func(s string) bool {
			return (n.Lo == nil || s > *n.Lo || s == *n.Lo && n.IncLo) && (n.Hi == nil || s < *n.Hi || s == *n.Hi && n.IncHi)
		}), n.Boost)
	case *query.LongRange:
		return constant(slices.ContainsFunc(m.values[n.Field].Ints, func(v int64) bool { return n.Lo <= v && v <= n.Hi }), n.Boost)
	case *query.LongSet:
		return constant(slices.ContainsFunc(m.values[n.Field].Ints, func(v int64) bool { return slices.Contains(n.Values, v) }), n.Boost)
	case *query.DoubleRange:
		return constant(slices.ContainsFunc(m.values[n.Field].Floats, func(v float64) bool {
			return (math.IsInf(n.Lo, -1) || v > n.Lo || v == n.Lo && n.IncLo) && (math.IsInf(n.Hi, 1) || v < n.Hi || v == n.Hi && n.IncHi)
		}), n.Boost)
	case *query.DoubleSet:
		return constant(slices.ContainsFunc(m.values[n.Field].Floats, func(v float64) bool { return slices.Contains(n.Values, v) }), n.Boost)
	case *query.FieldExists:
		v := m.values[n.Field]
		if n.Type == schema.Text {
			return constant(m.length(n.Field) > 0, n.Boost)
		}
		return constant(len(v.Strings)+len(v.Ints)+len(v.Floats) > 0, n.Boost)
	case *query.Scaled:
		matches, score := m.eval(n.Child, weights)
		return matches, bm25.Units(float64(bm25.Shown(score) * n.Factor))
	case *query.TermPattern:
		like := likeness(n)
		if n.Exact {
			return constant(slices.ContainsFunc(m.values[n.Field].Strings, like.MatchString), n.Boost)
		}
		return constant(slices.ContainsFunc(m.terms[n.Field], func(s string) bool { return s != "" && like.MatchString(s) }), n.Boost)
	case *query.AtLeast:
		matches, score := m.eval(n.Child, weights)
		return matches && bm25.Shown(score) >= n.Score, score
	case *query.Near:
		p, ok := m.place(n.Field)
		return constant(ok && geo.Distance(p, n.Point) <= n.Metres, n.Boost)
	case *query.IDs:
		return constant(slices.Contains(n.Values, m.id), n.Boost)
	}
	panic("not resolved")
}

// likeness says by package regexp what a pattern matches.
func likeness(n *query.TermPattern) *regexp.Regexp {
	text := n.Text
	if n.Fold {
		text = strings.ToLower(text)
	}
	switch n.Kind {
	case query.PrefixPattern:
		text = regexp.QuoteMeta(text) + "(?s:.*)"
	case query.WildcardPattern:
		text = strings.NewReplacer(`\\\*`, `\*`, `\\\?`, `\?`, `\*`, "(?s:.*)", `\?`, "(?s:.)").Replace(regexp.QuoteMeta(text))
	}
	return regexp.MustCompile(`\A(?:` + text + `)\z`)
}

func (m *model) part(field string, leaf, tf int, weights []bm25.Weight) (bool, int64) {
	if tf == 0 || leaf < 0 {
		return tf > 0, 0
	}
	w := weights[leaf]
	return true, bm25.Part(w.W, w.C0, w.C1, uint32(tf), uint32(m.length(field)))
}

// phrases counts the positions from which a phrase completes.
func (m *model) phrases(n *query.TextPhrase) (tf int) {
	if n.Slop > 0 || n.Prefix {
		return completions(m.terms[n.Field], n)
	}
	terms := m.terms[n.Field]
	for start := range terms {
		complete := true
		for i, term := range n.Terms {
			at := start + n.Offsets[i]
			complete = complete && at < len(terms) && terms[at] == term
		}
		if complete {
			tf++
		}
	}
	return tf
}

// completions tries all ways to give each slot of a phrase a position of its own.
func completions(terms []string, n *query.TextPhrase) (tf int) {
	fits := func(k, at int) bool {
		if n.Prefix && k == len(n.Terms)-1 {
			return strings.HasPrefix(terms[at], n.Terms[k])
		}
		return terms[at] == n.Terms[k]
	}
	var try func(k, least, most int, taken []int) bool
	try = func(k, least, most int, taken []int) bool {
		if most-least > n.Slop {
			return false
		}
		if k == len(n.Terms) {
			return true
		}
		for at := range terms {
			if place := at - n.Offsets[k]; fits(k, at) && !slices.Contains(taken, at) && try(k+1, min(least, place), max(most, place), append(taken, at)) {
				return true
			}
		}
		return false
	}
	for at := range terms {
		if fits(0, at) && try(1, at, at, []int{at}) {
			tf++
		}
	}
	return tf
}

func (m *model) evalBool(n *query.Bool, weights []bm25.Weight) (bool, int64) {
	var score int64
	for _, child := range n.Must {
		matches, part := m.eval(child, weights)
		if !matches {
			return false, 0
		}
		score += part
	}
	for _, child := range n.Filter {
		if matches, _ := m.eval(child, weights); !matches {
			return false, 0
		}
	}
	for _, child := range n.MustNot {
		if matches, _ := m.eval(child, weights); matches {
			return false, 0
		}
	}
	matched := 0
	for _, child := range n.Should {
		if matches, part := m.eval(child, weights); matches {
			matched++
			score += part
		}
	}
	return matched >= n.MinShould, score
}

func (m *model) evalDisMax(n *query.DisMax, weights []bm25.Weight) (bool, int64) {
	matched, best := -1, 0.0
	scores := make([]float64, len(n.Children))
	for i, child := range n.Children {
		matches, part := m.eval(child, weights)
		scores[i] = bm25.Shown(part)
		if matches && (matched < 0 || scores[i] > best) {
			matched, best = i, scores[i]
		}
	}
	if matched < 0 {
		return false, 0
	}
	others := 0.0
	for i, s := range scores {
		if i != matched {
			others += s
		}
	}
	return true, bm25.Units(best + float64(n.Tie*others))
}

func ids(hits []hit) []string {
	out := make([]string, len(hits))
	for i, h := range hits {
		out[i] = h.id
	}
	return out
}

func sorted(list []string) []string {
	out := slices.Clone(list)
	slices.SortFunc(out, strings.Compare)
	return out
}
