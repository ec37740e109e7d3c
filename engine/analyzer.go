package engine

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
)

// analyzer turns the bodies of puts into what a segment takes, in two steps: [analyzer.prepare] does all that may fail, panic or take long, for several puts at
// the same time; [analyzer.add] hands a result over. It keeps its memory from one batch to the next.
type analyzer struct {
	chain   func(*schema.Schema, *schema.Field) (analysis.Analyzer, bool) // gives a text field's analyzer
	workers int                                                           // goroutines that work on a batch at most
	batch   []prepared
	exact   []string
}

// A batch ends with the put that brings it to one of these, which bounds what it takes beside the bodies to some MiB.
const (
	batchPuts     = 256
	batchBytes    = 4 << 20
	batchTokens   = 1024     // memory for more in one put is not kept
	batchBody     = 16 << 10 // nor what was made of a larger body
	putsPerWorker = 4        // that make another goroutine worth while
)

// prepared is a put and what became of its body, under the schema that holds for it.
type prepared struct {
	op     *Op
	schema *schema.Schema

	decoder *schema.Decoder
	doc     *schema.Document
	err     error
	tokens  []analysis.Token // of all text fields, one after the other
	ends    []int            // of each text field in tokens
	hash    uint64           // of the id
	content [16]byte
}

// begin empties the batch, which keeps memory but no reference to a message, and nothing of a document that was large.
func (a *analyzer) begin() {
	for i := range a.batch {
		p := &a.batch[i]
		if cap(p.tokens) > batchTokens {
			p.tokens = nil
		}
		if len(p.op.Body) > batchBody {
			p.decoder = nil
		} else {
			p.decoder.Release()
		}
		clear(p.tokens)
		*p = prepared{tokens: p.tokens[:0], ends: p.ends[:0], decoder: p.decoder}
	}
	a.batch = a.batch[:0]
}

// plan adds a put to the batch.
func (a *analyzer) plan(op *Op, s *schema.Schema) {
	if len(a.batch) < cap(a.batch) {
		a.batch = a.batch[:len(a.batch)+1]
	} else {
		a.batch = append(a.batch, prepared{})
	}
	p := &a.batch[len(a.batch)-1]
	p.op, p.schema = op, s
	if p.decoder == nil {
		p.decoder = &schema.Decoder{}
	}
}

// prepare decodes and analyses the batch. What comes of it does not depend on the number of workers: each put is prepared alone. The goroutines end before it
// returns.
func (a *analyzer) prepare() {
	workers := min(a.workers, len(a.batch)/putsPerWorker)
	if workers < 2 {
		for i := range a.batch {
			a.batch[i].prepare(a.chain)
		}
		return
	}
	var next atomic.Int64
	var working sync.WaitGroup
	for range workers {
		working.Go(func() {
			for i := int(next.Add(1)); i <= len(a.batch); i = int(next.Add(1)) {
				a.batch[i-1].prepare(a.chain)
			}
		})
	}
	working.Wait()
}

// prepare decodes the body and analyses its texts. A panic in that becomes a [panicError].
func (p *prepared) prepare(chain func(*schema.Schema, *schema.Field) (analysis.Analyzer, bool)) {
	defer func() {
		if r := recover(); r != nil {
			p.doc, p.err = nil, &panicError{r}
		}
	}()
	p.hash, p.content = segment.HashID(p.op.ID), contentHash(p.op.Body)
	if p.doc, p.err = p.decoder.DecodeKnown(p.schema, p.op.Body); p.err != nil {
		p.err = fmt.Errorf("decode: %w", p.err)
		return
	}
	for i := range p.doc.Values {
		v := &p.doc.Values[i]
		if v.Field.Type != schema.Text {
			continue
		}
		by, ok := chain(p.schema, v.Field)
		if !ok {
			p.doc, p.err = nil, fmt.Errorf("field %q: no analyzer %q", v.Field.Name, v.Field.Analyzer)
			return
		}
		p.text(by, v.Strings)
		p.ends = append(p.ends, len(p.tokens))
	}
}

// text appends the tokens of all values of a field, [analysis.PositionGap] positions between them.
func (p *prepared) text(by analysis.Analyzer, values []string) {
	base := 0
	for _, text := range values {
		from := len(p.tokens)
		p.tokens = by.Analyze(p.tokens, text)
		if from == len(p.tokens) {
			continue
		}
		if base > 0 {
			for i := from; i < len(p.tokens); i++ {
				p.tokens[i].Position += base
			}
		}
		base = p.tokens[len(p.tokens)-1].Position + 1 + analysis.PositionGap
	}
}

// add hands the fields of a document to a builder, whose last document is this one.
func (a *analyzer) add(b *segment.Builder, p *prepared) {
	from, texts := 0, 0
	for i := range p.doc.Values {
		v := &p.doc.Values[i]
		switch v.Field.Type {
		case schema.Text:
			b.Text(v.Field.Name, p.tokens[from:p.ends[texts]])
			from, texts = p.ends[texts], texts+1
			a.addExact(b, v)
		case schema.Keyword:
			a.addExact(b, v)
		case schema.Long, schema.Date, schema.Bool:
			b.Ints(v.Field.Name, v.Ints)
		case schema.Double:
			b.Floats(v.Field.Name, v.Floats)
		}
	}
}

func (a *analyzer) addExact(b *segment.Builder, v *schema.Values) {
	a.exact = a.exact[:0]
	for _, s := range v.Strings {
		if v.Field.HasExact(s) {
			a.exact = append(a.exact, s)
		}
	}
	if len(a.exact) > 0 {
		b.Exact(v.Field.Name, a.exact)
	}
}

// panicError is a panic of decoding or analysis.
type panicError struct{ value any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.value) }
