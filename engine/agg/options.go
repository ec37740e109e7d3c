package agg

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// options reads what an aggregation says beside its kind.
type options struct {
	p              *parser
	d              *Definition
	size, minCount int64 // -1: not said
	interval       bool
	ends           []ends
	sort           []query.SortSpec
}

// maxDurationMs bounds times, at about 290 years: so no sum of two overflows.
const maxDurationMs = int64(math.MaxInt64 / time.Millisecond)

// ends are those of a range as they stand in the text; "": open.
type ends struct {
	key      string
	from, to end
}

// end is one of a range as it was written; without text it is open.
type end struct {
	text   string
	number bool
}

// takes lists the options of each kind.
func (k Kind) takes(option string) bool {
	switch option {
	case "field":
		return k != Filters && k != TopHits
	case "size":
		return k == Terms || k == TopHits
	case "order":
		return k == Terms
	case "min_count":
		return k.keyed()
	case "interval":
		return k == Histogram
	case "offset":
		return k == Histogram || k == DateHistogram
	case "fixed_interval", "calendar_interval", "time_zone":
		return k == DateHistogram
	case "ranges":
		return k == Range
	case "filters":
		return k == Filters
	case "percents":
		return k == Percentiles
	case "sort":
		return k == TopHits
	}
	return false
}

func (o *options) bad(format string, args ...any) error {
	return fault.New(fault.BadRequest, "aggregation "+fault.Quote(o.d.Name)+": "+format, args...)
}

func (o *options) read() error {
	d := o.d
	if err := o.p.object(d.Kind.String(), o.option); err != nil {
		return err
	}
	if d.Kind.takes("field") {
		if d.Field == "" {
			return o.bad("%s needs a field", d.Kind)
		}
		if err := d.resolveField(o.p.schema); err != nil {
			return err
		}
	}
	return o.finish()
}

// finish puts defaults in, and holds options to each other.
func (o *options) finish() (err error) {
	d := o.d
	switch d.Kind {
	case Terms:
		d.Size = int(min(cmp.Or(max(o.size, 0), int64(defaultTerms)), MaxBuckets))
		if o.size == 0 {
			return o.bad("size is at least 1")
		}
		if d.Order.By == 0 {
			d.Order = Order{By: ByCount, Desc: true}
		}
	case TopHits:
		if d.Size = defaultTopHits; o.size >= 0 {
			d.Size = int(min(o.size, MaxTopHits+1))
		}
		if d.Size > MaxTopHits {
			return fault.New(fault.LimitExceeded, "aggregation %s: top_hits shows at most %d", fault.Quote(d.Name), MaxTopHits)
		}
		d.Sort, err = query.ResolveSort(o.sort, o.p.schema)
	case Histogram:
		if !o.interval {
			return o.bad("histogram needs an interval")
		}
	case DateHistogram:
		if (d.Fixed > 0) == (d.Calendar > 0) {
			return o.bad("date_histogram needs fixed_interval or calendar_interval, and not both")
		}
	case Percentiles:
		if len(d.Percents) == 0 {
			d.Percents = []float64{1, 5, 25, 50, 75, 95, 99}
		}
	case Range:
		if len(o.ends) == 0 {
			return o.bad("range needs ranges")
		}
		for _, e := range o.ends {
			span, err := o.span(e)
			if err != nil {
				return err
			}
			d.Ranges = append(d.Ranges, span)
		}
	case Filters:
		if len(d.Filters) == 0 {
			return o.bad("filters needs filters")
		}
	}
	if d.Kind.keyed() {
		d.MinCount = uint64(max(o.minCount, 0))
		if o.minCount < 0 || d.Kind == Terms {
			d.MinCount = max(d.MinCount, 1)
		}
	}
	return err
}

func (o *options) option(key string) (err error) {
	p, d := o.p, o.d
	if !d.Kind.takes(key) {
		return o.bad("%s has no %s", d.Kind, fault.Quote(key))
	}
	switch key {
	case "field":
		d.Field, err = p.text(key)
	case "size":
		o.size, err = o.whole(key)
	case "min_count":
		o.minCount, err = o.whole(key)
	case "order":
		err = o.order()
	case "interval":
		o.interval = true
		if d.Interval, err = o.number(key); err == nil && d.Interval <= 0 {
			err = o.bad("interval is above 0")
		}
	case "offset":
		err = o.offset()
	case "fixed_interval":
		if d.Fixed, err = o.duration(key); err == nil && d.Fixed <= 0 {
			err = o.bad("fixed_interval is above 0")
		}
	case "calendar_interval":
		err = o.calendar()
	case "time_zone":
		if d.Zone, err = p.text(key); err == nil {
			if _, e := zone(d.Zone); e != nil || d.Zone == "" || d.Zone == "Local" {
				err = o.bad("time_zone %s is not known: a name like Europe/Oslo, or +01:00", fault.Quote(d.Zone))
			}
		}
	case "percents":
		err = p.list(key, func(int) error {
			x, err := o.number(key)
			if err == nil && (x < 0 || x > 100) {
				err = o.bad("percent %v is not between 0 and 100", x)
			}
			d.Percents = append(d.Percents, x)
			return err
		})
	case "ranges":
		err = p.list(key, func(int) error { return o.readEnds() })
	case "filters":
		err = o.filters()
	case "sort":
		err = o.readSort()
	}
	return err
}

