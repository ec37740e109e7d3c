package analysis

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// newCharFilter makes a char filter of its definition.
func newCharFilter(f CharFilter) (charFilter, error) {
	switch f.Type {
	case HTMLStrip:
		return stripHTML, nil
	case Mapping:
		return newMapping(f.Mappings)
	}
	return nil, fmt.Errorf("type: there are %s, not %q", strings.Join(CharFilterTypes(), ", "), f.Type)
}

// mappings are the strings that are replaced, by their first byte, the longest first.
type mappings [256][]mapped

type mapped struct{ from, to string }

func newMapping(list []string) (charFilter, error) {
	if err := checkEntries("mappings", list); err != nil {
		return nil, err
	}
	m := &mappings{}
	for i, entry := range list {
		from, to, found := strings.Cut(entry, "=>")
		if from, to = strings.TrimSpace(from), strings.TrimSpace(to); !found || from == "" {
			return nil, fmt.Errorf(`mappings[%d]: a mapping is "from => to", not %q`, i, entry)
		}
		row := &m[from[0]]
		if slices.ContainsFunc(*row, func(other mapped) bool { return other.from == from }) {
			return nil, fmt.Errorf("mappings[%d]: %q is mapped twice", i, from)
		}
		*row = append(*row, mapped{from, to})
	}
	for i := range m {
		slices.SortStableFunc(m[i], func(a, b mapped) int { return len(b.from) - len(a.from) })
	}
	return m.apply, nil
}

func (m *mappings) apply(text string) (string, edits) {
	w := rewriter{text: text}
	for i := 0; i < len(text); {
		n := 0
		for _, entry := range m[text[i]] {
			if strings.HasPrefix(text[i:], entry.from) {
				w.keep(i - w.done)
				w.replace(len(entry.from), entry.to)
				n = len(entry.from)
				break
			}
		}
		i += max(n, 1)
	}
	return w.result()
}

// stripHTML takes markup away. Where a block begins or ends a line does, so that its words stay apart; tags inside a line leave nothing.
func stripHTML(text string) (string, edits) {
	if !strings.ContainsAny(text, "<&") {
		return text, nil
	}
	w := rewriter{text: text}
	hidden := false // inside a script or style
	for z := html.NewTokenizer(strings.NewReader(text)); ; {
		kind := z.Next()
		n := min(len(z.Raw()), len(text)-w.done)
		switch kind {
		case html.ErrorToken:
			return w.result()
		case html.TextToken:
			if hidden {
				w.replace(n, "")
			} else {
				w.unescape(n)
			}
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			name, _ := z.TagName()
			tag := atom.Lookup(name)
			hidden = kind == html.StartTagToken && (tag == atom.Script || tag == atom.Style)
			by := ""
			if isBlock(tag) {
				by = "\n"
			}
			w.replace(n, by)
		default:
			w.replace(n, "")
		}
	}
}

// unescape takes n bytes of text and writes the characters that its entities stand for.
func (w *rewriter) unescape(n int) {
	for end := w.done + n; w.done < end; {
		ampersand := strings.IndexByte(w.text[w.done:end], '&')
		if ampersand < 0 {
			w.keep(end - w.done)
			return
		}
		w.keep(ampersand)
		entity := w.text[w.done : w.done+entityLen(w.text[w.done:end])]
		if by := html.UnescapeString(entity); by != entity {
			w.replace(len(entity), by)
		} else {
			w.keep(len(entity))
		}
	}
}

// entityLen gives how much of a text that begins with & may be an entity.
func entityLen(text string) int {
	const longest = 33 // &CounterClockwiseContourIntegral;
	for i := 1; i < min(len(text), longest); i++ {
		c := text[i]
		switch {
		case c == ';':
			return i + 1
		case c != '#' && !isASCIILetter(c) && !isASCIIDigit(c):
			return i
		}
	}
	return min(len(text), longest)
}

// isBlock tells whether a tag ends a line.
func isBlock(tag atom.Atom) bool {
	switch tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Br, atom.Caption, atom.Dd, atom.Details, atom.Div, atom.Dl, atom.Dt, atom.Fieldset,
		atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hr, atom.Html,
		atom.Legend, atom.Li, atom.Main, atom.Nav, atom.Ol, atom.Option, atom.P, atom.Pre, atom.Script, atom.Section, atom.Select, atom.Style, atom.Summary,
		atom.Table, atom.Tbody, atom.Td, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr, atom.Ul:
		return true
	}
	return false
}
