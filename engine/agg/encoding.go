package agg

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"

	"github.com/jetseek/jetseek/engine/query"
)

// ErrEncoding says that bytes are no partial results, or no definitions.
var ErrEncoding = errors.New("malformed encoding of aggregations")

// maxSumBytes bounds the magnitude of a sum: that of 2^64 of the greatest doubles, in units of the least.
const maxSumBytes = (2048+64+53)/8 + 1

// Append appends the encoding of partial results.
func Append(dst []byte, defs []Definition, partials []Partial) []byte {
	for i := range defs {
		dst = appendPartial(dst, &defs[i], &partials[i])
	}
	return dst
}

func appendPartial(dst []byte, d *Definition, p *Partial) []byte {
	switch {
	case d.Kind.isMetric():
		if dst = binary.AppendUvarint(dst, p.Count); p.Count == 0 {
			return dst
		}
		return appendSum(binary.AppendVarint(binary.AppendVarint(dst, p.Least), p.Greatest), p.Sum)
	case d.Kind == Percentiles:
		dst = binary.AppendUvarint(dst, uint64(len(p.Runs)))
		last := int64(math.MinInt64)
		for _, r := range p.Runs {
			dst = binary.AppendUvarint(dst, uint64(r.Value)-uint64(last))
			if r.Spread == 0 {
				dst = binary.AppendUvarint(dst, r.Count<<1)
			} else {
				dst = binary.AppendUvarint(binary.AppendUvarint(dst, r.Count<<1|1), r.Spread)
			}
			last = r.greatest()
		}
		return dst
	case d.Kind == Cardinality:
		dst = binary.AppendUvarint(dst, uint64(len(p.Hashes)))
		last := uint64(0)
		for _, h := range p.Hashes {
			dst = binary.AppendUvarint(dst, h-last)
			last = h
		}
		return dst
	case d.Kind.keyed():
		dst = appendKeyed(dst, d, p.Buckets)
		if d.Kind == Terms {
			dst = binary.AppendUvarint(binary.AppendUvarint(dst, p.Count), p.Bound)
		}
		return dst
	case d.Kind == Range || d.Kind == Filters:
		for i := range p.Buckets {
			dst = Append(binary.AppendUvarint(dst, p.Buckets[i].Count), d.Below, p.Buckets[i].Below)
		}
		return dst
	case d.Kind == Missing:
		return Append(binary.AppendUvarint(dst, p.Count), d.Below, p.Below)
	}
	dst = binary.AppendUvarint(binary.AppendUvarint(dst, p.Count), uint64(len(p.Hits)))
	for i := range p.Hits {
		dst = query.AppendCandidate(dst, &p.Hits[i])
	}
	return dst
}

func appendSum(dst []byte, sum *big.Int) []byte {
	if sum == nil {
		sum = new(big.Int)
	}
	shift := uint64(sum.TrailingZeroBits())
	sign := uint64(0)
	if sum.Sign() < 0 {
		sign = 1
	}
	magnitude := new(big.Int).Rsh(new(big.Int).Abs(sum), uint(shift)).Bytes()
	dst = binary.AppendUvarint(dst, shift<<1|sign)
	dst = binary.AppendUvarint(dst, uint64(len(magnitude)))
	return append(dst, magnitude...)
}

func appendKeyed(dst []byte, d *Definition, buckets []Bucket) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(buckets)))
	last, text := int64(math.MinInt64), ""
	for i := range buckets {
		b := &buckets[i]
		if d.IsText() {
			n := common(text, b.Text)
			dst = binary.AppendUvarint(dst, uint64(n))
			dst = binary.AppendUvarint(dst, uint64(len(b.Text)-n))
			dst = append(dst, b.Text[n:]...)
			text = b.Text
		} else {
			dst = binary.AppendUvarint(dst, uint64(b.Key)-uint64(last))
			last = b.Key
		}
		dst = Append(binary.AppendUvarint(dst, b.Count), d.Below, b.Below)
	}
	return dst
}

// common counts the bytes that two strings begin with alike.
func common(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Decode reads partial results of these definitions. Errors wrap [ErrEncoding].
func Decode(b []byte, defs []Definition) ([]Partial, error) {
	r := &reader{b: b}
	partials := r.partials(defs)
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	if r.err != nil {
		return nil, r.err
	}
	return partials, nil
}

// reader takes an encoding apart. The first fault sticks.
type reader struct {
	b     []byte
	err   error
	spent int // bytes of strings that are longer than their encoding
}

func (r *reader) fail(format string, args ...any) {
	if r.err == nil {
		r.err = fmt.Errorf("%w: %s", ErrEncoding, fmt.Sprintf(format, args...))
		r.b = nil
	}
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail("broken varint")
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail("broken varint")
		return 0
	}
	r.b = r.b[n:]
	return v
}

// count reads the length of a list whose items take at least so many bytes each.
func (r *reader) count(itemBytes int) int {
	v := r.uvarint()
	if v > uint64(len(r.b)/itemBytes) {
		r.fail("list of %d in %d bytes", v, len(r.b))
		return 0
	}
	return int(v)
}

