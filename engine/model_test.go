package engine_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// model is an index that cannot be wrong: maps of documents, tested one by one. It shares no code with the engine.
type model struct {
	collections map[schema.Incarnation]*modelCollection
	dropped     map[schema.Incarnation]bool
	owned       map[uint16]bool
	decided     map[string]modelDecision // by collection and request key
}

type modelDecision struct {
	id   string
	kind engine.OpKind
	out  outcome.Outcome
}

type modelCollection struct {
	version uint64
	schema  *schema.Schema
	docs    map[string]*modelDoc
}

type modelDoc struct {
	id      string
	version uint64
	birth   engine.Birth
	slot    uint16
	source  []byte

	tokens map[string][]placed // text fields
	exact  map[string][]string
	ints   map[string][]int64
	floats map[string][]float64
}

type placed struct {
	term string
	pos  int
}

func newModel() *model {
	return &model{map[schema.Incarnation]*modelCollection{}, map[schema.Incarnation]bool{}, map[uint16]bool{}, map[string]modelDecision{}}
}

func (m *model) apply(msg engine.Message) []outcome.Outcome {
	var out []outcome.Outcome
	for i, op := range msg.Ops {
		out = append(out, m.op(msg, i, op))
	}
	return out
}

func (m *model) op(msg engine.Message, i int, op engine.Op) (out outcome.Outcome) {
	code := func(c outcome.Code, v uint64) outcome.Outcome { return outcome.Outcome{Code: c, Version: v} }
	if op.Kind == engine.OpOwn {
		m.owned = map[uint16]bool{}
		for s := range uint16(engine.Slots) {
			if op.Slots.Has(s) {
				m.owned[s] = true
			}
		}
		return code(outcome.Done, 0)
	}
	if m.dropped[op.Collection] {
		return code(outcome.NoCollection, 0)
	}
	c := m.collections[op.Collection]
	switch op.Kind {
	case engine.OpSchema:
		if c == nil {
			c = &modelCollection{docs: map[string]*modelDoc{}}
			m.collections[op.Collection] = c
		}
		if op.Version > c.version {
			c.version, c.schema = op.Version, op.Schema
		}
		return code(outcome.Done, 0)
	case engine.OpDropCollection:
		delete(m.collections, op.Collection)
		m.dropped[op.Collection] = true
		return code(outcome.Done, 0)
	}
	if !m.owned[op.Slot] {
		return code(outcome.WrongOwner, 0)
	}
	if op.Key != "" {
		name := fmt.Sprint(op.Collection, op.Key)
		if first, ok := m.decided[name]; ok && (first.id != op.ID || first.kind != op.Kind) {
			return code(outcome.KeyConflict, 0)
		} else if ok {
			first.out.Repeated = true
			return first.out
		}
		defer func() { m.decided[name] = modelDecision{op.ID, op.Kind, out} }()
	}
	var old *modelDoc
	standing := uint64(0)
	if c != nil && c.docs[op.ID] != nil {
		old = c.docs[op.ID]
		standing = old.version
	}
	if c == nil && op.Kind == engine.OpPut {
		return code(outcome.Rejected, 0)
	}
	if op.IfVersion >= 0 && uint64(op.IfVersion) != standing {
		return code(outcome.VersionConflict, standing)
	}
	if op.Kind == engine.OpDelete {
		if old == nil {
			return code(outcome.NotFound, 0)
		}
		delete(c.docs, op.ID)
		return code(outcome.Deleted, standing)
	}
	doc := decodeModel(c.schema, op.Body)
	if doc == nil {
		return code(outcome.Rejected, 0)
	}
	doc.id, doc.slot, doc.version = op.ID, op.Slot, standing+1
	doc.birth = engine.Birth{Log: msg.Log, Seq: msg.Seq, Index: uint32(i)}
	if old != nil {
		doc.birth = old.birth
	}
	c.docs[op.ID] = doc
	if old != nil {
		return code(outcome.Updated, doc.version)
	}
	return code(outcome.Created, 1)
}

