package agg

import (
	"encoding/binary"
	"math"

	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// AppendDefinitions appends the encoding of definitions: a count and, for each, name, kind, field, type, size, min count, order (by, descending, name, part), interval, offset (f64), fixed, calendar,
// shift (signed), zone, ranges (key, lo, hi signed), filters (key, node), percents (f64), sort keys, what is asked (most, spans lo, hi signed, at least, keys signed or text), and those below. Strings are a length and bytes, lists a count and elements.
func AppendDefinitions(dst []byte, defs []Definition) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(defs)))
	for i := range defs {
		d := &defs[i]
		dst = append(appendText(dst, d.Name), byte(d.Kind))
		dst = append(appendText(dst, d.Field), byte(d.Type))
		dst = binary.AppendUvarint(binary.AppendUvarint(dst, uint64(d.Size)), d.MinCount)
		desc := byte(0)
		if d.Order.Desc {
			desc = 1
		}
		dst = appendText(appendText(append(dst, byte(d.Order.By), desc), d.Order.Name), d.Order.Part)
		dst = appendDouble(appendDouble(dst, d.Interval), d.Offset)
		dst = append(binary.AppendVarint(dst, d.Fixed), byte(d.Calendar))
		dst = appendText(binary.AppendVarint(dst, d.Shift), d.Zone)
		dst = binary.AppendUvarint(dst, uint64(len(d.Ranges)))
		for _, s := range d.Ranges {
			dst = binary.AppendVarint(binary.AppendVarint(appendText(dst, s.Key), s.Lo), s.Hi)
		}
		dst = binary.AppendUvarint(dst, uint64(len(d.Filters)))
		for _, f := range d.Filters {
			dst = query.AppendNode(appendText(dst, f.Key), f.Node)
		}
		dst = binary.AppendUvarint(dst, uint64(len(d.Percents)))
		for _, p := range d.Percents {
			dst = appendDouble(dst, p)
		}
		dst = appendAsk(query.AppendSortKeys(dst, d.Sort), d)
		dst = AppendDefinitions(dst, d.Below)
	}
	return dst
}

func appendText(dst []byte, s string) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

func appendDouble(dst []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(dst, math.Float64bits(x))
}

// DecodeDefinitions reads definitions, and holds them to the limits of [Parse]. Errors wrap [ErrEncoding].
func DecodeDefinitions(b []byte) ([]Definition, error) {
	r := &definitionReader{reader: reader{b: b}}
	defs := r.definitions(1)
	if r.err == nil && len(r.b) > 0 {
		r.fail("%d bytes too many", len(r.b))
	}
	if r.err != nil {
		return nil, r.err
	}
	return defs, nil
}

type definitionReader struct {
	reader
	found int
}

func (r *definitionReader) u8(most byte) byte {
	b := r.take(1)
	if b == nil || b[0] > most {
		r.fail("a byte up to %d wanted", most)
		return 0
	}
	return b[0]
}

func (r *definitionReader) name(most uint64) string {
	n := r.uvarint()
	if n > most {
		r.fail("a name of %d bytes", n)
		return ""
	}
	return string(r.take(n))
}

func (r *definitionReader) double() float64 {
	b := r.take(8)
	if b == nil {
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(b))
	if math.IsNaN(x) || math.IsInf(x, 0) {
		r.fail("%v", x)
	}
	return x
}

func (r *definitionReader) listed() int {
	n := r.count(1)
	if n > MaxListed {
		r.fail("a list of %d", n)
		return 0
	}
	return n
}

func (r *definitionReader) definitions(depth int) []Definition {
	n := r.count(20)
	if r.found += n; r.found > MaxDefinitions || n > 0 && depth > MaxDepth {
		r.fail("%d definitions at depth %d", r.found, depth)
		return nil
	}
	var defs []Definition
	for i := 0; i < n && r.err == nil; i++ {
		defs = append(defs, r.definition(depth))
	}
	return defs
}

func (r *definitionReader) definition(depth int) Definition {
	d := Definition{Name: r.name(schema.MaxNameBytes), Kind: Kind(r.u8(byte(TopHits)))}
	d.Field, d.Type = r.name(schema.MaxNameBytes), schema.Type(r.u8(byte(schema.Vector)))
	d.Size, d.MinCount = int(min(r.uvarint(), MaxBuckets)), r.uvarint()
	d.Order = Order{By: OrderBy(r.u8(byte(ByMetric))), Desc: r.u8(1) == 1, Name: r.name(MaxNameBytes), Part: r.name(MaxNameBytes)}
	d.Interval, d.Offset = r.double(), r.double()
	d.Fixed, d.Calendar = r.varint(), Unit(r.u8(byte(Year)))
	d.Shift, d.Zone = r.varint(), r.name(MaxNameBytes)
	for range r.listed() {
		d.Ranges = append(d.Ranges, Span{Key: r.name(MaxNameBytes), Lo: r.varint(), Hi: r.varint()})
	}
	for n := r.listed(); n > 0 && r.err == nil; n-- {
		f := NamedFilter{Key: r.name(MaxNameBytes)}
		var err error
		if f.Node, r.b, err = query.DecodeNode(r.b); err != nil {
			r.fail("filter: %v", err)
		}
		d.Filters = append(d.Filters, f)
	}
	for range r.listed() {
		d.Percents = append(d.Percents, r.double())
	}
	if r.err != nil {
		return d
	}
	var err error
	if d.Sort, r.b, err = query.DecodeSortKeys(r.b); err != nil {
		r.fail("sort keys: %v", err)
		return d
	}
	d.Ask = r.ask(&d)
	d.Below = r.definitions(depth + 1)
	if err := d.check(); err != "" && r.err == nil {
		r.fail("definition %q: %s", d.Name, err)
	}
	return d
}

// check says what of a decoded definition nobody can collect.
func (d *Definition) check() string {
	switch {
	case d.Kind == 0:
		return "no kind"
	case len(d.Below) > 0 && !d.Kind.isBucket():
		return "nothing stands below it"
	case d.Kind == Histogram && d.Interval <= 0:
		return "an interval that is not above 0"
	case d.Kind == DateHistogram && (d.Fixed < 0 || (d.Fixed > 0) == (d.Calendar > 0) || d.Fixed > maxDurationMs):
		return "an interval that is none"
	case d.Shift > maxDurationMs || d.Shift < -maxDurationMs:
		return "an offset that is none"
	case d.Kind == TopHits && d.Size > MaxTopHits:
		return "too many hits"
	}
	return ""
}
