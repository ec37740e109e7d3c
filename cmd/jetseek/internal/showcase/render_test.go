package showcase

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/wire"
)

func TestRender(t *testing.T) {
	score := 14.2035
	answer := &wire.SearchResponse{
		TookMs: 1.84, Total: wire.Total{Value: 12, Relation: "eq"}, Exact: true, Shards: wire.Shards{Total: 3, OK: 3},
		Hits: []wire.Hit{
			{ID: "context.DeadlineExceeded", Score: &score, Source: []byte(`{"kind":"var","signature":"var DeadlineExceeded error =\n\tdeadlineExceededError{}",
				"doc":"DeadlineExceeded is the error\nreturned. Not more.\n\nNor this."}`)},
			{ID: "fmt", Sort: []any{2532, "fmt"}, Source: []byte(`{"kind":"package","signature":"package fmt","doc":"Package fmt prints."}`)},
			{ID: "x.\x1b[31mY\u202e", Sort: []any{nil}, Source: []byte(`{}`)},
		},
	}
	want := `
deadline   filter kind:var   by words   (about)
  12 found, exact, 1.8 ms from 3 of 3 groups
  1.  14.204  context.DeadlineExceeded  var
              var DeadlineExceeded error = deadlineExceededError{}
              DeadlineExceeded is the error returned.
  2.    2532  fmt  package
              Package fmt prints.
  3.          x. [31mY
`
	var b strings.Builder
	if err := render(&b, 80, Query{About: "about", Text: "deadline", Filter: "kind:var", SortBy: "words"}, answer); err != nil {
		t.Fatal(err)
	}
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
	b.Reset()
	if err := render(&b, 30, Query{Text: strings.Repeat("é", 100)}, answer); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 30 {
			t.Errorf("%d characters: %s", n, line)
		}
	}
}

func TestSummary(t *testing.T) {
	for want, a := range map[string]wire.SearchResponse{
		"at least 10000 found, exact, 2.0 ms from 3 of 3 groups":             {TookMs: 2, Total: wire.Total{Value: 10000, Relation: "gte"}, Exact: true, Shards: wire.Shards{Total: 3, OK: 3}},
		"about 7 found, not exact: g1 is missing, 0.5 ms from 2 of 3 groups": {TookMs: 0.5, Total: wire.Total{Value: 7, Relation: "estimate"}, ExactNote: "g1 is missing", Shards: wire.Shards{Total: 3, OK: 2}},
	} {
		if got := summary(&a); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
