package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/coordinator/client/highlight"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

func searchCommand() *cli.Command {
	flags := clientFlags(collectionFlag(),
		&cli.StringSliceFlag{Name: "filter", Aliases: []string{"f"}, Usage: "`QUERY` that documents must match too, without changing scores; repeatable"},
		&cli.IntFlag{Name: "limit", Aliases: []string{"n"}, Value: 10, Usage: "show at most `NUMBER` hits"},
		&cli.IntFlag{Name: "from", Usage: "pass over the first `NUMBER`"},
		&cli.StringFlag{Name: "sort", Usage: "sort by `FIELD`, or score, or id; FIELD:desc turns it round"},
		&cli.StringFlag{Name: "fields", Usage: "`LIST` of fields to show (default: all)"},
		&cli.BoolFlag{Name: "and", Usage: "words are joined by AND instead of OR"},
		minScoreFlag(),
		&cli.BoolFlag{Name: "profile", Usage: "show where the time went: of phases, groups and clauses"},
		&cli.BoolFlag{Name: "count", Usage: "count exactly, however many there are"},
		&cli.BoolFlag{Name: "all", Usage: "write every hit of one snapshot, as JSON a line, however many there are"},
		&cli.BoolFlag{Name: "whole", Usage: "fail rather than answer without a group that is away"},
	)
	return clientCommand("search", "search, in Lucene's syntax: +must -not \"a phrase\" field:value year:[2000 TO 2010] title^2", arguments{"[QUERY]", 0, many}, flags, search)
}

func search(c *cli.Context, link remote.Link) error {
	q := strings.Join(c.Args().Slice(), " ")
	request, err := searchRequest(c, q)
	if err != nil {
		return err
	}
	if c.Bool("all") {
		return searchAll(c, link, request)
	}
	call, err := searchCall(c, request)
	if err != nil {
		return err
	}
	return show(c, link, call, func(w io.Writer, a *wire.SearchResponse) error {
		marks := [2]string{}
		if isTerminal(w) {
			marks = [2]string{"\x1b[1;33m", "\x1b[0m"}
		}
		text := renderSearch(a, highlight.New(q), request.From, terminalWidth(w), marks)
		if a.Profile != nil {
			text += renderProfile(a.Profile, terminalWidth(w))
		}
		_, err := io.WriteString(w, text)
		return err
	})
}

func searchCall(c *cli.Context, request *wire.SearchBody) (remote.Call, error) {
	body, err := json.Marshal(request)
	budget := time.Duration(request.TimeoutMs) * time.Millisecond
	return remote.Call{Op: ops.Search, Collection: c.String("collection"), Body: body, Budget: budget + time.Second}, err
}

// walkPage is how many hits a page of --all has.
const walkPage = 1000

// searchAll walks through all hits and writes each as a line of JSON.
func searchAll(c *cli.Context, link remote.Link, request *wire.SearchBody) error {
	if c.IsSet("limit") || c.IsSet("from") {
		return usageError{errors.New("--all writes every hit: --limit and --from do not go with it")}
	}
	if c.Bool("profile") {
		return usageError{errors.New("--all writes hits alone: --profile does not go with it")}
	}
	budget := request.TimeoutMs
	for request.Cursor, request.Limit = wire.CursorStart, walkPage; request.Cursor != ""; {
		call, err := searchCall(c, request)
		if err != nil {
			return err
		}
		answer, err := ask(c, link, call)
		if err != nil {
			return err
		}
		page, err := remote.Decode[wire.SearchResponse](answer)
		if err != nil {
			return err
		}
		for i := range page.Hits {
			if err := printValue(c.App.Writer, &page.Hits[i]); err != nil {
				return err
			}
		}
		*request = wire.SearchBody{Cursor: page.Cursor, TimeoutMs: budget}
	}
	return nil
}

// commandBudget is a search's when the flag does not say: people would rather wait than have a part.
const commandBudget = 5 * time.Second

