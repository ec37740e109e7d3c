package agg

import (
	"cmp"
	"fmt"
	"slices"
)

// mostKeyBytes bounds what the keys that are asked for by name take in a request.
const mostKeyBytes = 256 << 10

// Narrow tells what else the answer depends on, of what groups have said so far: the definitions to ask all of them for, each at its place among defs; none when their merge
// shows what that of whole results would.
func Narrow(defs []Definition, groups [][]Partial) (asks []Definition, places []int) {
	for i := range defs {
		said := make([]*Partial, len(groups))
		for g := range groups {
			said[g] = &groups[g][i]
		}
		d := defs[i]
		done := true
		switch {
		case d.Kind == Percentiles:
			d.Ask, done = d.narrowRuns(said)
		case d.narrows():
			d.Ask, done = d.narrowTerms(said)
		}
		if !done {
			asks, places = append(asks, d), append(places, i)
		}
	}
	return asks, places
}

// narrowRuns asks for the values that may have a wanted rank: from what it is if all values are the least of their runs, to what it is if all are the greatest.
func (d *Definition) narrowRuns(said []*Partial) (_ Ask, done bool) {
	var runs []Run
	n := uint64(0)
	for _, p := range said {
		for _, r := range p.Runs {
			n += r.Count
		}
		runs = append(runs, p.Runs...)
	}
	if n == 0 {
		return Ask{}, true
	}
	least := ranked(runs, func(r Run) int64 { return r.Value })
	greatest := ranked(runs, Run.greatest)
	var spans []Span
	open := false
	for _, percent := range d.Percents {
		low, _ := rankOf(percent, n)
		for _, rank := range [...]uint64{low, min(low+1, n-1)} {
			lo, hi := least.at(rank), greatest.at(rank)
			spans = append(spans, Span{Lo: lo, Hi: hi}) // of those that are known too: the next answer takes the place of this one
			open = open || lo < hi
		}
	}
	if !open {
		return Ask{}, true
	}
	return Ask{Within: united(spans)}, false
}

// united sorts spans, and makes one of those that overlap.
func united(spans []Span) []Span {
	slices.SortFunc(spans, func(a, b Span) int { return cmp.Compare(a.Lo, b.Lo) })
	all := spans[:1]
	for _, s := range spans[1:] {
		if last := &all[len(all)-1]; s.Lo <= last.Hi {
			last.Hi = max(last.Hi, s.Hi)
		} else {
			all = append(all, s)
		}
	}
	return all
}

// order is values and, of each, the rank behind its last.
type order struct {
	values []int64
	ends   []uint64
}

func ranked(runs []Run, value func(Run) int64) order {
	sorted := slices.Clone(runs)
	slices.SortFunc(sorted, func(a, b Run) int { return cmp.Compare(value(a), value(b)) })
	var o order
	n := uint64(0)
	for _, r := range sorted {
		n += r.Count
		o.values, o.ends = append(o.values, value(r)), append(o.ends, n)
	}
	return o
}

// at gives the value of a rank.
func (o *order) at(rank uint64) int64 {
	i, _ := slices.BinarySearch(o.ends, rank+1)
	return o.values[min(i, len(o.values)-1)] // ends that pass the numbers are a group's that lies
}

// narrowTerms asks for the buckets that may be shown and of which some group has not said what it has. While even one that no group has named may be shown, it asks for all that are large enough in
// any group.
func (d *Definition) narrowTerms(said []*Partial) (_ Ask, done bool) {
	bound := uint64(0) // of a bucket that no group has named
	for _, p := range said {
		bound += p.Bound
	}
	if bound == 0 || len(said) == 1 { // a group alone has named those it would show
		return Ask{}, true
	}
	known := d.known(said)
	last := uint64(0) // documents that the last bucket shown has at least
	if len(known) >= d.Size {
		counts := make([]uint64, len(known))
		for i := range known {
			counts[i] = known[i].least
		}
		slices.Sort(counts)
		last = counts[len(counts)-d.Size]
	}
	if bound >= last {
		groups := uint64(len(said))
		return Ask{AtLeast: max(1, (last+groups-1)/groups)}, false
	}
	var ask Ask
	bytes := 0
	for _, k := range known {
		if most := k.least + bound - k.bound; most >= last && most > k.least {
			ask.Keys = append(ask.Keys, Bucket{Key: k.first.Key, Text: k.first.Text})
			bytes += len(k.first.Text) + 10
		}
	}
	if len(ask.Keys) > mostKeys || bytes > mostKeyBytes {
		return Ask{}, false
	}
	return ask, len(ask.Keys) == 0
}

// knownBucket is what groups have said of a bucket.
type knownBucket struct {
	first *Bucket
	least uint64 // documents
	bound uint64 // the sum of bounds of groups that named it
}

// known gives the buckets that were named, by key.
func (d *Definition) known(said []*Partial) []knownBucket {
	var all []knownBucket
	for _, p := range said {
		for i := range p.Buckets {
			all = append(all, knownBucket{&p.Buckets[i], p.Buckets[i].Count, p.Bound})
		}
	}
	slices.SortFunc(all, func(a, b knownBucket) int { return d.compareBuckets(a.first, b.first) })
	n := 0
	for _, k := range all {
		if n > 0 && d.compareBuckets(all[n-1].first, k.first) == 0 {
			all[n-1].least += k.least
			all[n-1].bound += k.bound
			continue
		}
		all[n] = k
		n++
	}
	return all[:n]
}

// Refine adds what a group said when it was asked for d to what it had said before. The error is a group that contradicts itself.
func (d *Definition) Refine(said *Partial, more Partial) error {
	switch {
	case d.Kind != Terms:
		*said = more
		return nil
	case d.Ask.Keys == nil:
		return d.refineLarge(said, more)
	}
	named := make([]Bucket, 0, len(d.Ask.Keys))
	for _, k := range d.Ask.Keys {
		if _, before := d.find(said.Buckets, k); before {
			continue
		}
		at, found := d.find(more.Buckets, k)
		if !found {
			named = append(named, Bucket{Key: k.Key, Text: k.Text, Below: Empty(d.Below)})
			continue
		}
		b := more.Buckets[at]
		if b.Count > said.Bound || b.Count > said.Count {
			return fmt.Errorf("%w: a bucket of %d documents among %d left out of at most %d", ErrEncoding, b.Count, said.Count, said.Bound)
		}
		said.Count -= b.Count
		named = append(named, b)
	}
	said.Buckets = d.mergeBuckets(said.Buckets, named)
	return nil
}

// refineLarge adds all buckets of so many documents to those that were named before, which are kept however small: no bucket's share that is known is forgotten.
func (d *Definition) refineLarge(said *Partial, more Partial) error {
	var before []Bucket
	for _, b := range said.Buckets {
		if _, again := d.find(more.Buckets, b); again {
			continue
		}
		if b.Count > more.Count {
			return fmt.Errorf("%w: a bucket of %d documents among %d left out", ErrEncoding, b.Count, more.Count)
		}
		more.Count -= b.Count
		before = append(before, b)
	}
	more.Buckets = d.mergeBuckets(more.Buckets, before)
	more.Bound = min(more.Bound, said.Bound)
	*said = more
	return nil
}

// find gives the place of a key among buckets.
func (d *Definition) find(buckets []Bucket, key Bucket) (at int, found bool) {
	return slices.BinarySearchFunc(buckets, key, func(a, b Bucket) int { return d.compareBuckets(&a, &b) })
}
