package highlight

import (
	"strings"
	"testing"
)

// show writes marked pieces in brackets.
func show(pieces []Piece) string {
	var b strings.Builder
	for _, p := range pieces {
		if p.Marked {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestMark(t *testing.T) {
	for _, c := range []struct{ q, field, text, want string }{
		{"go", "body", "Go, going, go.", "[Go], going, [go]."},
		{`"deadline exceeded" -leak`, "", "deadline leak EXCEEDED", "[deadline] leak [EXCEEDED]"},
		{"title:go", "title", "go go", "[go] [go]"},
		{"title:go", "body", "go go", "go go"},
		{"+a +(b c)", "", "x a b c", "x [a] [b] [c]"},
		{"n:[1 TO 3]", "", "1 2 3", "1 2 3"},
		{"((", "", "as it is", "as it is"},
		{"é", "", "É\x00<b>", "[É]\x00<b>"},
		{"go", "", "", ""},
	} {
		if got := show(New(c.q).Mark(c.field, c.text)); got != c.want {
			t.Errorf("%s in %q: %q, want %q", c.q, c.text, got, c.want)
		}
	}
}

func TestExcerptBeginsNearTheFirstMatch(t *testing.T) {
	text := strings.Repeat("word ", 100) + "needle " + strings.Repeat("more ", 100)
	pieces, marked := New("needle").Excerpt("", text, 60)
	got := show(pieces)
	if !marked || !strings.Contains(got, "[needle]") || !strings.HasPrefix(got, "… word") || !strings.HasSuffix(got, " …") || len(got) > 80 {
		t.Errorf("%t %q", marked, got)
	}
	if pieces, marked := New("absent").Excerpt("", text, 20); marked || show(pieces) != "word word word word …" && show(pieces) != "word word word …" {
		t.Errorf("%t %q", marked, show(pieces))
	}
}
