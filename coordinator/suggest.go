package coordinator

import (
	"context"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/wire"
)

func (c *Coordinator) handleSuggest(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
	ctx, cancel, err := withCallersBudget(ctx, msg)
	if err != nil {
		return answerTo{}, err
	}
	defer cancel()
	body, err := wire.DecodeSuggest(msg.Data)
	if err != nil {
		return answerTo{}, err
	}
	began := time.Now()
	reply, err := c.suggest(ctx, collection, body)
	if err != nil {
		return answerTo{}, err
	}
	reply.TookMs = milliseconds(time.Since(began))
	return answerTo{reply, 200}, nil
}

// suggest completes a prefix or corrects a text. Like a search it begins again when the map has changed.
func (c *Coordinator) suggest(ctx context.Context, name string, body *wire.SuggestBody) (*wire.SuggestResponse, error) {
	search := body.Search()
	ctx, cancel := context.WithTimeout(ctx, timeout(search))
	defer cancel()
	for round := 1; ; round++ {
		coll, err := c.collection(ctx, name)
		if err != nil {
			return nil, err
		}
		field, known := coll.Schema.Lookup(body.Field)
		if !known {
			return nil, fault.New(fault.BadField, "collection %s has no field %s", name, fault.Quote(body.Field))
		}
		out := &answered{plan: &plan{coll: coll, body: search}}
		if err := c.openParts(out); err != nil {
			return nil, err
		}
		ask := c.completePrefix
		if body.Text != nil {
			ask = c.correctText
		}
		reply, err := ask(ctx, out, body, field)
		if err == nil {
			err = out.coverSuggestion(reply)
		}
		if !out.again || round == mostRounds || ctx.Err() != nil {
			return reply, err
		}
		if out.stale {
			if err := c.refresh(ctx, name); err != nil {
				return nil, err
			}
		}
	}
}

// openParts begins a round with all groups of the map.
func (c *Coordinator) openParts(out *answered) error {
	m := c.view.View().Map
	if m == nil {
		return unavailable(reasonNoMap, "no collection was created yet")
	}
	if err := out.plan.checkMinSeq(m); err != nil {
		return err
	}
	for _, g := range m.Groups {
		out.parts = append(out.parts, &part{group: g})
	}
	out.shares = c.shares(m)
	return nil
}

// coverSuggestion tells which groups have answered.
func (a *answered) coverSuggestion(r *wire.SuggestResponse) error {
	s := &wire.SearchResponse{Shards: wire.Shards{Total: len(a.parts), FailedGroups: []string{}, Retried: a.retried}, Coverage: wire.Coverage{Seq: map[string]uint64{}}}
	if err := a.cover(s); err != nil {
		return err
	}
	r.Partial, r.Shards, r.Coverage = s.Partial, s.Shards, s.Coverage
	r.Exact, r.ExactNote = a.exact()
	return nil
}

// fewCompletions is how many terms a group tells at first. Word frequencies fall so fast that these mostly prove which are the first ten; where they do not, ten times as many are asked for.
const fewCompletions = 1000

// completePrefix asks every group for its most frequent terms under the prefix, for more until what they tell proves which are the most frequent of all. Every trip stands for itself, and
// the last one's snapshots are those of the answer.
func (c *Coordinator) completePrefix(ctx context.Context, out *answered, body *wire.SuggestBody, field *schema.Field) (*wire.SuggestResponse, error) {
	q, err := query.ResolveCompletion(*body.Prefix, field, out.plan.coll.Schema)
	if err != nil {
		return nil, err
	}
	for q.Most = max(fewCompletions, body.Size); ; q.Most = min(10*q.Most, query.MaxCompletions) {
		top, proven := query.AgreeCompletions(c.gatherCompletions(ctx, out, q), body.Size)
		if !proven && q.Most == query.MaxCompletions {
			return nil, fault.New(fault.LimitExceeded, "more than %d terms of %s begin with %s, too many to tell which of them most documents hold: ask for a longer prefix, or a smaller size",
				query.MaxCompletions, fault.Quote(body.Field), fault.Quote(*body.Prefix))
		}
		if proven {
			r := &wire.SuggestResponse{Completions: make([]wire.Completion, len(top))}
			for i, t := range top {
				r.Completions[i] = wire.Completion(t)
			}
			return r, nil
		}
	}
}

// gatherCompletions asks all groups that have not failed yet.
func (c *Coordinator) gatherCompletions(ctx context.Context, out *answered, q *query.CompletionQuestion) []query.Completions {
	found := make([]query.Completions, len(out.parts))
	c.gatherFrom(ctx, out, wire.OpComplete,
		func(h wire.Head) []byte {
			return wire.AppendCompleteRequest(nil, &wire.CompleteRequest{Head: h, Question: *q})
		},
		func(i int, data []byte) *wire.Error {
			reply, err := decodeReply(data, wire.DecodeCompleteReply, func(r *wire.CompleteReply) *wire.Frame { return &r.Frame })
			if err == nil {
				out.parts[i].seq, found[i] = reply.Seq, reply.Completions
			}
			return err
		})
	var answers []query.Completions
	for i, part := range out.parts {
		if part.err == nil {
			answers = append(answers, found[i])
		}
	}
	return answers
}

