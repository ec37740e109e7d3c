package query

import (
	"fmt"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
)

// Label names a resolved node in a few words, for people; what is long is counted instead.
func Label(n Node) string {
	switch n := n.(type) {
	case *MatchAll:
		return "every document"
	case *MatchNone:
		return "nothing"
	case *Bool:
		return fmt.Sprintf("clauses: %d must, %d should of which %d at least, %d must not, %d filter", len(n.Must), len(n.Should), n.MinShould, len(n.MustNot), len(n.Filter))
	case *DisMax:
		return fmt.Sprintf("the best of %d clauses", len(n.Children))
	case *ConstantScore:
		return "constant for " + Label(n.Child)
	case *Scaled:
		return Label(n.Child) + ", near"
	case *Functions:
		return fmt.Sprintf("%s, scored by %d functions", Label(n.Child), len(n.List))
	case *TextTerm:
		return n.Field + ":" + n.Term
	case *TextPhrase:
		label := n.Field + `:"` + strings.Join(n.Terms, " ") + `"`
		if n.Prefix {
			label += "*"
		}
		if n.CutFirst {
			label += ", the first the end of a pair"
		}
		if n.CutLast {
			label += ", the last the beginning of a pair"
		}
		if n.Slop > 0 {
			label += fmt.Sprintf("~%d", n.Slop)
		}
		return label
	case *KeywordSet:
		if len(n.Values) == 1 {
			return n.Field + ":" + n.Values[0]
		}
		return fmt.Sprintf("%s: one of %d values", n.Field, len(n.Values))
	case *KeywordRange:
		return n.Field + ": a range of values"
	case *LongRange:
		return fmt.Sprintf("%s:[%d TO %d]", n.Field, n.Lo, n.Hi)
	case *LongSet:
		return fmt.Sprintf("%s: one of %d values", n.Field, len(n.Values))
	case *DoubleRange:
		return fmt.Sprintf("%s: from %g to %g", n.Field, n.Lo, n.Hi)
	case *DoubleSet:
		return fmt.Sprintf("%s: one of %d values", n.Field, len(n.Values))
	case *FieldExists:
		return "has the field " + n.Field
	case *TermPattern:
		if n.Kind == CharacterPattern {
			return fmt.Sprintf("%s: terms that begin or end with %s", n.Field, fault.Quote(n.Text))
		}
		return fmt.Sprintf("%s: terms like %s", n.Field, fault.Quote(n.Text))
	case *AtLeast:
		return fmt.Sprintf("%s, with a score of at least %g", Label(n.Child), n.Score)
	case *Near:
		return fmt.Sprintf("%s: within %g m of %g, %g", n.Field, n.Metres, n.Point.Lat, n.Point.Lon)
	case *IDs:
		return fmt.Sprintf("one of %d ids", len(n.Values))
	}
	return fmt.Sprintf("%T", n)
}

// ConstantBoost gives the boost of a resolved node that scores it whatever the document; false for text leaves and for nodes that combine others.
func ConstantBoost(n Node) (float64, bool) {
	boost, leaf := leafOf(n)
	if boost == nil || leaf != nil {
		return 0, false
	}
	return *boost, true
}
