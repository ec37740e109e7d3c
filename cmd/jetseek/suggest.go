package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

func suggestCommand() *cli.Command {
	flags := clientFlags(collectionFlag(),
		&cli.StringFlag{Name: "field", Required: true, Usage: "`NAME` of the text or keyword field whose terms are suggested"},
		&cli.IntFlag{Name: "size", Aliases: []string{"n"}, Usage: "show at most `NUMBER` terms, of a text for each word (default: 10, of a text 5)"},
		&cli.BoolFlag{Name: "correct", Usage: "correct the words of a text instead of completing a prefix"},
		&cli.BoolFlag{Name: "always", Usage: "with --correct: show what is near words that documents hold, too"},
		&cli.IntFlag{Name: "edits", Usage: "with --correct: terms at most `NUMBER` edits away, 1 or 2 (default: 1 for words up to 5 characters, else 2)"},
	)
	return clientCommand("suggest", "complete a prefix with the terms that most documents hold, or correct the words of a text", arguments{"[PREFIX | TEXT]", 0, many}, flags, suggest)
}

func suggest(c *cli.Context, link remote.Link) error {
	typed := strings.Join(c.Args().Slice(), " ")
	request := wire.SuggestBody{Field: c.String("field"), Size: c.Int("size"), Always: c.Bool("always"), MaxEdits: c.Int("edits"), TimeoutMs: commandBudget.Milliseconds()}
	if d := c.Duration("timeout"); d > 0 {
		request.TimeoutMs = max(1, d.Milliseconds())
	}
	if c.Bool("correct") {
		request.Text = &typed
	} else {
		request.Prefix = &typed
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	budget := time.Duration(request.TimeoutMs) * time.Millisecond
	call := remote.Call{Op: ops.Suggest, Collection: c.String("collection"), Body: body, Budget: budget + time.Second}
	return show(c, link, call, func(w io.Writer, a *wire.SuggestResponse) error {
		_, err := io.WriteString(w, renderSuggestions(a))
		return err
	})
}

// renderSuggestions lays an answer out: completions with the documents that hold them,
//
//	12  emma
//	 1  embers
//
// or the corrected text, and what each word may have been meant to be with its edits and documents:
//
//	emma and dune
//
//	ema   emma (1 edit, 12 documents), era (1 edit, 3 documents)
//	dnue  dune (1 edit, 7 documents)
func renderSuggestions(a *wire.SuggestResponse) string {
	var b strings.Builder
	for _, t := range a.Completions {
		fmt.Fprintf(&b, "%8d  %s\n", t.DF, layout.Plain(t.Term))
	}
	if a.Corrected != nil {
		b.WriteString(layout.Plain(*a.Corrected) + "\n")
	}
	longest, separator := 0, "\n"
	for _, w := range a.Words {
		longest = max(longest, len([]rune(layout.Plain(w.Word))))
	}
	for _, w := range a.Words {
		if len(w.Suggestions) == 0 {
			continue
		}
		var near []string
		for _, s := range w.Suggestions {
			near = append(near, fmt.Sprintf("%s (%s, %s)", layout.Plain(s.Term), counted(uint64(s.Edits), "edit"), counted(s.DF, "document")))
		}
		fmt.Fprintf(&b, "%s%-*s  %s\n", separator, longest, layout.Plain(w.Word), strings.Join(near, ", "))
		separator = ""
	}
	if a.Partial {
		b.WriteString("PARTIAL: without " + layout.Plain(strings.Join(a.Shards.FailedGroups, ", ")) + "\n")
	}
	return b.String()
}

// counted is a number of things in words.
func counted(n uint64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