// decodeModel reads the flat bodies that the generator makes.
func decodeModel(s *schema.Schema, body []byte) *modelDoc {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var raw map[string]any
	if d.Decode(&raw) != nil {
		return nil
	}
	doc := &modelDoc{source: body, tokens: map[string][]placed{}, exact: map[string][]string{}, ints: map[string][]int64{}, floats: map[string][]float64{}}
	for name, v := range raw {
		values, ok := v.([]any)
		if !ok {
			values = []any{v}
		}
		i := slices.IndexFunc(s.Fields, func(f schema.Field) bool { return f.Name == name })
		if i < 0 {
			continue
		}
		base := 0
		for _, v := range values {
			switch f := s.Fields[i]; f.Type {
			case schema.Text:
				text := v.(string)
				words := strings.Fields(strings.ToLower(text))
				for n, w := range words {
					doc.tokens[name] = append(doc.tokens[name], placed{w, base + n})
				}
				if len(words) > 0 {
					base += len(words) + 100
				}
				if f.Exact {
					doc.exact[name] = append(doc.exact[name], text)
				}
			case schema.Keyword:
				text, ok := v.(string)
				if !ok {
					return nil
				}
				doc.exact[name] = append(doc.exact[name], text)
			case schema.Bool:
				n := int64(0)
				if v.(bool) {
					n = 1
				}
				doc.ints[name] = append(doc.ints[name], n)
			case schema.Long:
				n, err := v.(json.Number).Int64()
				if err != nil {
					return nil
				}
				doc.ints[name] = append(doc.ints[name], n)
			case schema.Double:
				x, _ := v.(json.Number).Float64()
				doc.floats[name] = append(doc.floats[name], x)
			}
		}
	}
	return doc
}

// visible gives the documents that count, by id.
func (m *model) visible(c schema.Incarnation) []*modelDoc {
	var docs []*modelDoc
	if m.collections[c] == nil {
		return nil
	}
	for _, d := range m.collections[c].docs {
		if m.owned[d.slot] {
			docs = append(docs, d)
		}
	}
	slices.SortFunc(docs, func(a, b *modelDoc) int { return strings.Compare(a.id, b.id) })
	return docs
}

func (m *model) stats(c schema.Incarnation, fields []string, terms []bm25.FieldTerm) bm25.Stats {
	st := bm25.Stats{Fields: make([]bm25.FieldStats, len(fields)), DF: make([]uint64, len(terms))}
	for _, d := range m.visible(c) {
		for i, f := range fields {
			if n := len(d.tokens[f]); n > 0 {
				st.Fields[i].Docs++
				st.Fields[i].TotalLen += uint64(n)
			}
		}
		for i, t := range terms {
			if d.freq(t.Field, t.Term) > 0 {
				st.DF[i]++
			}
		}
	}
	return st
}

func (d *modelDoc) freq(field, term string) int {
	n := 0
	for _, t := range d.tokens[field] {
		if t.term == term {
			n++
		}
	}
	return n
}

func (m *model) search(r engine.SearchRequest) engine.SearchResult {
	var res engine.SearchResult
	scoring := r.Score || len(r.Sort) == 0
	for _, k := range r.Sort {
		scoring = scoring || k.By == query.ByScore
	}
next:
	for _, d := range m.visible(r.Collection) {
		matched, score := d.eval(r.Query, r.Weights)
		if !matched {
			continue
		}
		for _, f := range r.Filters {
			if ok, _ := d.eval(f, nil); !ok {
				continue next
			}
		}
		res.Total++
		if !scoring {
			score = 0
		}
		cand := query.Candidate{ID: d.id, Score: score}
		for _, k := range r.Sort {
			cand.Keys = append(cand.Keys, d.key(k, score))
		}
		res.Candidates = append(res.Candidates, cand)
	}
	slices.SortStableFunc(res.Candidates, func(a, b query.Candidate) int {
		if len(r.Sort) == 0 && a.Score != b.Score {
			return cmp.Compare(b.Score, a.Score)
		}
		for i, k := range r.Sort {
			if c := modelCompare(k, a.Keys[i], b.Keys[i]); c != 0 {
				return c
			}
		}
		return strings.Compare(a.ID, b.ID)
	})
	res.Candidates = res.Candidates[:min(r.Limit, len(res.Candidates))]
	return res
}

