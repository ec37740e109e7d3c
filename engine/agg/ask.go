package agg

import (
	"encoding/binary"
	"slices"
)

// Ask says how much of a result is wanted of a group. The zero value wants all.
type Ask struct {
	Most    int      // percentiles: about as many runs; terms: as many buckets, those of the most documents; 0: not by number
	Within  []Span   // percentiles: values, ascending and apart, that runs tell of; what lies between is a run each; nil: all values
	AtLeast uint64   // terms: buckets of so many documents; 0: not by documents
	Keys    []Bucket // terms: buckets of these keys, ascending; nil: not by keys
}

func (a *Ask) all() bool { return a.Most == 0 && a.Within == nil && a.AtLeast == 0 && a.Keys == nil }

// mostKeys bounds the keys, and mostSpans the spans, that are asked for by name.
const (
	mostKeys  = 1 << 14
	mostSpans = 2 * MaxListed
)

// Bounded gives the definitions as groups are asked first: where part of a result may suffice for so many runs or buckets.
func Bounded(defs []Definition, most int) []Definition {
	asked := slices.Clone(defs)
	for i := range asked {
		if d := &asked[i]; d.Kind == Percentiles || d.narrows() {
			d.Ask.Most = max(most, d.Size)
		}
	}
	return asked
}

// narrows tells whether the largest buckets and a bound of the others can tell what terms show.
func (d *Definition) narrows() bool {
	return d.Kind == Terms && d.Order.By == ByCount && d.Order.Desc && d.MinCount <= 1 && 0 < d.Size && d.Size <= mostKeys
}

// Reduce leaves of a group's whole results what is asked for.
func Reduce(defs []Definition, partials []Partial) {
	for i := range defs {
		d, p := &defs[i], &partials[i]
		switch {
		case d.Ask.all():
		case d.Kind == Percentiles:
			p.Runs = d.Ask.reduceRuns(p.Runs)
		case d.Kind == Terms:
			d.reduceTerms(p)
		}
	}
}

// reduceRuns unites neighbours: all those between two spans, and within spans those that together are no more than a share of the values there.
func (a *Ask) reduceRuns(runs []Run) []Run {
	within := func(v int64) (span int, in bool) {
		if a.Within == nil {
			return 0, true
		}
		span, _ = slices.BinarySearchFunc(a.Within, v, func(s Span, v int64) int {
			if s.Hi < v {
				return -1
			}
			return 1
		})
		return span, span < len(a.Within) && a.Within[span].Lo <= v
	}
	values, wanted := uint64(0), 0
	for _, r := range runs {
		if _, in := within(r.Value); in {
			values += r.Count
			wanted++
		}
	}
	share := uint64(1)
	if a.Most > 0 && wanted > a.Most {
		share = values/uint64(a.Most) + 1
	}
	var kept []Run
	lastSpan, lastIn := -1, false
	for _, r := range runs {
		span, in := within(r.Value)
		if n := len(kept); n > 0 && span == lastSpan && in == lastIn && (!in || kept[n-1].Count+r.Count <= share) {
			kept[n-1].Spread = uint64(r.greatest()) - uint64(kept[n-1].Value)
			kept[n-1].Count += r.Count
			continue
		}
		kept = append(kept, r)
		lastSpan, lastIn = span, in
	}
	return kept
}

// reduceTerms leaves out buckets, and counts them.
func (d *Definition) reduceTerms(p *Partial) {
	a := &d.Ask
	least := a.AtLeast // documents of a bucket that is kept
	var last *Bucket   // of those with least documents that are kept
	if a.Most > 0 {
		if len(p.Buckets) <= a.Most {
			return
		}
		sorted := slices.Clone(p.Buckets)
		slices.SortStableFunc(sorted, func(x, y Bucket) int { return d.compare(&x, &y) })
		last = &sorted[a.Most-1]
		least = last.Count
	}
	keys := a.Keys
	kept := p.Buckets[:0]
	for i := range p.Buckets {
		b := p.Buckets[i]
		for len(keys) > 0 && d.compareBuckets(&keys[0], &b) < 0 {
			keys = keys[1:]
		}
		switch {
		case len(keys) > 0 && d.compareBuckets(&keys[0], &b) == 0,
			least > 0 && b.Count > least,
			least > 0 && b.Count == least && (last == nil || d.compareBuckets(&b, last) <= 0):
			kept = append(kept, b)
		default:
			p.Count += b.Count
			p.Bound = max(p.Bound, b.Count)
		}
	}
	clear(p.Buckets[len(kept):])
	p.Buckets = kept
}

func appendAsk(dst []byte, d *Definition) []byte {
	a := &d.Ask
	dst = binary.AppendUvarint(dst, uint64(a.Most))
	dst = binary.AppendUvarint(dst, uint64(len(a.Within)))
	for _, s := range a.Within {
		dst = binary.AppendVarint(binary.AppendVarint(dst, s.Lo), s.Hi)
	}
	dst = binary.AppendUvarint(dst, a.AtLeast)
	dst = binary.AppendUvarint(dst, uint64(len(a.Keys)))
	for i := range a.Keys {
		if d.IsText() {
			dst = appendText(dst, a.Keys[i].Text)
		} else {
			dst = binary.AppendVarint(dst, a.Keys[i].Key)
		}
	}
	return dst
}

func (r *definitionReader) ask(d *Definition) Ask {
	a := Ask{Most: int(min(r.uvarint(), MaxBytes))}
	n := r.count(2)
	if n > mostSpans {
		r.fail("%d spans", n)
		return a
	}
	for i := 0; i < n && r.err == nil; i++ {
		s := Span{Lo: r.varint(), Hi: r.varint()}
		if s.Lo > s.Hi || i > 0 && s.Lo <= a.Within[i-1].Hi {
			r.fail("spans that do not ascend")
		}
		a.Within = append(a.Within, s)
	}
	a.AtLeast = r.uvarint()
	if n = r.count(1); n > mostKeys {
		r.fail("%d keys", n)
	}
	for i := 0; i < n && r.err == nil; i++ {
		var b Bucket
		if d.IsText() {
			b.Text = string(r.take(r.uvarint()))
		} else {
			b.Key = r.varint()
		}
		if i > 0 && d.compareBuckets(&a.Keys[i-1], &b) >= 0 {
			r.fail("keys that do not ascend")
		}
		a.Keys = append(a.Keys, b)
	}
	return a
}
