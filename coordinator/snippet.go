package coordinator

import (
	"context"
	"fmt"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/snippet"
)

// cutSnippets cuts the snippets of the page's documents, from the sources that were fetched: those of the snapshots that the hits are from. It is done here and not by members because the
// sources come here anyway, and the query is known here with the terms that all groups agreed on.
func (a *answered) cutSnippets(ctx context.Context) error {
	p := a.plan
	if p.body.Snippet == nil || len(a.sources) == 0 {
		return nil
	}
	cutter, err := snippet.New(p.coll.Schema, p.query, p.body.Snippet)
	if err != nil {
		return err
	}
	a.snippets = make(map[string]map[string][]string, len(a.sources))
	for i := range a.page.Page {
		id := a.page.Page[i].ID
		doc, found := a.sources[id]
		if !found {
			continue
		}
		if a.snippets[id], err = cutter.Cut(ctx, doc.Source); err != nil {
			return fmt.Errorf("snippets of %s: %w", fault.Quote(id), err)
		}
	}
	return nil
}