func modelCompare(k query.SortKey, a, b query.Key) int {
	if (a.Kind == query.KeyMissing) != (b.Kind == query.KeyMissing) {
		if (a.Kind == query.KeyMissing) == k.MissingFirst {
			return -1
		}
		return 1
	}
	c := cmp.Or(cmp.Compare(a.Int, b.Int), cmp.Compare(a.Float, b.Float), strings.Compare(a.Str, b.Str))
	if k.Desc {
		return -c
	}
	return c
}

func (d *modelDoc) key(k query.SortKey, score int64) query.Key {
	switch k.By {
	case query.ByScore:
		return query.Key{Kind: query.KeyInt, Int: score}
	case query.ByID:
		return query.Key{Kind: query.KeyString, Str: d.id}
	}
	switch k.Type {
	case schema.Keyword:
		if v := d.exact[k.Field]; len(v) > 0 {
			return query.Key{Kind: query.KeyString, Str: extreme(v, k.Desc)}
		}
	case schema.Long, schema.Bool:
		if v := d.ints[k.Field]; len(v) > 0 {
			return query.Key{Kind: query.KeyInt, Int: extreme(v, k.Desc)}
		}
	case schema.Double:
		if v := d.floats[k.Field]; len(v) > 0 {
			return query.Key{Kind: query.KeyFloat, Float: extreme(v, k.Desc)}
		}
	}
	return query.Key{}
}

func extreme[T cmp.Ordered](v []T, most bool) T {
	if most {
		return slices.Max(v)
	}
	return slices.Min(v)
}

const modelUnit = 4294967296.0 // 2^32

// eval tells whether a document matches a query, and its score.
func (d *modelDoc) eval(n query.Node, weights []bm25.Weight) (bool, int64) {
	constant := func(boost float64) int64 { return int64(boost * modelUnit) }
	switch n := n.(type) {
	case *query.MatchAll:
		return true, constant(n.Boost)
	case *query.Bool:
		return d.evalBool(n, weights)
	case *query.DisMax:
		var shown []float64
		for _, c := range n.Children {
			if ok, s := d.eval(c, weights); ok {
				shown = append(shown, float64(s)/modelUnit)
			}
		}
		if len(shown) == 0 {
			return false, 0
		}
		best := slices.Index(shown, slices.Max(shown))
		sum := 0.0
		for i, v := range shown {
			if i != best {
				sum += v
			}
		}
		return true, int64((shown[best] + float64(n.Tie*sum)) * modelUnit)
	case *query.Functions:
		ok, own := d.eval(n.Child, weights)
		return ok, d.functions(n, float64(own)/modelUnit)
	case *query.AtLeast:
		return d.atLeast(n, weights)
	case *query.ConstantScore:
		ok, _ := d.eval(n.Child, nil)
		return ok, constant(n.Boost)
	case *query.TextTerm:
		tf := d.freq(n.Field, n.Term)
		return tf > 0, d.part(n.Field, tf, n.Leaf, weights)
	case *query.TextPhrase:
		tf := d.phrase(n)
		return tf > 0, d.part(n.Field, tf, n.Leaf, weights)
	case *query.KeywordSet:
		return overlap(d.exact[n.Field], func(v string) bool { return slices.Contains(n.Values, v) }), constant(n.Boost)
	case *query.KeywordRange:
		return overlap(d.exact[n.Field], func(v string) bool {
			return (n.Lo == nil || v > *n.Lo || n.IncLo && v == *n.Lo) && (n.Hi == nil || v < *n.Hi || n.IncHi && v == *n.Hi)
		}), constant(n.Boost)
	case *query.LongRange:
		return overlap(d.ints[n.Field], func(v int64) bool { return v >= n.Lo && v <= n.Hi }), constant(n.Boost)
	case *query.LongSet:
		return overlap(d.ints[n.Field], func(v int64) bool { return slices.Contains(n.Values, v) }), constant(n.Boost)
	case *query.DoubleRange:
		return overlap(d.floats[n.Field], func(v float64) bool {
			return (v > n.Lo || n.IncLo && v == n.Lo) && (v < n.Hi || n.IncHi && v == n.Hi)
		}), constant(n.Boost)
	case *query.DoubleSet:
		return overlap(d.floats[n.Field], func(v float64) bool { return slices.Contains(n.Values, v) }), constant(n.Boost)
	case *query.FieldExists:
		switch n.Type {
		case schema.Text:
			return len(d.tokens[n.Field]) > 0, constant(n.Boost)
		case schema.Keyword:
			return len(d.exact[n.Field]) > 0, constant(n.Boost)
		case schema.Double:
			return len(d.floats[n.Field]) > 0, constant(n.Boost)
		}
		return len(d.ints[n.Field]) > 0, constant(n.Boost)
	case *query.IDs:
		return slices.Contains(n.Values, d.id), constant(n.Boost)
	}
	return false, 0
}

