package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

func explainCommand() *cli.Command {
	flags := clientFlags(collectionFlag(), minScoreFlag(), &cli.BoolFlag{Name: "and", Usage: "words are joined by AND instead of OR"})
	return clientCommand("explain", "show every number that makes a document's score for a query", arguments{"ID QUERY", 2, many}, flags, explain)
}

func explain(c *cli.Context, link remote.Link) error {
	request := wire.ExplainBody{ID: c.Args().First(), Query: wire.NewSearch(strings.Join(c.Args().Tail(), " ")).Query, MinScore: minScore(c)}
	if c.Bool("and") {
		request.DefaultOperator = "and"
	}
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	call := remote.Call{Op: ops.Explain, Collection: c.String("collection"), Body: body}
	return show(c, link, call, func(w io.Writer, a *wire.ExplainResponse) error {
		_, err := io.WriteString(w, renderExplanation(a))
		return err
	})
}

// renderExplanation lays an explanation out, what a number is made of below it:
//
//	net/http.Get matches with 14.2035
//
//	14.2035  sum | clauses: …
//	  8.0012  fixed | name:get
func renderExplanation(a *wire.ExplainResponse) string {
	var b strings.Builder
	if a.Matched {
		fmt.Fprintf(&b, "%s matches with %s\n\n", layout.Plain(a.ID), shortest(a.Score))
	} else {
		fmt.Fprintf(&b, "%s does not match\n\n", layout.Plain(a.ID))
	}
	renderPart(&b, &a.Explanation, 0)
	return b.String()
}

func renderPart(b *strings.Builder, e *bm25.Explanation, depth int) {
	op := ""
	if e.Op != bm25.OpConstant {
		op = string(e.Op) + " | "
	}
	fmt.Fprintf(b, "%s%s  %s\n", strings.Repeat("  ", depth), shortest(e.Value), layout.Plain(op+e.Description))
	for i := range e.Details {
		renderPart(b, &e.Details[i], depth+1)
	}
}

// shortest writes a number with all its bits.
func shortest(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
