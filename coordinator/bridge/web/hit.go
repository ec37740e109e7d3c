package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/jetseek/jetseek/coordinator/client/highlight"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// excerptBytes is about how much of a document's longest text is shown, factBytes how long a value may be to stand among the facts, mostFacts how many.
	excerptBytes = 360
	factBytes    = 80
	mostFacts    = 8
	// sourceBytes is how much of a source is shown on the page; the link beside it leads to the whole.
	sourceBytes = 32 << 10
)

// hitView is one hit as the page shows it.
type hitView struct {
	Place   int // from 1, over all pages
	ID      string
	Link    string // to the document as JSON
	Title   []highlight.Piece
	Score   *float64
	Sort    []string // the values that ordered it, its id left out
	Excerpt []highlight.Piece
	Facts   []fact
	Source  []highlight.Piece
	Cut     bool // the source goes on
}

// fact is a short value of a document.
type fact struct {
	Name  string
	Value []highlight.Piece
}

// member is one field of a source, in the order in which it was sent.
type member struct {
	name string
	text string // of a string or a list of strings: the text; of anything else: its JSON
	said bool   // it is text
}

func viewHit(h *highlight.Highlighter, collection string, place int, hit wire.Hit) hitView {
	v := hitView{Place: place, ID: hit.ID, Score: hit.Score, Link: "/collections/" + url.PathEscape(collection) + "/doc?id=" + url.QueryEscape(hit.ID)}
	for _, key := range hit.Sort[:max(len(hit.Sort)-1, 0)] {
		if text := sortText(key); text != hit.ID {
			v.Sort = append(v.Sort, text)
		}
	}
	members := readMembers(hit.Source)
	members = v.takeTitle(h, members)
	members = v.takeExcerpt(h, members)
	for _, m := range members {
		if len(m.text) <= factBytes && m.text != "" && len(v.Facts) < mostFacts && m.name != "id" {
			v.Facts = append(v.Facts, fact{Name: m.name, Value: h.Mark(m.name, m.text)})
		}
	}
	var indented bytes.Buffer
	if json.Indent(&indented, hit.Source, "", "  ") == nil {
		shown, rest := highlight.Cut(plainJSON(indented.String()), sourceBytes)
		v.Source, v.Cut = h.Mark("", shown), rest != ""
	}
	return v
}

// plainJSON writes the characters of a JSON text that would turn its direction as JSON's escapes.
func plainJSON(text string) string {
	if !strings.ContainsFunc(text, isBidiControl) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isBidiControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func isBidiControl(r rune) bool { return unicode.Is(unicode.Bidi_Control, r) }

// takeTitle chooses the field that names the document; without one that is its id.
func (v *hitView) takeTitle(h *highlight.Highlighter, members []member) []member {
	for _, name := range []string{"title", "name", "headline", "subject", "label"} {
		i := slices.IndexFunc(members, func(m member) bool { return m.name == name && m.said && strings.TrimSpace(m.text) != "" })
		if i >= 0 {
			v.Title, _ = h.Excerpt(name, members[i].text, excerptBytes/2)
			return slices.Delete(members, i, i+1)
		}
	}
	v.Title = h.Mark("id", v.ID)
	return members
}

// takeExcerpt chooses the text to show a part of: the first in which a word is marked, else the longest.
func (v *hitView) takeExcerpt(h *highlight.Highlighter, members []member) []member {
	best := -1
	for i, m := range members {
		if !m.said || len(m.text) <= factBytes/2 {
			continue
		}
		pieces, marked := h.Excerpt(m.name, m.text, excerptBytes)
		if best < 0 || marked || len(m.text) > len(members[best].text) {
			best, v.Excerpt = i, pieces
		}
		if marked {
			break
		}
	}
	if best < 0 {
		return members
	}
	return slices.Delete(members, best, best+1)
}

// readMembers reads the fields of a source in their order. A source that is no object has none.
func readMembers(source []byte) []member {
	d := json.NewDecoder(bytes.NewReader(source))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var members []member
	for d.More() {
		name, err := d.Token()
		var raw json.RawMessage
		if err != nil || d.Decode(&raw) != nil {
			return members
		}
		m := member{name: name.(string)}
		m.text, m.said = textOf(raw)
		members = append(members, m)
	}
	return members
}

// textOf gives a value as text; said tells that it is one, and not numbers or structure.
func textOf(raw json.RawMessage) (text string, said bool) {
	var one string
	if json.Unmarshal(raw, &one) == nil && raw[0] == '"' {
		return one, true
	}
	var many []string
	if json.Unmarshal(raw, &many) == nil && raw[0] == '[' {
		return strings.Join(many, ", "), true
	}
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw), false
	}
	return compact.String(), false
}

// sortText gives the value of a sort key: a string as it is, anything else as its JSON.
func sortText(key any) string {
	if s, ok := key.(string); ok {
		return s
	}
	return number(key)
}