func overlap[T any](values []T, match func(T) bool) bool { return slices.ContainsFunc(values, match) }

func (d *modelDoc) evalBool(n *query.Bool, weights []bm25.Weight) (bool, int64) {
	sum := int64(0)
	for _, c := range n.Must {
		ok, s := d.eval(c, weights)
		if !ok {
			return false, 0
		}
		sum += s
	}
	for _, c := range n.Filter {
		if ok, _ := d.eval(c, nil); !ok {
			return false, 0
		}
	}
	for _, c := range n.MustNot {
		if ok, _ := d.eval(c, nil); ok {
			return false, 0
		}
	}
	should := 0
	for _, c := range n.Should {
		if ok, s := d.eval(c, weights); ok {
			should++
			sum += s
		}
	}
	return should >= n.MinShould, sum
}

// part is the formula of one posting, step by step.
func (d *modelDoc) part(field string, tf, leaf int, weights []bm25.Weight) int64 {
	if tf == 0 || leaf < 0 || leaf >= len(weights) {
		return 0
	}
	w, dl := weights[leaf], float64(len(d.tokens[field]))
	norm := float64(w.C1 * dl)
	denominator := float64(tf) + (w.C0 + norm)
	quotient := float64(tf) / denominator
	product := float64(modelUnit * w.W)
	return int64(math.Trunc(float64(product * quotient)))
}

func (d *modelDoc) phrase(n *query.TextPhrase) int {
	at := map[placed]bool{}
	for _, t := range d.tokens[n.Field] {
		at[t] = true
	}
	count := 0
	for _, t := range d.tokens[n.Field] {
		if t.term != n.Terms[0] {
			continue
		}
		whole := true
		for k, term := range n.Terms {
			whole = whole && at[placed{term, t.pos + n.Offsets[k]}]
		}
		if whole {
			count++
		}
	}
	return count
}

// slotDigests adds up, for each slot, SHA-256(1, version u64, first half of SHA-256(source), id) cut to 128 bits, as little-endian numbers modulo 2^128.
func (m *model) slotDigests(c schema.Incarnation) (map[uint16]engine.Digest, map[uint16]uint64) {
	digests, counts := map[uint16]engine.Digest{}, map[uint16]uint64{}
	if m.collections[c] == nil {
		return digests, counts
	}
	sums := map[uint16]*big.Int{}
	for _, d := range m.collections[c].docs {
		content := sha256.Sum256(d.source)
		item := sha256.Sum256(fmt.Appendf(binary.LittleEndian.AppendUint64([]byte{1}, d.version), "%s%s", content[:16], d.id))
		slices.Reverse(item[:16])
		if sums[d.slot] == nil {
			sums[d.slot] = new(big.Int)
		}
		sums[d.slot].Add(sums[d.slot], new(big.Int).SetBytes(item[:16]))
		counts[d.slot]++
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), 128)
	for slot, sum := range sums {
		var digest engine.Digest
		sum.Mod(sum, modulus).FillBytes(digest[:])
		slices.Reverse(digest[:])
		digests[slot] = digest
	}
	return digests, counts
}