func searchRequest(c *cli.Context, q string) (*wire.SearchBody, error) {
	if q == "" {
		q = "*"
	}
	s := wire.NewSearch(q)
	s.Limit, s.From, s.TimeoutMs = c.Int("limit"), c.Int("from"), commandBudget.Milliseconds()
	if d := c.Duration("timeout"); d > 0 {
		s.TimeoutMs = max(1, d.Milliseconds())
	}
	if s.Limit < 0 || s.From < 0 || s.From+s.Limit > wire.MaxPage {
		return nil, usageError{fmt.Errorf("--from %d and --limit %d: together 0 to %d", s.From, s.Limit, wire.MaxPage)}
	}
	for _, f := range c.StringSlice("filter") {
		s.Filters = append(s.Filters, wire.NewSearch(f).Query)
	}
	if key := c.String("sort"); key != "" {
		field, order, _ := strings.Cut(key, ":")
		if field == "score" || field == "id" {
			field = "_" + field
		}
		if order != "" && order != "asc" && order != "desc" {
			return nil, usageError{fmt.Errorf("--sort %q: want FIELD, FIELD:asc or FIELD:desc", key)}
		}
		s.Sort = []query.SortSpec{{Field: field, Order: order}}
		s.TrackScores = true
	}
	if c.IsSet("fields") {
		s.Fields = strings.Split(c.String("fields"), ",")
	}
	if c.Bool("and") {
		s.DefaultOperator = "and"
	}
	s.MinScore, s.Profile = minScore(c), c.Bool("profile")
	if c.Bool("count") {
		s.TrackTotal = wire.TrackExact
	}
	if c.Bool("whole") {
		s.Partial = "fail"
	}
	return s, nil
}

// minScoreFlag leaves out what scores little.
func minScoreFlag() cli.Flag {
	return &cli.Float64Flag{Name: "min-score", Usage: "only what scores `NUMBER` or more matches (default: everything)", DefaultText: "none"}
}

// minScore gives what the flag says; nil: nothing.
func minScore(c *cli.Context) *float64 {
	if !c.IsSet("min-score") {
		return nil
	}
	least := c.Float64("min-score")
	return &least
}

// fieldBytes is about how much of a long text is shown, from its first match on.
const fieldBytes = 240

// renderSearch lays an answer out:
//
//	12 found, exact, 1.8 ms from 3 of 3 groups
//
//	 1.  14.2035  net/http.Get
//	     doc       Get issues a GET to the specified URL …
func renderSearch(a *wire.SearchResponse, h *highlight.Highlighter, from, width int, marks [2]string) string {
	var b strings.Builder
	b.WriteString(layout.Plain(summary(a)) + "\n")
	for i, hit := range a.Hits {
		score := "-"
		if hit.Score != nil {
			score = fmt.Sprintf("%.4f", *hit.Score)
		}
		fmt.Fprintf(&b, "\n%3d. %8s  %s%s\n", from+i+1, score, layout.Cut(layout.Plain(hit.ID), width-16), sortValues(hit.Sort))
		fields := fieldsOf(hit.Source)
		longest := 0
		for _, f := range fields {
			longest = min(max(longest, len([]rune(f.name))), 20)
		}
		for _, f := range fields {
			if f.name == "id" {
				continue // it stands above
			}
			fmt.Fprintf(&b, "%5s%-*s  %s\n", "", longest, layout.Cut(f.name, 20), marked(h, f, width-longest-7, marks))
		}
	}
	return b.String()
}

// summary says how good an answer is.
func summary(a *wire.SearchResponse) string {
	total := map[string]string{"gte": "at least ", "estimate": "about "}[a.Total.Relation] + fmt.Sprint(a.Total.Value) + " found"
	exact := "exact"
	if !a.Exact {
		exact = "not exact: " + a.ExactNote
	}
	text := fmt.Sprintf("%s, %s, %.1f ms from %d of %d groups", total, exact, a.TookMs, a.Shards.OK, a.Shards.Total)
	if a.Partial {
		text += ", PARTIAL: without " + strings.Join(a.Shards.FailedGroups, ", ")
	}
	return text
}

// sortValues shows what ordered a hit, its id left out.
func sortValues(keys []any) string {
	var words []string
	for _, k := range keys[:max(len(keys)-1, 0)] {
		word := "nothing"
		if k != nil {
			word = layout.Plain(fmt.Sprint(k))
		}
		words = append(words, word)
	}
	if len(words) == 0 {
		return ""
	}
	return "  by " + strings.Join(words, ", ")
}

// field is one of a document, as text.
type field struct{ name, text string }

// fieldsOf gives the fields of a document in the order in which they were sent; what is no string stands as JSON.
func fieldsOf(source json.RawMessage) []field {
	d := json.NewDecoder(bytes.NewReader(source))
	d.UseNumber()
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}
	var all []field
	for d.More() {
		name, err := d.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if d.Decode(&value) != nil {
			break
		}
		var text string
		if json.Unmarshal(value, &text) != nil {
			text = string(value)
		}
		all = append(all, field{layout.Plain(fmt.Sprint(name)), text})
	}
	return all
}

// marked is about a line of a field's text with the words of the query between marks.
func marked(h *highlight.Highlighter, f field, width int, marks [2]string) string {
	pieces, _ := h.Excerpt(f.name, layout.Plain(f.text), min(max(width, 20), fieldBytes))
	var b strings.Builder
	for _, p := range pieces {
		if p.Marked {
			b.WriteString(marks[0] + p.Text + marks[1])
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
