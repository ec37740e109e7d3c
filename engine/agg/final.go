package agg

import (
	"cmp"
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Hit gives a hit of top_hits as JSON; nil leaves it out.
type Hit func(d *Definition, c *query.Candidate) (json.RawMessage, error)

// Cut leaves of merged results the buckets that an answer shows, in its order, and counts them: more than [MaxBuckets] are limit_exceeded. What is left out of terms is
// counted in their Count.
func Cut(defs []Definition, partials []Partial) error {
	c := cutter{left: MaxBuckets}
	return c.all(defs, partials)
}

type cutter struct{ left int }

func (c *cutter) all(defs []Definition, partials []Partial) error {
	for i := range defs {
		d, p := &defs[i], &partials[i]
		if err := c.one(d, p); err != nil {
			return err
		}
		if d.Kind == Missing {
			if err := c.all(d.Below, p.Below); err != nil {
				return err
			}
		}
		for j := range p.Buckets {
			if err := c.all(d.Below, p.Buckets[j].Below); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *cutter) one(d *Definition, p *Partial) error {
	switch {
	case d.Kind == Terms:
		d.cutTerms(p)
	case d.Kind.keyed() && d.MinCount == 0:
		if err := d.fill(p, c.left); err != nil {
			return err
		}
	case d.Kind.keyed():
		p.Buckets = slices.DeleteFunc(p.Buckets, func(b Bucket) bool { return b.Count < d.MinCount })
	}
	if c.left -= len(p.Buckets); c.left < 0 {
		return tooMany(d)
	}
	return nil
}

func tooMany(d *Definition) error {
	return fault.New(fault.LimitExceeded, "aggregation %s: an answer holds at most %d buckets", fault.Quote(d.Name), MaxBuckets)
}

func (d *Definition) cutTerms(p *Partial) {
	p.Buckets = slices.DeleteFunc(p.Buckets, func(b Bucket) bool { return b.Count < d.MinCount })
	slices.SortStableFunc(p.Buckets, func(a, b Bucket) int { return d.compare(&a, &b) })
	if len(p.Buckets) > d.Size {
		for _, b := range p.Buckets[d.Size:] {
			p.Count += b.Count
		}
		p.Buckets = p.Buckets[:d.Size]
	}
}

// fill puts empty buckets between the first and the last.
func (d *Definition) fill(p *Partial, most int) error {
	if len(p.Buckets) == 0 {
		return nil
	}
	k, err := NewKeyer(d)
	if err != nil {
		return err
	}
	keys := d.between(k, p.Buckets[0].Key, p.Buckets[len(p.Buckets)-1].Key, most)
	if len(keys) > most {
		return tooMany(d)
	}
	empty := make([]Bucket, len(keys))
	for i, key := range keys {
		empty[i] = Bucket{Key: key, Below: Empty(d.Below)}
	}
	p.Buckets = d.mergeBuckets(p.Buckets, empty)
	return nil
}

// compare orders buckets of terms as the answer shows them; equal ones stay in the order of their keys.
func (d *Definition) compare(a, b *Bucket) int {
	c := 0
	switch d.Order.By {
	case ByCount:
		c = cmp.Compare(a.Count, b.Count)
	case ByKey:
		c = d.compareBuckets(a, b)
	case ByMetric:
		at := slices.IndexFunc(d.Below, func(b Definition) bool { return b.Name == d.Order.Name })
		if at < 0 {
			return 0
		}
		x, y := d.Below[at].number(&a.Below[at], d.Order.Part), d.Below[at].number(&b.Below[at], d.Order.Part)
		switch {
		case x == nil && y == nil:
			return 0
		case x == nil:
			return 1
		case y == nil:
			return -1
		}
		c = x.Cmp(y)
	}
	if d.Order.Desc {
		return -c
	}
	return c
}

// number gives the number that a metric shows, nil where it shows none.
func (d *Definition) number(p *Partial, part string) *big.Float {
	if d.Kind == Cardinality {
		n, _ := distinct(p.Hashes)
		return new(big.Float).SetUint64(n)
	}
	switch {
	case part == "":
		part = d.Kind.String()
	case part == "count":
		return new(big.Float).SetUint64(p.Count)
	}
	if p.Count == 0 && part != "sum" {
		return nil
	}
	value := func(v int64) *big.Float {
		if d.IsFloat() {
			return big.NewFloat(Double(v))
		}
		return new(big.Float).SetInt64(v)
	}
	switch part {
	case "min":
		return value(p.Least)
	case "max":
		return value(p.Greatest)
	}
	sum := rounded(p.Sum, d.IsFloat())
	switch {
	case math.IsInf(sum, 0):
		return nil
	case part == "avg":
		return big.NewFloat(sum / float64(p.Count))
	case !d.IsFloat() && p.Sum != nil && p.Sum.IsInt64():
		return new(big.Float).SetInt(p.Sum)
	}
	return big.NewFloat(sum)
}

// Distinct gives how many distinct values a [Cardinality] has found; not exact past [MaxDistinct].
func (p *Partial) Distinct() (n uint64, exact bool) { return distinct(p.Hashes) }

// distinct counts distinct values, or estimates them.
func distinct(hashes []uint64) (n uint64, exact bool) {
	if len(hashes) <= MaxDistinct {
		return uint64(len(hashes)), true
	}
	// k-1 values lie below the k-th least hash of those that are spread evenly over 2^64
	return uint64(math.Ldexp(MaxDistinct, 64) / float64(hashes[MaxDistinct])), false
}

// AppendJSON appends what [Cut] left, as the answer shows it.
func AppendJSON(dst []byte, defs []Definition, partials []Partial, hit Hit) (_ []byte, err error) {
	dst = append(dst, '{')
	for i := range defs {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, defs[i].Name), ':')
		if dst, err = appendOne(dst, &defs[i], &partials[i], hit); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// AppendFacet appends a facet's values, as the answer shows them.
func AppendFacet(dst []byte, d *Definition, p *Partial) (_ []byte, err error) {
	dst = append(dst, '[')
	for i := range p.Buckets {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"value":`...)
		if dst, err = d.appendKey(dst, &p.Buckets[i]); err != nil {
			return nil, err
		}
		dst = append(strconv.AppendUint(append(dst, `,"count":`...), p.Buckets[i].Count, 10), '}')
	}
	return append(dst, ']'), nil
}

func appendOne(dst []byte, d *Definition, p *Partial, hit Hit) (_ []byte, err error) {
	switch d.Kind {
	case Stats:
		return d.appendStats(dst, p)
	case Min, Max, Sum, Avg:
		if dst, err = d.appendMetric(append(dst, `{"value":`...), p, d.Kind); err != nil {
			return nil, err
		}
		return append(d.appendOverflow(dst, p), '}'), nil
	case Cardinality:
		n, exact := distinct(p.Hashes)
		dst = strconv.AppendUint(append(dst, `{"value":`...), n, 10)
		if !exact {
			dst = append(dst, `,"exact":false`...)
		}
		return append(dst, '}'), nil
	case Percentiles:
		return d.appendPercentiles(dst, p)
	case Missing:
		dst = strconv.AppendUint(append(dst, `{"count":`...), p.Count, 10)
		return appendBelow(dst, d, p.Below, hit)
	case TopHits:
		return appendHits(dst, d, p, hit)
	}
	dst = append(dst, `{"buckets":[`...)
	for i := range p.Buckets {
		b := &p.Buckets[i]
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = d.appendKey(append(dst, `{"key":`...), b); err != nil {
			return nil, err
		}
		dst = strconv.AppendUint(append(dst, `,"count":`...), b.Count, 10)
		if dst, err = appendBelow(dst, d, b.Below, hit); err != nil {
			return nil, err
		}
	}
	dst = append(dst, ']')
	if d.Kind == Terms {
		dst = strconv.AppendUint(append(dst, `,"other":`...), p.Count, 10)
	}
	return append(dst, '}'), nil
}

// appendBelow ends an object with the aggregations below.
func appendBelow(dst []byte, d *Definition, below []Partial, hit Hit) (_ []byte, err error) {
	if len(d.Below) > 0 {
		if dst, err = AppendJSON(append(dst, `,"aggs":`...), d.Below, below, hit); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

func appendHits(dst []byte, d *Definition, p *Partial, hit Hit) ([]byte, error) {
	dst = append(dst, `{"hits":[`...)
	first := true
	for i := range p.Hits {
		raw, err := hit(d, &p.Hits[i])
		if err != nil {
			return nil, err
		}
		if raw == nil {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(dst, raw...)
	}
	dst = strconv.AppendUint(append(dst, `],"total":{"value":`...), p.Count, 10)
	return append(dst, `,"relation":"eq"}}`...), nil
}

// appendKey appends a bucket's key in the field's JSON type.
func (d *Definition) appendKey(dst []byte, b *Bucket) ([]byte, error) {
	switch d.Kind {
	case Histogram:
		return d.appendHistogramKey(dst, b.Key)
	case DateHistogram:
		return d.appendDateKey(dst, b.Key)
	case Range:
		return appendString(dst, d.Ranges[b.Key].Key), nil
	case Filters:
		return appendString(dst, d.Filters[b.Key].Key), nil
	}
	if d.IsText() {
		return appendString(dst, b.Text), nil
	}
	return d.appendValue(dst, b.Key)
}

// appendValue appends a value in the field's JSON type.
func (d *Definition) appendValue(dst []byte, v int64) ([]byte, error) {
	switch d.Type {
	case schema.Double:
		return appendFloat(dst, Double(v))
	case schema.Date:
		return appendString(dst, schema.FormatDate(v)), nil
	case schema.Bool:
		return strconv.AppendBool(dst, v != 0), nil
	}
	return strconv.AppendInt(dst, v, 10), nil
}

func (d *Definition) appendStats(dst []byte, p *Partial) (_ []byte, err error) {
	dst = strconv.AppendUint(append(dst, `{"count":`...), p.Count, 10)
	for _, k := range [...]Kind{Min, Max, Sum, Avg} {
		dst = append(append(append(dst, `,"`...), k.String()...), `":`...)
		if dst, err = d.appendMetric(dst, p, k); err != nil {
			return nil, err
		}
	}
	return append(d.appendOverflow(dst, p), '}'), nil
}

// appendMetric appends one number of a metric, null where there is none.
func (d *Definition) appendMetric(dst []byte, p *Partial, k Kind) ([]byte, error) {
	sum := rounded(p.Sum, d.IsFloat())
	switch {
	case p.Count == 0 && k != Sum, math.IsInf(sum, 0) && (k == Sum || k == Avg):
		return append(dst, "null"...), nil
	case k == Min:
		return d.appendValue(dst, p.Least)
	case k == Max:
		return d.appendValue(dst, p.Greatest)
	case k == Avg:
		return appendFloat(dst, sum/float64(p.Count))
	case !d.IsFloat() && p.Sum != nil && p.Sum.IsInt64():
		return p.Sum.Append(dst, 10), nil
	}
	return appendFloat(dst, sum)
}

func (d *Definition) appendOverflow(dst []byte, p *Partial) []byte {
	if d.Kind != Min && d.Kind != Max && math.IsInf(rounded(p.Sum, d.IsFloat()), 0) {
		dst = append(dst, `,"overflow":true`...)
	}
	return dst
}

func (d *Definition) appendPercentiles(dst []byte, p *Partial) (_ []byte, err error) {
	n := uint64(0)
	ends := make([]uint64, len(p.Runs)) // of the runs, in ranks
	for i, r := range p.Runs {
		n += r.Count
		ends[i] = n
	}
	at := func(rank uint64) float64 {
		i, found := slices.BinarySearch(ends, rank)
		if found {
			i++
		}
		i = min(i, len(ends)-1) // ends that pass the numbers are a group's that lies
		if d.IsFloat() {
			return Double(p.Runs[i].Value)
		}
		return float64(p.Runs[i].Value)
	}
	dst = append(dst, `{"values":{`...)
	for i, percent := range d.Percents {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, strconv.FormatFloat(percent, 'f', -1, 64)), ':')
		if n == 0 {
			dst = append(dst, "null"...)
			continue
		}
		if dst, err = appendFloat(dst, percentile(percent, n, at)); err != nil {
			return nil, err
		}
	}
	return append(dst, `}}`...), nil
}

// rankOf gives the rank of a percentile among n values: the nearest below, and how far it lies above that.
func rankOf(percent float64, n uint64) (low uint64, part float64) {
	rank := float64(percent / 100 * float64(n-1))
	low = min(uint64(rank), n-1)
	return low, rank - float64(low)
}

// percentile interpolates between the two nearest ranks of n values.
func percentile(percent float64, n uint64, at func(rank uint64) float64) float64 {
	low, part := rankOf(percent, n)
	a := at(low)
	if part == 0 || low == n-1 {
		return a
	}
	b := at(low + 1)
	if step := b - a; !math.IsInf(step, 0) {
		return a + float64(step*part)
	}
	return float64(a*(1-part)) + float64(b*part)
}

func appendFloat(dst []byte, x float64) ([]byte, error) {
	b, err := json.Marshal(x)
	if err != nil {
		return nil, fault.New(fault.BadRequest, "an aggregation comes to %v, which JSON cannot say", x)
	}
	return append(dst, b...), nil
}

func appendString(dst []byte, s string) []byte {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return append(dst, b...)
}
