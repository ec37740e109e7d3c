package coordinator

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

// mostReadings is how many phrases of a text with synonyms are shown.
const mostReadings = 64

// handleAnalyze shows what an analyzer makes of a text; nobody else is asked.
func (c *Coordinator) handleAnalyze(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, err := withReadBudget(ctx, msg, time.Second)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	body, err := wire.DecodeAnalyze(msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	analyzer, err := c.analyzerFor(ctx, collection, body)
	if err != nil {
		return answerTo{}, err
	}
	reply := &wire.AnalyzeResponse{Tokens: wire.AnalyzedTokens(analyzer.Analyze(nil, body.Text))}
	if steps, ok := analysis.Expand(analyzer, body.Text); ok && body.Search {
		phrases, ok := analysis.Phrases(steps, mostReadings)
		if !ok {
			return answerTo{}, fault.New(fault.LimitExceeded, "the text has more than %d readings by its synonyms", mostReadings)
		}
		for _, p := range phrases {
			reply.Readings = append(reply.Readings, wire.AnalyzedTokens(p))
		}
	}
	return answerTo{reply, 200}, nil
}

// analyzerFor gives the analyzer that a body asks for. The default collection need not be there for those that every collection has.
func (c *Coordinator) analyzerFor(ctx context.Context, collection string, body *wire.AnalyzeBody) (analysis.Analyzer, error) {
	if body.Definition != nil {
		return schema.ParseDefinition(body.Definition)
	}
	coll, err := c.collection(ctx, collection)
	if collection == defaultCollection && fault.CodeOf(err) == fault.NoCollection {
		coll, err = unborn()
	}
	if err != nil {
		return nil, err
	}
	if body.Field == "" {
		name := cmp.Or(body.Analyzer, "standard")
		if analyzer, known := coll.Schema.AnalyzerByName(name); known {
			return analyzer, nil
		}
		return nil, fault.New(fault.BadRequest, "unknown analyzer %s; there are %s", fault.Quote(name), strings.Join(coll.Schema.AnalyzerNames(), ", "))
	}
	f, known := coll.Schema.Lookup(body.Field)
	if !known || f.Type != schema.Text {
		return nil, fault.New(fault.BadField, "collection %s has no text field %s", collection, fault.Quote(body.Field))
	}
	choose := coll.Schema.IndexAnalyzer
	if body.Search {
		choose = coll.Schema.SearchAnalyzer
	}
	analyzer, known := choose(f)
	if !known {
		return nil, fault.New(fault.BadField, "field %s: its analyzer is not known", fault.Quote(f.Name))
	}
	return analyzer, nil
}
