package showcase

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/subjects/wire"
)

// render prints a query and its answer:
//
//	"deadline exceeded"    a phrase
//	  12 found, exact, 1.8 ms from 3 groups
//	  1. 14.20  context.DeadlineExceeded  var
//	            DeadlineExceeded is the error returned by …
func render(w io.Writer, width int, q Query, a *wire.SearchResponse) error {
	var b strings.Builder
	head := q.Text
	if q.Filter != "" {
		head += "   filter " + q.Filter
	}
	if q.SortBy != "" {
		head += "   by " + q.SortBy
	}
	fmt.Fprintf(&b, "\n%s\n", layout.Cut(head+"   ("+q.About+")", width))
	fmt.Fprintf(&b, "  %s\n", layout.Cut(summary(a), width-2))
	for i, h := range a.Hits {
		var source Document
		if err := json.Unmarshal(h.Source, &source); err != nil {
			return fmt.Errorf("read hit %s: %w", h.ID, err)
		}
		fmt.Fprintf(&b, "  %d. %7s  %s\n", i+1, rankedBy(h), layout.Cut(strings.TrimSpace(layout.Plain(h.ID)+"  "+source.Kind), width-14))
		lines := []string{source.Signature, firstSentence(source.Doc)}
		if source.Kind == "package" {
			lines = lines[1:]
		}
		for _, line := range lines {
			if line = layout.Plain(line); line != "" {
				fmt.Fprintf(&b, "%14s%s\n", "", layout.Cut(line, width-14))
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary says how good the answer is.
func summary(a *wire.SearchResponse) string {
	total := fmt.Sprint(a.Total.Value)
	switch a.Total.Relation {
	case "gte":
		total = "at least " + total
	case "estimate":
		total = "about " + total
	}
	exact := "exact"
	if !a.Exact {
		exact = "not exact: " + a.ExactNote
	}
	return fmt.Sprintf("%s found, %s, %.1f ms from %d of %d groups", total, exact, a.TookMs, a.Shards.OK, a.Shards.Total)
}

// rankedBy is the score, or the first sort key where there is none.
func rankedBy(h wire.Hit) string {
	if h.Score != nil {
		return fmt.Sprintf("%.3f", *h.Score)
	}
	if len(h.Sort) > 0 && h.Sort[0] != nil {
		return layout.Plain(fmt.Sprint(h.Sort[0]))
	}
	return ""
}

// firstSentence is a comment's, in one line.
func firstSentence(comment string) string {
	if paragraph, _, ok := strings.Cut(comment, "\n\n"); ok {
		comment = paragraph
	}
	comment = strings.Join(strings.Fields(comment), " ")
	if i := strings.Index(comment, ". "); i >= 0 {
		comment = comment[:i+1]
	}
	return comment
}
