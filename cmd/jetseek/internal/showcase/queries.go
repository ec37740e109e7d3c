package showcase

import (
	"context"
	"fmt"
	"io"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Query is one query that the demo asks, with what it shows.
type Query struct {
	About  string
	Text   string
	Filter string // "": none
	SortBy string // a field, descending; "": by score
}

// Queries are the ones that the demo asks, from plain words to what the language can do.
func Queries() []Query {
	return []Query{
		{About: "plain words", Text: "read a whole file into memory"},
		{About: "a phrase", Text: `"deadline exceeded"`},
		{About: "must, may and must not", Text: "+http +client timeout -server"},
		{About: "a field and a filter", Text: "name:json AND decode", Filter: "kind:func OR kind:method"},
		{About: "a range: what Go 1.22 and later brought to iterate over", Text: "iterator AND since:>=22"},
		{About: "sorted by a field: the longest package comments", Text: "kind:package", SortBy: "words"},
	}
}

// request is the query as it is sent: three hits, the total exact.
func (q Query) request() *wire.SearchBody {
	s := wire.NewSearch(q.Text)
	s.Limit = 3
	s.TrackTotal = wire.TrackExact
	s.Fields = []string{"kind", "signature", "doc"}
	s.TimeoutMs = 10_000 // a demo on a busy machine answers late rather than in part
	if q.Filter != "" {
		s.Filters = append(s.Filters, wire.NewSearch(q.Filter).Query)
	}
	if q.SortBy != "" {
		s.Sort = []query.SortSpec{{Field: q.SortBy, Order: "desc"}}
	}
	return s
}

// Show asks all queries and prints their answers, in lines of at most width characters.
func Show(ctx context.Context, c *client.Client, w io.Writer, width int) error {
	for _, q := range Queries() {
		answer, err := c.Search(ctx, Collection, q.request())
		if err != nil {
			return fmt.Errorf("search %s: %w", q.Text, err)
		}
		if err := render(w, width, q, answer); err != nil {
			return err
		}
	}
	return nil
}
