package query_test

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/query"
)

func number(x *float64) string {
	if x == nil {
		return "none"
	}
	return fmt.Sprint(*x)
}

// dump writes a tree in full, without places, so that tests can compare trees.
func dump(n query.Node) string {
	field := func(name string) string {
		if name == "" {
			return ""
		}
		return name + ":"
	}
	boost := func(b float64) string {
		if b == 1 {
			return ""
		}
		return fmt.Sprintf("^%v", b)
	}
	leaf := func(l int) string {
		if l < 0 {
			return ""
		}
		return fmt.Sprintf("#%d", l)
	}
	switch n := n.(type) {
	case nil:
		return "nil"
	case *query.Bool:
		var parts []string
		for _, list := range []struct {
			sign  string
			nodes []query.Node
		}{{"+", n.Must}, {"|", n.Should}, {"-", n.MustNot}, {"=", n.Filter}} {
			for _, child := range list.nodes {
				parts = append(parts, list.sign+dump(child))
			}
		}
		out := "(" + strings.Join(parts, " ") + ")"
		if n.MinShould > 0 {
			out += fmt.Sprintf("%d", n.MinShould)
		}
		if n.MinShouldText != "" {
			out += "[" + n.MinShouldText + "]"
		}
		if n.Boost == 0 {
			return out // resolved
		}
		return out + boost(n.Boost)
	case *query.DisMax:
		var parts []string
		for _, child := range n.Children {
			parts = append(parts, dump(child))
		}
		return fmt.Sprintf("max%v(%s)", n.Tie, strings.Join(parts, " "))
	case *query.ConstantScore:
		return "const(" + dump(n.Child) + ")" + boost(n.Boost)
	case *query.MatchAll:
		return "all" + boost(n.Boost)
	case *query.MatchNone:
		return "none"
	case *query.Word:
		return field(n.Field) + "w'" + n.Text + "'" + boost(n.Boost)
	case *query.Phrase:
		prefix := map[bool]string{true: "*"}[n.Prefix]
		return fmt.Sprintf("%sp'%s'%s~%d%s", field(n.Field), n.Text, prefix, n.Slop, boost(n.Boost))
	case *query.Match:
		return fmt.Sprintf("%smatch(%v and=%v min=%q fuzz=%s)%s", field(n.Field), n.Value, n.And, n.MinShould, n.Fuzziness, boost(n.Boost))
	case *query.MultiMatch:
		return fmt.Sprintf("multi(%v %v most=%v and=%v min=%q tie=%v)%s", n.Fields, n.Value, n.Most, n.And, n.MinShould, n.Tie, boost(n.Boost))
	case *query.Term:
		return fmt.Sprintf("%sterm%v%s", field(n.Field), n.Value, boost(n.Boost))
	case *query.Terms:
		return fmt.Sprintf("%sterms%v%s", field(n.Field), n.Values, boost(n.Boost))
	case *query.Range:
		end := func(v *query.Value) string {
			if v == nil {
				return "*"
			}
			return v.Text
		}
		return fmt.Sprintf("%s%s%s,%s%s%s", field(n.Field), map[bool]string{true: "[", false: "{"}[n.IncLo], end(n.Lo), end(n.Hi),
			map[bool]string{true: "]", false: "}"}[n.IncHi], boost(n.Boost))
	case *query.Exists:
		return "exists(" + n.Field + ")" + boost(n.Boost)
	case *query.Prefix:
		return field(n.Field) + "prefix'" + n.Text + "'" + boost(n.Boost)
	case *query.Wildcard:
		return field(n.Field) + "wild'" + n.Pattern + "'" + boost(n.Boost)
	case *query.Regexp:
		return field(n.Field) + "re'" + n.Pattern + "'" + boost(n.Boost)
	case *query.Fuzzy:
		return fmt.Sprintf("%sfuzzy'%s'~%s/%d%s", field(n.Field), n.Text, n.Fuzziness, n.PrefixLength, boost(n.Boost))
	case *query.TextTerm:
		return field(n.Field) + n.Term + leaf(n.Leaf) + boost(n.Boost)
	case *query.TextPhrase:
		terms, slop := slices.Clone(n.Terms), ""
		if n.Prefix {
			terms[len(terms)-1] += "*"
		}
		if n.CutLast {
			terms[len(terms)-1] += "…"
		}
		if n.CutFirst {
			terms[0] = "…" + terms[0]
		}
		if n.Slop > 0 {
			slop = fmt.Sprintf("~%d", n.Slop)
		}
		return fmt.Sprintf("%s%v@%v%s%s%s", field(n.Field), terms, n.Offsets, slop, leaf(n.Leaf), boost(n.Boost))
	case *query.KeywordSet:
		return fmt.Sprintf("%sset%q%s", field(n.Field), n.Values, boost(n.Boost))
	case *query.KeywordRange:
		end := func(s *string) string {
			if s == nil {
				return "*"
			}
			return *s
		}
		return fmt.Sprintf("%sstr(%s,%s,%v,%v)%s", field(n.Field), end(n.Lo), end(n.Hi), n.IncLo, n.IncHi, boost(n.Boost))
	case *query.LongRange:
		return fmt.Sprintf("%slong(%d,%d)%s", field(n.Field), n.Lo, n.Hi, boost(n.Boost))
	case *query.LongSet:
		return fmt.Sprintf("%slongs%v%s", field(n.Field), n.Values, boost(n.Boost))
	case *query.DoubleRange:
		return fmt.Sprintf("%sdouble(%v,%v,%v,%v)%s", field(n.Field), n.Lo, n.Hi, n.IncLo, n.IncHi, boost(n.Boost))
	case *query.DoubleSet:
		return fmt.Sprintf("%sdoubles%v%s", field(n.Field), n.Values, boost(n.Boost))
	case *query.FieldExists:
		return fmt.Sprintf("has(%s %s)%s", n.Field, n.Type, boost(n.Boost))
	case *query.FunctionScore:
		var parts []string
		for _, f := range n.Functions {
			one := fmt.Sprintf("%v", f.Weight)
			if f.Filter != nil {
				one += " if " + dump(f.Filter)
			}
			if f.Value != nil {
				one += fmt.Sprintf(" %s(%s*%v or %s)", f.Value.Modifier.Name(), f.Value.Field, f.Value.Factor, number(f.Value.Missing))
			}
			if f.Near != nil {
				one += fmt.Sprintf(" %s(%s %v %v scale %v offset %v decay %v %s)", f.Near.Shape.Name(), f.Near.Field, f.Near.Origin, f.Near.Place, f.Near.Scale, f.Near.Offset, f.Near.Decay, f.Near.Pick.Name())
			}
			parts = append(parts, one)
		}
		return fmt.Sprintf("score(%s by %s of [%s] under %v, least %s)%s", dump(n.Query), n.ScoreMode.Name(), strings.Join(parts, ", "), n.MaxBoost, number(n.MinScore), boost(n.Boost)) + n.BoostMode.Name()
	case *query.Functions:
		var parts []string
		for _, f := range n.List {
			one := fmt.Sprintf("%v", f.Weight)
			if f.Filter != nil {
				one += " if " + dump(f.Filter)
			}
			switch m := f.Of.(type) {
			case *query.ValueOf:
				one += fmt.Sprintf(" %s(%s:%s*%v or %s)", m.Modifier.Name(), m.Field, m.Type, m.Factor, number(m.Missing))
			case *query.Nearness:
				one += fmt.Sprintf(" near%+v", *m)
			}
			parts = append(parts, one)
		}
		return fmt.Sprintf("(%s %s by %s of [%s] under %v, to %v)", n.Boost.Name(), dump(n.Child), n.Mode.Name(), strings.Join(parts, ", "), n.MaxBoost, n.Limit)
	case *query.AtLeast:
		return fmt.Sprintf("%s>=%v", dump(n.Child), n.Score)
	case *query.Scaled:
		return fmt.Sprintf("%s*%v", dump(n.Child), n.Factor)
	case *query.FuzzyTerms:
		return fmt.Sprintf("%s%s~%d/%d/%d%s%s%s", field(n.Field), n.Word, n.Edits, n.Prefix, n.Most, map[bool]string{true: "exact"}[n.Exact], map[bool]string{false: "silent"}[n.Scores], boost(n.Boost))
	case *query.TermPattern:
		kind := map[query.PatternKind]string{query.PrefixPattern: "prefix", query.WildcardPattern: "wildcard", query.RegexpPattern: "regexp", query.CharacterPattern: "character"}[n.Kind]
		return fmt.Sprintf("%s%s%q%s%s%s", field(n.Field), kind, n.Text, map[bool]string{true: "exact"}[n.Exact], map[bool]string{true: "fold"}[n.Fold]+map[bool]string{true: "plain"}[n.Plain], boost(n.Boost))
	case *query.IDs:
		return fmt.Sprintf("ids%q%s", n.Values, boost(n.Boost))
	}
	return fmt.Sprintf("%T", n)
}