func (o *options) whole(key string) (int64, error) {
	if o.p.r.Kind() != strictjson.Number {
		return 0, o.p.wrong(key, "a whole number")
	}
	token, err := o.p.r.Number()
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(token, 10, 64)
	if err != nil || n < 0 {
		return 0, o.bad("%s is a whole number that is not negative", key)
	}
	return n, nil
}

func (o *options) number(key string) (float64, error) {
	if o.p.r.Kind() != strictjson.Number {
		return 0, o.p.wrong(key, "a number")
	}
	token, err := o.p.r.Number()
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(token, 64)
	if err != nil {
		return 0, o.bad("%s is beyond what a double holds", key)
	}
	return x, nil
}

// duration reads a number with ms, s, m, h or d, as ms.
func (o *options) duration(key string) (int64, error) {
	text, err := o.p.text(key)
	if err != nil {
		return 0, err
	}
	for _, unit := range []struct {
		suffix string
		ms     int64
	}{{"ms", 1}, {"s", 1000}, {"m", 60_000}, {"h", 3_600_000}, {"d", 86_400_000}} {
		number, ok := strings.CutSuffix(text, unit.suffix)
		n, err := strconv.ParseInt(number, 10, 64)
		if ok && err == nil && n >= -maxDurationMs/unit.ms && n <= maxDurationMs/unit.ms {
			return n * unit.ms, nil
		}
	}
	return 0, o.bad("%s %s is no time like 90m, 12h or 1d", key, fault.Quote(text))
}

func (o *options) offset() (err error) {
	if o.d.Kind == Histogram {
		o.d.Offset, err = o.number("offset")
		return err
	}
	o.d.Shift, err = o.duration("offset")
	return err
}

func (o *options) calendar() error {
	name, err := o.p.text("calendar_interval")
	if err != nil {
		return err
	}
	if at := slices.Index(unitNames[1:], name); at >= 0 {
		o.d.Calendar = Unit(at + 1)
		return nil
	}
	return o.bad("calendar_interval is minute, hour, day, week, month, quarter or year, not %s", fault.Quote(name))
}

// order reads "count", "key", or {"by":…,"dir":…}.
func (o *options) order() (err error) {
	by, dir := "", ""
	if o.p.r.Kind() == strictjson.Object {
		err = o.p.object("order", func(key string) (err error) {
			switch key {
			case "by":
				by, err = o.p.text(key)
			case "dir":
				dir, err = o.p.text(key)
			default:
				err = o.bad("order has no %s", fault.Quote(key))
			}
			return err
		})
	} else {
		by, err = o.p.text("order")
	}
	if err != nil {
		return err
	}
	order := &o.d.Order
	switch by {
	case "":
		return o.bad("order says by what")
	case "count":
		*order = Order{By: ByCount, Desc: true}
	case "key":
		*order = Order{By: ByKey}
	default:
		*order = Order{By: ByMetric, Desc: true, Name: by}
		if name, part, ok := cutLast(by); ok && slices.Contains([]string{"count", "min", "max", "sum", "avg"}, part) {
			order.Name, order.Part = name, part
		}
	}
	switch dir {
	case "":
	case "asc":
		order.Desc = false
	case "desc":
		order.Desc = true
	default:
		return o.bad("dir is asc or desc, not %s", fault.Quote(dir))
	}
	return nil
}

