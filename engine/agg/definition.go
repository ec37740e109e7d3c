package agg

import (
	"slices"
	"time"
	_ "time/tzdata" // zones are known on machines that have no list of them

	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// Limits of a request.
const (
	// MaxDepth is how deep aggregations nest.
	MaxDepth = 4
	// MaxDefinitions is how many aggregations a request holds, at all depths.
	MaxDefinitions = 256
	// MaxBuckets is how many buckets an answer holds, at all depths.
	MaxBuckets = 65_536
	// MaxDistinct is up to how many distinct values are counted exactly.
	MaxDistinct = 100_000
	// MaxNameBytes is the length of the longest name of an aggregation or key of a bucket of the request, in bytes.
	MaxNameBytes = 256
	// MaxTopHits is how many hits a bucket shows.
	MaxTopHits = 100
	// MaxListed is how many ranges, filters or percents one aggregation names.
	MaxListed = 256

	defaultTerms   = 10
	defaultTopHits = 3
)

// Kind is what an aggregation computes. The numbers are part of the wire format.
type Kind uint8

// The kinds of aggregations.
const (
	Terms Kind = iota + 1
	Stats
	Min
	Max
	Sum
	Avg
	Cardinality
	Histogram
	DateHistogram
	Range
	Filters
	Percentiles
	Missing
	TopHits
)

var kindNames = [...]string{
	Terms: "terms", Stats: "stats", Min: "min", Max: "max", Sum: "sum", Avg: "avg", Cardinality: "cardinality", Histogram: "histogram",
	DateHistogram: "date_histogram", Range: "range", Filters: "filters", Percentiles: "percentiles", Missing: "missing", TopHits: "top_hits",
}

// String gives the kind's name as requests write it, or "" for none.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

func kindByName(name string) Kind {
	for k := Terms; k <= TopHits; k++ {
		if kindNames[k] == name {
			return k
		}
	}
	return 0
}

// isBucket tells whether an aggregation divides documents, so that others may stand below it.
func (k Kind) isBucket() bool {
	switch k {
	case Terms, Histogram, DateHistogram, Range, Filters, Missing:
		return true
	}
	return false
}

// keyed tells whether the buckets come of values, and not of the request.
func (k Kind) keyed() bool { return k == Terms || k == Histogram || k == DateHistogram }

// isMetric tells whether the partial result is count, extremes and sum.
func (k Kind) isMetric() bool { return k == Stats || k == Min || k == Max || k == Sum || k == Avg }

// Definition is one aggregation, resolved against the schema.
type Definition struct {
	Name  string
	Kind  Kind
	Field string      // none for filters and top_hits
	Type  schema.Type // of the field; Keyword for exact values of text

	Size     int    // terms: buckets shown; top_hits: hits shown; cardinality: 1 for the least value of each document alone
	MinCount uint64 // terms, histogram, date_histogram: documents that a bucket shown has; 0 with a histogram: empty ones between the first and the last too
	Order    Order  // terms

	Interval, Offset float64       // histogram
	Fixed            int64         // date_histogram: ms, 0 with Calendar
	Calendar         Unit          // date_histogram: 0 with Fixed
	Shift            int64         // date_histogram: offset, ms
	Zone             string        // date_histogram: IANA name or +01:00; "": UTC
	Ranges           []Span        // range
	Filters          []NamedFilter // filters
	Percents         []float64     // percentiles
	Sort             []query.SortKey

	Below []Definition // of each bucket

	Ask Ask // of a group: how much of the result
}

// Order says which buckets of terms come first; then their keys decide, ascending.
type Order struct {
	By   OrderBy
	Desc bool
	Name string // ByMetric: of an aggregation below
	Part string // ByMetric of stats: count, min, max, sum, avg
}

// OrderBy is what buckets are ordered by.
type OrderBy uint8

// What buckets can be ordered by.
const (
	ByCount OrderBy = iota + 1
	ByKey
	ByMetric
)

// Unit is a part of the calendar.
type Unit uint8

// The units of a calendar.
const (
	Minute Unit = iota + 1
	Hour
	Day
	Week // from Monday
	Month
	Quarter
	Year
)

var unitNames = [...]string{Minute: "minute", Hour: "hour", Day: "day", Week: "week", Month: "month", Quarter: "quarter", Year: "year"}

// Span is one bucket of range: values from Lo to Hi; none when Lo > Hi.
type Span struct {
	Key    string
	Lo, Hi int64
}

// NamedFilter is one bucket of filters.
type NamedFilter struct {
	Key  string
	Node query.Node // resolved
}

// IsFloat tells whether values of a definition's field are [Ordered] doubles.
func (d *Definition) IsFloat() bool { return d.Type == schema.Double }

// IsText tells whether values of a definition's field are exact strings.
func (d *Definition) IsText() bool { return d.Type == schema.Keyword }

// EachFilter visits the queries of all filters, at all depths, in order; visit may replace them.
func EachFilter(defs []Definition, visit func(n *query.Node) error) error {
	for i := range defs {
		for j := range defs[i].Filters {
			if err := visit(&defs[i].Filters[j].Node); err != nil {
				return err
			}
		}
		if err := EachFilter(defs[i].Below, visit); err != nil {
			return err
		}
	}
	return nil
}

// NeedScores tells whether hits of any top_hits are ordered by their scores.
func NeedScores(defs []Definition) bool {
	return slices.ContainsFunc(defs, func(d Definition) bool { return d.Kind == TopHits && d.Scored() || NeedScores(d.Below) })
}

// Scored tells whether the hits of a top_hits are ordered by their scores.
func (d *Definition) Scored() bool {
	return len(d.Sort) == 0 || slices.ContainsFunc(d.Sort, func(k query.SortKey) bool { return k.By == query.ByScore })
}

// EachHit visits the hits of all top_hits, at all depths, in order.
func EachHit(defs []Definition, partials []Partial, visit func(d *Definition, c *query.Candidate)) {
	for i := range defs {
		d, p := &defs[i], &partials[i]
		for j := range p.Hits {
			visit(d, &p.Hits[j])
		}
		if d.Kind == Missing {
			EachHit(d.Below, p.Below, visit)
		}
		for j := range p.Buckets {
			EachHit(d.Below, p.Buckets[j].Below, visit)
		}
	}
}

// zone loads the time zone of a name, or of an offset as in RFC 3339.
func zone(name string) (*time.Location, error) {
	if t, err := time.Parse("-07:00", name); err == nil {
		_, seconds := t.Zone()
		return time.FixedZone(name, seconds), nil
	}
	return time.LoadLocation(name)
}
