package sameness

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash"
	"math"
	"reflect"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/vfs"
)

// Queries is how many queries an index is asked.
const Queries = 240

// Layout is a way to get the history into an index.
type Layout struct {
	Name    string
	Batches int  // how many calls of Apply
	Inline  bool // merges in Apply, as by default; else every batch leaves a segment
	Merge   bool // all due merges at the end
	Files   bool // flushed to files after every quarter, closed and opened again
}

// Layouts lists the layouts: all of them must answer alike.
func Layouts() []Layout {
	return []Layout{
		{Name: "one segment", Batches: 1},
		{Name: "twenty segments", Batches: 20},
		{Name: "twenty segments, then merged", Batches: 20, Merge: true},
		{Name: "merged all along", Batches: 150, Inline: true, Merge: true},
		{Name: "in files", Batches: 20, Files: true},
	}
}

// Result is what an index of a layout answered.
type Result struct {
	Hash     string // SHA-256 over all answers, in hexadecimal
	Segments int
}

// Run makes an index of a layout and asks it all queries.
func Run(ctx context.Context, l Layout) (Result, error) {
	x, err := l.index(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("layout %s: %w", l.Name, err)
	}
	s := x.Snapshot()
	defer s.Close()
	info, _ := s.Collection(collection)
	sum, err := Answers(ctx, s)
	if err != nil {
		return Result{}, fmt.Errorf("layout %s: %w", l.Name, err)
	}
	return Result{Hash: sum, Segments: info.Segments}, nil
}

// index applies the history.
func (l Layout) index(ctx context.Context) (*engine.Index, error) {
	options := engine.Options{}
	if !l.Inline {
		options.InlineMergeBytes = 1
	}
	if l.Files {
		options.Folder = vfs.NewMemory()
	}
	x, err := engine.Open(options)
	if err != nil {
		return nil, err
	}
	messages := history()
	for i := range l.Batches {
		from, to := i*len(messages)/l.Batches, (i+1)*len(messages)/l.Batches
		if _, err := x.Apply(messages[from:to]); err != nil {
			return nil, err
		}
		if l.Files && (i+1)%(l.Batches/4) == 0 {
			if err := x.Flush(ctx); err != nil {
				return nil, err
			}
		}
	}
	for more := l.Merge; more; {
		if more, err = x.Merge(ctx); err != nil {
			return nil, err
		}
	}
	if l.Files {
		x.Close()
		return engine.Open(options)
	}
	return x, nil
}

// Answers asks a snapshot, to which the history was applied, all queries: with all matches counted, which looks at every posting, and with few, which leaves out
// what cannot be among the hits.
func Answers(ctx context.Context, s *engine.Snapshot) (string, error) {
	c, h := chance(2), sha256.New()
	for n := range Queries {
		r := c.request(n)
		all, err := ask(ctx, s, r)
		if err != nil {
			return "", fmt.Errorf("query %d: %w", n, err)
		}
		r.CountTo = []uint64{1, 100}[n%2]
		some, err := ask(ctx, s, r)
		if err != nil {
			return "", fmt.Errorf("query %d: %w", n, err)
		}
		if !reflect.DeepEqual(some.Candidates, all.Candidates) {
			return "", fmt.Errorf("query %d has other hits when matches are counted to %d", n, r.CountTo)
		}
		if some.Exact && some.Total != all.Total || !some.Exact && (some.Total > all.Total || some.Total <= r.CountTo) || !all.Exact {
			return "", fmt.Errorf("query %d: total %d of %d, exact %v, counted to %d", n, some.Total, all.Total, some.Exact, r.CountTo)
		}
		write(h, &all)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// ask searches with the weights that the snapshot's own statistics give.
func ask(ctx context.Context, s *engine.Snapshot, r engine.SearchRequest) (engine.SearchResult, error) {
	leaves := query.Leaves(r.Query)
	fields, terms := query.Question(leaves)
	var err error
	if r.Weights, err = query.Weigh(leaves, fields, terms, s.Stats(collection, fields, terms)); err != nil {
		return engine.SearchResult{}, err
	}
	return s.Search(ctx, r)
}

func write(h hash.Hash, r *engine.SearchResult) {
	number := func(n uint64) { _, _ = h.Write(binary.LittleEndian.AppendUint64(nil, n)) }
	text := func(s string) {
		number(uint64(len(s)))
		_, _ = h.Write([]byte(s))
	}
	number(r.Total)
	number(uint64(len(r.Candidates)))
	for _, c := range r.Candidates {
		text(c.ID)
		number(uint64(c.Score))
		for _, k := range c.Keys {
			number(uint64(k.Kind))
			number(uint64(k.Int))
			number(math.Float64bits(k.Float))
			text(k.Str)
		}
	}
}

// request makes query number n: by turns of one to five words, of words that must all be there, a phrase, words under a filter, sorted by a field, and nested.
func (c *chance) request(n int) engine.SearchRequest {
	leaf := 0
	term := func() query.Node {
		leaf++
		return &query.TextTerm{Field: []string{"body", "title"}[c.below(2)], Term: c.word(), Boost: 1 + float64(c.below(8))/3, Leaf: leaf - 1}
	}
	phrase := func() query.Node {
		leaf++
		return &query.TextPhrase{Field: "body", Terms: []string{c.word(), c.word()}, Offsets: []int{0, 1}, Boost: 1, Leaf: leaf - 1}
	}
	several := func(n int) []query.Node {
		list := make([]query.Node, n)
		for i := range list {
			list[i] = term()
		}
		return list
	}
	r := engine.SearchRequest{Collection: collection, Limit: []int{1, 10, 100, 1000}[c.below(4)], Score: true}
	filter := query.Node(&query.LongRange{Field: "year", Lo: 1950, Hi: int64(1951 + c.below(60))})
	if c.below(2) == 0 {
		filter = &query.KeywordSet{Field: "tag", Values: []string{fmt.Sprintf("t%d", c.below(50))}}
	}
	switch n % 8 {
	case 0, 1:
		r.Query = &query.Bool{Should: several(1 + c.below(5)), MinShould: 1}
	case 2:
		r.Query = &query.Bool{Must: several(2 + c.below(2))}
	case 3:
		r.Query = phrase()
	case 4:
		r.Query, r.Filters = &query.Bool{Should: several(1 + c.below(4)), MinShould: 1}, []query.Node{filter}
	case 5:
		r.Query, r.Sort = &query.Bool{Should: several(2), MinShould: 1}, []query.SortKey{c.sortKey(), c.sortKey()}
	case 6:
		r.Query = &query.Bool{Must: several(1), Should: append(several(2), phrase()), MustNot: []query.Node{filter}}
	default:
		r.Query = &query.DisMax{Children: append(several(2), &query.Bool{Must: several(2)}), Tie: 0.3}
	}
	return r
}

func (c *chance) sortKey() query.SortKey {
	keys := []query.SortKey{
		{By: query.ByScore},
		{By: query.ByField, Field: "tag", Type: schema.Keyword},
		{By: query.ByField, Field: "year", Type: schema.Long},
		{By: query.ByField, Field: "price", Type: schema.Double},
	}
	k := keys[c.below(len(keys))]
	k.Desc = c.below(2) == 0
	return k
}
