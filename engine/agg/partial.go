package agg

import (
	"cmp"
	"math/big"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
)

// Partial is what some of the documents say of one definition; its kind says which parts are used.
type Partial struct {
	Count           uint64            // metrics: values; missing, top_hits: documents; terms: documents of buckets left out, each once a bucket
	Least, Greatest int64             // metrics
	Sum             *big.Int          // metrics, as [Summer.Total] gives it; nil: 0
	Runs            []Run             // percentiles: values ascending
	Hashes          []uint64          // cardinality: ascending, at most MaxDistinct+1 of them, the least
	Buckets         []Bucket          // by key ascending; of range and filters one each, in order
	Bound           uint64            // terms: no bucket that is left out has more documents; 0: none is
	Hits            []query.Candidate // top_hits, in their order
	Below           []Partial         // missing
}

// Run is a value and how often it occurs; or several, of which only the least and the greatest are known.
type Run struct {
	Value  int64  // the least
	Spread uint64 // distance of the greatest; 0: all are Value
	Count  uint64
}

// greatest gives the greatest value of a run.
func (r Run) greatest() int64 { return int64(uint64(r.Value) + r.Spread) }

func compareRuns(a, b Run) int {
	return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(a.Spread, b.Spread))
}

// Bucket is the documents of one key.
type Bucket struct {
	Key   int64
	Text  string // terms of exact strings: the key
	Count uint64
	Below []Partial
}

// Empty gives what no document says.
func Empty(defs []Definition) []Partial {
	partials := make([]Partial, len(defs))
	for i := range defs {
		d, p := &defs[i], &partials[i]
		switch d.Kind {
		case Range, Filters:
			p.Buckets = make([]Bucket, max(len(d.Ranges), len(d.Filters)))
			for j := range p.Buckets {
				p.Buckets[j] = Bucket{Key: int64(j), Below: Empty(d.Below)}
			}
		case Missing:
			p.Below = Empty(d.Below)
		}
	}
	return partials
}

// Merge gives what the documents of both say. It may use the memory of both.
func Merge(defs []Definition, a, b []Partial) []Partial {
	for i := range defs {
		a[i] = mergeOne(&defs[i], a[i], b[i])
	}
	return a
}

func mergeOne(d *Definition, a, b Partial) Partial {
	switch {
	case d.Kind.isMetric():
		if a.Count == 0 || b.Count == 0 {
			if a.Count == 0 {
				return b
			}
			return a
		}
		a.Least, a.Greatest = min(a.Least, b.Least), max(a.Greatest, b.Greatest)
		a.Sum = add(a.Sum, b.Sum)
	case d.Kind == Percentiles:
		a.Runs = mergeRuns(a.Runs, b.Runs)
	case d.Kind == Cardinality:
		a.Hashes = mergeHashes(a.Hashes, b.Hashes)
	case d.Kind.keyed():
		a.Buckets = d.mergeBuckets(a.Buckets, b.Buckets)
		a.Bound += b.Bound
	case d.Kind == Range || d.Kind == Filters:
		for i := range a.Buckets {
			a.Buckets[i].Count += b.Buckets[i].Count
			a.Buckets[i].Below = Merge(d.Below, a.Buckets[i].Below, b.Buckets[i].Below)
		}
	case d.Kind == Missing:
		a.Below = Merge(d.Below, a.Below, b.Below)
	case d.Kind == TopHits:
		a.Hits = append(a.Hits, b.Hits...)
		slices.SortFunc(a.Hits, func(x, y query.Candidate) int { return query.CompareKeys(d.Sort, &x, &y) })
		a.Hits = a.Hits[:min(len(a.Hits), d.Size)]
	}
	a.Count += b.Count
	return a
}

func add(a, b *big.Int) *big.Int {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return new(big.Int).Add(a, b)
}

func mergeRuns(a, b []Run) []Run {
	if len(a) == 0 {
		return b
	}
	merged := make([]Run, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := compareRuns(a[0], b[0]); {
		case c < 0:
			merged, a = append(merged, a[0]), a[1:]
		case c > 0:
			merged, b = append(merged, b[0]), b[1:]
		default:
			merged = append(merged, Run{a[0].Value, a[0].Spread, a[0].Count + b[0].Count})
			a, b = a[1:], b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

func mergeHashes(a, b []uint64) []uint64 {
	merged := append(slices.Clone(a), b...)
	slices.Sort(merged)
	return Fewest(slices.Compact(merged))
}

// Fewest leaves of distinct hashes, ascending, those that a partial result keeps.
func Fewest(hashes []uint64) []uint64 { return hashes[:min(len(hashes), MaxDistinct+1)] }

func (d *Definition) mergeBuckets(a, b []Bucket) []Bucket {
	if len(a) == 0 {
		return b
	}
	merged := make([]Bucket, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch c := d.compareBuckets(&a[0], &b[0]); {
		case c < 0:
			merged, a = append(merged, a[0]), a[1:]
		case c > 0:
			merged, b = append(merged, b[0]), b[1:]
		default:
			both := a[0]
			both.Count += b[0].Count
			both.Below = Merge(d.Below, both.Below, b[0].Below)
			merged = append(merged, both)
			a, b = a[1:], b[1:]
		}
	}
	return append(append(merged, a...), b...)
}

// compareBuckets orders buckets by their keys.
func (d *Definition) compareBuckets(a, b *Bucket) int {
	if d.IsText() {
		return strings.Compare(a.Text, b.Text)
	}
	return cmp.Compare(a.Key, b.Key)
}

// MaxBytes is the memory that one request's aggregations may take on one machine, about.
const MaxBytes = 128 << 20

// Budget counts memory before it is taken. The zero value has spent nothing; it serves one goroutine.
type Budget struct{ spent int64 }

// Take counts n items of some bytes each; past [MaxBytes] it fails with limit_exceeded.
func (b *Budget) Take(n, bytes int) error {
	if b.spent += int64(n) * int64(bytes); b.spent > MaxBytes {
		return fault.New(fault.LimitExceeded, "the aggregations need more than %d MiB of memory: ask for fewer buckets or values", MaxBytes>>20)
	}
	return nil
}

// Give counts memory of which no more is needed.
func (b *Budget) Give(n, bytes int) { b.spent -= int64(n) * int64(bytes) }