func (r *reader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.fail("%d bytes wanted, %d left", n, len(r.b))
		return nil
	}
	b := r.b[:n]
	r.b = r.b[n:]
	return b
}

func (r *reader) partials(defs []Definition) []Partial {
	if len(defs) == 0 {
		return nil
	}
	partials := make([]Partial, len(defs))
	for i := range defs {
		if r.err != nil {
			return partials
		}
		r.partial(&defs[i], &partials[i])
	}
	return partials
}

func (r *reader) partial(d *Definition, p *Partial) {
	switch {
	case d.Kind.isMetric():
		if p.Count = r.uvarint(); p.Count > 0 {
			p.Least, p.Greatest, p.Sum = r.varint(), r.varint(), r.sum()
		}
	case d.Kind == Percentiles:
		p.Runs = make([]Run, r.count(2))
		last := int64(math.MinInt64)
		for i := range p.Runs {
			p.Runs[i] = r.run(last, i)
			last = p.Runs[i].greatest()
		}
	case d.Kind == Cardinality:
		p.Hashes = make([]uint64, min(r.count(1), MaxDistinct+1))
		last := uint64(0)
		for i := range p.Hashes {
			step := r.uvarint()
			if last+step < last || i > 0 && step == 0 {
				r.fail("hashes do not ascend")
			}
			last += step
			p.Hashes[i] = last
		}
	case d.Kind.keyed():
		r.keyed(d, p)
		if d.Kind == Terms {
			p.Count, p.Bound = r.uvarint(), r.uvarint()
		}
	case d.Kind == Range || d.Kind == Filters:
		p.Buckets = make([]Bucket, max(len(d.Ranges), len(d.Filters)))
		for i := range p.Buckets {
			p.Buckets[i] = Bucket{Key: int64(i), Count: r.uvarint(), Below: r.partials(d.Below)}
		}
	case d.Kind == Missing:
		p.Count = r.uvarint()
		p.Below = r.partials(d.Below)
	default:
		r.hits(d, p)
	}
}

// ascend reads the distance from the value before.
func (r *reader) ascend(last int64, i int) int64 {
	step := r.uvarint()
	next := int64(uint64(last) + step)
	if next < last || i > 0 && step == 0 {
		r.fail("values do not ascend")
	}
	return next
}

// run reads a run that lies behind the value before.
func (r *reader) run(last int64, i int) Run {
	run := Run{Value: r.ascend(last, i)}
	n := r.uvarint()
	if run.Count = n >> 1; run.Count == 0 {
		r.fail("a count of 0")
	}
	if n&1 != 0 {
		run.Spread = r.uvarint()
		if run.Spread == 0 || run.greatest() < run.Value {
			r.fail("a spread of %d", run.Spread)
		}
	}
	return run
}

func (r *reader) positive() uint64 {
	n := r.uvarint()
	if n == 0 {
		r.fail("a count of 0")
	}
	return n
}

func (r *reader) sum() *big.Int {
	head, n := r.uvarint(), r.uvarint()
	shift := head >> 1
	if n > maxSumBytes || shift > 8*maxSumBytes {
		r.fail("a sum of %d bytes, shifted by %d", n, shift)
		return nil
	}
	sum := new(big.Int).SetBytes(r.take(n))
	sum.Lsh(sum, uint(shift))
	if head&1 != 0 {
		sum.Neg(sum)
	}
	return sum
}

func (r *reader) keyed(d *Definition, p *Partial) {
	n := r.count(2)
	last, text := int64(math.MinInt64), ""
	for i := 0; i < n && r.err == nil; i++ {
		var b Bucket
		if d.IsText() {
			b.Text = r.text(text, i)
			text = b.Text
		} else {
			b.Key = r.ascend(last, i)
			last = b.Key
		}
		b.Count, b.Below = r.positive(), r.partials(d.Below)
		p.Buckets = append(p.Buckets, b)
	}
}

// text reads a key that lies behind the one before. What keys have in common is counted, so that a short message cannot become much memory.
func (r *reader) text(last string, i int) string {
	n := r.uvarint()
	rest := r.take(r.uvarint())
	if n > uint64(len(last)) {
		r.fail("%d bytes in common with %d", n, len(last))
		return ""
	}
	if r.spent += int(n); r.spent > MaxBytes {
		r.fail("keys of more than %d bytes", MaxBytes)
		return ""
	}
	text := last[:n] + string(rest)
	if i > 0 && text <= last {
		r.fail("keys do not ascend")
	}
	return text
}

func (r *reader) hits(d *Definition, p *Partial) {
	p.Count = r.uvarint()
	n := r.count(3)
	if n > MaxTopHits {
		r.fail("%d hits", n)
	}
	for i := 0; i < n && r.err == nil; i++ {
		c, rest, err := query.DecodeCandidate(r.b)
		if err == nil && len(c.Keys) != len(d.Sort) {
			err = fmt.Errorf("%d keys, not %d", len(c.Keys), len(d.Sort))
		}
		if err != nil {
			r.fail("hit: %v", err)
			return
		}
		p.Hits, r.b = append(p.Hits, c), rest
	}
}
