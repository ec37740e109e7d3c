package layout

import "testing"

func TestTable(t *testing.T) {
	table := Table{Head: []string{"name", "n"}, Right: []bool{false, true}}
	table.Add("é", "7")
	table.Add("a\x1b[31m\nb\u202e", "1234")
	want := "name         n\né            7\na [31m b  1234\n"
	if got := table.String(); got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		s     string
		width int
		want  string
	}{{"éééé", 4, "éééé"}, {"éééé", 3, "éé…"}, {"abc", 0, "a…"}, {"", 0, ""}} {
		if got := Cut(c.s, c.width); got != c.want {
			t.Errorf("%q to %d: %q, want %q", c.s, c.width, got, c.want)
		}
	}
}
