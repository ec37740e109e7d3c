package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// String prints surface nodes in the query language. What [Parse] gave prints as text that Parse reads as the same tree (places aside, with the default operator OR). Nodes
// that the language cannot write, since they came from JSON, are printed for people alone.
func String(n Node) string {
	var b strings.Builder
	printNode(&b, n, true)
	return b.String()
}

// printNode prints one node. A list stands bare at the top only, else in parentheses.
func printNode(b *strings.Builder, n Node, top bool) {
	boost := 1.0
	if own := boostOf(n); own != nil {
		boost = *own
	}
	switch n := n.(type) {
	case *Bool:
		if top && boost == 1 {
			printClauses(b, n)
			return
		}
		b.WriteByte('(')
		printClauses(b, n)
		b.WriteByte(')')
	case *MatchAll:
		b.WriteByte('*')
	case *MatchNone:
		b.WriteString("(-*)")
	case *Word:
		printField(b, n.Field)
		printWord(b, n.Text, n.Field != "")
	case *Phrase:
		printField(b, n.Field)
		printQuoted(b, n.Text)
		if n.Slop > 0 {
			fmt.Fprintf(b, "~%d", n.Slop)
		}
	case *Range:
		printField(b, n.Field)
		printRange(b, n)
	case *Exists:
		b.WriteString(existsField + ":")
		printWord(b, n.Field, true)
	case *Prefix:
		printField(b, n.Field)
		printWord(b, n.Text, n.Field != "")
		b.WriteByte('*')
	case *Wildcard:
		printField(b, n.Field)
		printPattern(b, n.Pattern)
	case *Regexp:
		printField(b, n.Field)
		b.WriteByte('/')
		b.WriteString(strings.ReplaceAll(n.Pattern, "/", `\/`))
		b.WriteByte('/')
	case *Fuzzy:
		printField(b, n.Field)
		printWord(b, n.Text, n.Field != "")
		b.WriteString("~" + n.Fuzziness)
	default:
		fmt.Fprintf(b, "%s", describe(n))
	}
	if boost != 1 {
		b.WriteString("^" + strconv.FormatFloat(boost, 'f', -1, 64))
	}
}

func printClauses(b *strings.Builder, n *Bool) {
	separate := ""
	for _, list := range []struct {
		sign  string
		nodes []Node
	}{{"+", n.Must}, {"", n.Should}, {"-", n.MustNot}, {"#", n.Filter}} {
		for _, child := range list.nodes {
			b.WriteString(separate + list.sign)
			printNode(b, child, false)
			separate = " "
		}
	}
}

func printField(b *strings.Builder, field string) {
	if field != "" {
		printWord(b, field, false)
		b.WriteByte(':')
	}
}

// special are the characters that mean something inside a word.
const special = `()[]{}"^~*?:\`

// printWord prints a word so that it is read as it is. A word that could be taken for something else at the beginning of a clause has its first character escaped, but
// not behind a field, where fewer have a meaning.
func printWord(b *strings.Builder, text string, value bool) {
	if text == "" {
		b.WriteString(`""`)
		return
	}
	operator := slices.Contains([]string{"AND", "OR", "NOT"}, text)
	for i, r := range text {
		first := i == 0 && (strings.ContainsRune("+-!/<>", r) || operator || strings.HasPrefix(text, "&&") || strings.HasPrefix(text, "||"))
		if first && (!value || r == '/' || r == '<' || r == '>') || unicode.IsSpace(r) || strings.ContainsRune(special, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
}

// printPattern prints a wildcard pattern: * and ? have their meaning, unless a \ stands before them already.
func printPattern(b *strings.Builder, pattern string) {
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\' && i+1 < len(pattern):
			b.WriteString(pattern[i : i+2])
			i++
		case c == '*' || c == '?':
			b.WriteByte(c)
		default:
			end := i + 1
			for end < len(pattern) && strings.IndexByte(`\*?`, pattern[end]) < 0 {
				end++
			}
			printWord(b, pattern[i:end], i > 0)
			i = end - 1
		}
	}
}

func printQuoted(b *strings.Builder, text string) {
	b.WriteByte('"')
	b.WriteString(strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text))
	b.WriteByte('"')
}

func printRange(b *strings.Builder, n *Range) {
	end := func(v *Value) {
		switch {
		case v == nil:
			b.WriteByte('*')
		case v.Text != "" && v.Text != "TO" && !strings.ContainsFunc(v.Text, needsQuotes):
			b.WriteString(v.Text)
		default:
			printQuoted(b, v.Text)
		}
	}
	b.WriteByte(map[bool]byte{true: '[', false: '{'}[n.IncLo])
	end(n.Lo)
	b.WriteString(" TO ")
	end(n.Hi)
	b.WriteByte(map[bool]byte{true: ']', false: '}'}[n.IncHi])
}

// needsQuotes tells whether a character of an end of a range could be taken for something else.
func needsQuotes(r rune) bool {
	return !unicode.In(r, unicode.L, unicode.N) && !strings.ContainsRune("-+.:_", r)
}

// describe names a node of JSON.
func describe(n Node) string {
	kind := strings.TrimPrefix(fmt.Sprintf("%T", n), "*query.")
	switch n := n.(type) {
	case *DisMax:
		return kind + describeAll(n.Children)
	case *ConstantScore:
		return kind + describeAll([]Node{n.Child})
	case *FunctionScore:
		return kind + describeAll([]Node{n.Query})
	case *Match:
		return fmt.Sprintf("%s(%s, %q)", kind, n.Field, n.Value.Text)
	case *MultiMatch:
		return fmt.Sprintf("%s(%q)", kind, n.Value.Text)
	case *Term:
		return fmt.Sprintf("%s(%s, %q)", kind, n.Field, n.Value.Text)
	case *Terms:
		return fmt.Sprintf("%s(%s, %d values)", kind, n.Field, len(n.Values))
	case *Like:
		return fmt.Sprintf("%s(%q)", kind, n.ID)
	case *IDs:
		return fmt.Sprintf("%s(%d values)", kind, len(n.Values))
	}
	return kind
}

func describeAll(nodes []Node) string {
	parts := make([]string, len(nodes))
	for i, n := range nodes {
		parts[i] = String(n)
	}
	return "(" + strings.Join(parts, ", ") + ")"
}