// gatherFrom asks all groups that have not failed yet the same question; accept gets the place of the group whose answer it is.
func (c *Coordinator) gatherFrom(ctx context.Context, out *answered, op string, encode func(wire.Head) []byte, accept func(i int, data []byte) *wire.Error) {
	ctx, cancel := withShare(ctx, searchShare)
	defer cancel()
	t := &trip{op: op}
	var asked []*part
	for i, part := range out.parts {
		if part.err != nil {
			continue
		}
		asked = append(asked, part)
		t.targets = append(t.targets, &target{
			group: part.group.Name, head: out.plan.head(part.group), members: c.membersOf(part.group.Name, out.plan.body.MinSeq[part.group.Name]),
			encode: encode, accept: func(data []byte) *wire.Error { return accept(i, data) },
		})
	}
	if len(asked) == 0 {
		return
	}
	out.retried += c.scatter(ctx, t)
	for i, part := range asked {
		part.err, part.node = t.targets[i].err, t.targets[i].node
		out.note(part.err)
	}
}

// correctText asks every group for the terms near each word of the text.
func (c *Coordinator) correctText(ctx context.Context, out *answered, body *wire.SuggestBody, field *schema.Field) (*wire.SuggestResponse, error) {
	words, err := wordsOf(*body.Text, field, out.plan.coll.Schema)
	if err != nil {
		return nil, err
	}
	places := map[string]int{} // of a word's question
	var questions []query.FuzzyQuestion
	for _, w := range words {
		if _, known := places[w.Word]; known {
			continue
		}
		if q, ok := query.ResolveCorrection(w.Word, body.MaxEdits, field); ok {
			places[w.Word] = len(questions)
			questions = append(questions, q)
		}
	}
	if len(questions) > wire.MaxCorrectedWords {
		return nil, fault.New(fault.LimitExceeded, "a text of %d different words: at most %d are corrected at once", len(questions), wire.MaxCorrectedWords)
	}
	near := c.gatherNear(ctx, out, questions)
	for i := range words {
		w := &words[i]
		w.Suggestions = []wire.Correction{}
		at, asked := places[w.Word]
		if !asked {
			continue
		}
		if w.DF = query.Holders(&questions[at], near[at]); w.DF > 0 && !body.Always {
			continue
		}
		nearest, err := query.Nearest(&questions[at], near[at], body.Size)
		if err != nil {
			return nil, err
		}
		for _, e := range nearest {
			w.Suggestions = append(w.Suggestions, wire.Correction(e))
		}
	}
	text := corrected(*body.Text, words)
	return &wire.SuggestResponse{Corrected: &text, Words: words}, nil
}

// gatherNear gives the answers of all groups to each question.
func (c *Coordinator) gatherNear(ctx context.Context, out *answered, questions []query.FuzzyQuestion) [][][]query.Expansion {
	found := make([][][]query.Expansion, len(out.parts))
	c.gatherFrom(ctx, out, wire.OpStats,
		func(h wire.Head) []byte {
			return wire.AppendStatsRequest(nil, &wire.StatsRequest{Head: h, Fuzzy: questions})
		},
		func(i int, data []byte) *wire.Error {
			reply, err := decodeReply(data, wire.DecodeStatsReply, func(r *wire.StatsReply) *wire.Frame { return &r.Frame })
			if err != nil {
				return err
			}
			if len(reply.Near) != len(questions) {
				return unavailable("malformed", "terms near %d words, not %d", len(reply.Near), len(questions))
			}
			out.parts[i].seq, found[i] = reply.Seq, reply.Near
			return nil
		})
	near := make([][][]query.Expansion, len(questions))
	for i, part := range out.parts {
		if part.err != nil {
			continue
		}
		for at := range questions {
			near[at] = append(near[at], found[i][at])
		}
	}
	return near
}

// wordsOf cuts a text into words as the field's values are cut; for a keyword field the text is one. Where words overlap in the text the first stands.
func wordsOf(text string, field *schema.Field, s *schema.Schema) ([]wire.CorrectedWord, error) {
	words := []wire.CorrectedWord{}
	switch field.Type {
	case schema.Keyword:
		return append(words, wire.CorrectedWord{Word: text, End: len(text)}), nil
	case schema.Text:
	default:
		return nil, fault.New(fault.BadField, "field %s is %s, which has no words to suggest", fault.Quote(field.Name), field.Type)
	}
	analyzer, known := s.IndexAnalyzer(field)
	if !known {
		return nil, fault.New(fault.BadField, "field %s: its analyzer is not known", fault.Quote(field.Name))
	}
	end := 0
	for _, t := range analyzer.Analyze(nil, text) {
		if t.Start < end {
			continue
		}
		end = t.End
		words = append(words, wire.CorrectedWord{Word: strings.Clone(t.Term), Start: t.Start, End: t.End})
	}
	return words, nil
}

// corrected puts the first suggestion in place of each word that no document holds.
func corrected(text string, words []wire.CorrectedWord) string {
	var b strings.Builder
	from := 0
	for _, w := range words {
		if w.DF > 0 || len(w.Suggestions) == 0 {
			continue
		}
		b.WriteString(text[from:w.Start])
		b.WriteString(w.Suggestions[0].Term)
		from = w.End
	}
	b.WriteString(text[from:])
	return b.String()
}