func cutLast(s string) (before, after string, found bool) {
	if i := strings.LastIndexByte(s, '.'); i > 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

func (o *options) readEnds() error {
	var e ends
	read := func(key string, into *end) (err error) {
		switch o.p.r.Kind() {
		case strictjson.Number:
			into.number = true
			into.text, err = o.p.r.Number()
		case strictjson.Null:
			err = o.p.r.Null()
		default:
			into.text, err = o.p.text(key)
		}
		return err
	}
	err := o.p.object("a range", func(key string) (err error) {
		switch key {
		case "key":
			e.key, err = o.p.text(key)
		case "from":
			err = read(key, &e.from)
		case "to":
			err = read(key, &e.to)
		default:
			err = o.bad("a range has no %s", fault.Quote(key))
		}
		return err
	})
	if len(e.key) > MaxNameBytes {
		return o.bad("a key has at most %d bytes", MaxNameBytes)
	}
	o.ends = append(o.ends, e)
	return err
}

// span turns ends into the least and the greatest value between them.
func (o *options) span(e ends) (Span, error) {
	s := Span{Key: e.key, Lo: math.MinInt64, Hi: math.MaxInt64}
	if s.Key == "" {
		s.Key = cmp.Or(e.from.text, "*") + "-" + cmp.Or(e.to.text, "*")
	}
	empty := false
	if e.from.text != "" {
		v, above, err := o.atLeast(e.from)
		if err != nil {
			return s, err
		}
		s.Lo, empty = v, above
	}
	if e.to.text != "" {
		v, above, err := o.atLeast(e.to)
		if err != nil {
			return s, err
		}
		switch {
		case above:
		case v == math.MinInt64:
			empty = true
		default:
			s.Hi = v - 1
		}
	}
	if empty {
		s.Lo, s.Hi = 0, -1
	}
	return s, nil
}

// atLeast gives the least value that is not below an end, or tells that the end lies above all values.
func (o *options) atLeast(e end) (value int64, above bool, err error) {
	if o.d.IsFloat() && schema.IsDecimal(e.text) {
		x, _ := strconv.ParseFloat(e.text, 64) // infinite beyond the largest double
		return Ordered(x), false, nil
	}
	in, ok := schema.Span{}, false
	switch o.d.Type {
	case schema.Date:
		if !e.number {
			in, ok = schema.DateSpan(e.text)
		}
		if !ok {
			in, ok = schema.EpochSpan(e.text)
		}
	case schema.Long:
		in, ok = schema.WholeSpan(e.text)
	}
	switch {
	case !ok:
		return 0, false, fault.New(fault.BadField, "field %s is %s, %s is none", fault.Quote(o.d.Field), o.d.Type, fault.Quote(e.text))
	case in.Outside < 0:
		return math.MinInt64, false, nil
	}
	return in.Lo, in.Outside > 0, nil
}

// filters reads a list of {"key","filter"}, or an object whose order is kept.
func (o *options) filters() error {
	if o.p.r.Kind() == strictjson.Object {
		return o.p.object("filters", func(key string) error { return o.filter(key) })
	}
	return o.p.list("filters", func(int) error {
		key, raw := "", ""
		err := o.p.object("a filter", func(name string) (err error) {
			switch name {
			case "key":
				key, err = o.p.text(name)
			case "filter":
				raw, err = o.p.r.Raw()
			default:
				err = o.bad("a filter has no %s", fault.Quote(name))
			}
			return err
		})
		if err == nil && raw == "" {
			err = o.bad("a filter without a query")
		}
		if err != nil {
			return err
		}
		return o.add(key, raw)
	})
}

func (o *options) filter(key string) error {
	raw, err := o.p.r.Raw()
	if err != nil {
		return err
	}
	return o.add(key, raw)
}

func (o *options) add(key, raw string) error {
	if len(o.d.Filters) == MaxListed || len(key) > MaxNameBytes {
		return fault.New(fault.LimitExceeded, "filters are at most %d, their keys %d bytes", MaxListed, MaxNameBytes)
	}
	node, err := query.DecodeJSON([]byte(raw), query.Options{})
	if err != nil {
		return err
	}
	resolved, err := query.Resolve(node, o.p.schema, true)
	o.d.Filters = append(o.d.Filters, NamedFilter{Key: key, Node: resolved})
	return err
}

func (o *options) readSort() error {
	one := func(int) error {
		var s query.SortSpec
		var err error
		if o.p.r.Kind() == strictjson.String {
			s.Field, err = o.p.r.String()
		} else {
			err = o.p.object("sort", func(key string) (err error) {
				switch key {
				case "field":
					s.Field, err = o.p.text(key)
				case "order":
					s.Order, err = o.p.text(key)
				case "missing":
					s.Missing, err = o.p.text(key)
				default:
					err = o.bad("a sort key has no %s", fault.Quote(key))
				}
				return err
			})
		}
		o.sort = append(o.sort, s)
		return err
	}
	if o.p.r.Kind() == strictjson.Array {
		return o.p.list("sort", one)
	}
	return one(0)
}
