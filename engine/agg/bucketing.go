package agg

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"time"

	"github.com/jetseek/jetseek/engine/fault"
)

// whole tells whether a histogram of a long counts in integers.
func (d *Definition) whole() bool {
	return !d.IsFloat() && d.Interval == math.Trunc(d.Interval) && d.Offset == math.Trunc(d.Offset) && d.Interval < 1<<62 && math.Abs(d.Offset) < 1<<62
}

// Keyer gives the key of the bucket that a value belongs to. It serves one goroutine.
type Keyer struct {
	def      *Definition
	whole    bool
	interval int64
	offset   int64 // below interval, not negative
	zone     *time.Location

	from, to, key int64     // values from..to-1 have this key
	known         []keySpan // of the calendar, ascending
	lo, hi        int64     // of other kinds: values that have the key that was asked for last
}

// keySpan is the values from..to-1, which have a key.
type keySpan struct{ from, to, key int64 }

// mostKnown bounds the spans that a keyer remembers.
const mostKnown = 1 << 12

// NewKeyer makes the keyer of a histogram or date_histogram; a value of terms is its own key.
func NewKeyer(d *Definition) (*Keyer, error) {
	k := &Keyer{def: d, zone: time.UTC}
	switch d.Kind {
	case Histogram:
		if k.whole = d.whole(); k.whole {
			k.interval = int64(d.Interval)
			k.offset = ((int64(d.Offset) % k.interval) + k.interval) % k.interval
		}
	case DateHistogram:
		if d.Zone != "" {
			var err error
			if k.zone, err = zone(d.Zone); err != nil {
				return nil, fault.New(fault.BadRequest, "time_zone %s is not known: %v", fault.Quote(d.Zone), err)
			}
		}
	}
	return k, nil
}

// Key gives the key of a value. The error is a fault: a value that lies too many intervals from zero to be counted.
func (k *Keyer) Key(v int64) (int64, error) {
	switch k.def.Kind {
	case Histogram:
		k.lo, k.hi = v, v
		if k.whole {
			n := floorDiv(v, k.interval)
			if v-n*k.interval < k.offset {
				n--
			}
			k.spread(v, n)
			return n, nil
		}
		return k.floatKey(v)
	case DateHistogram:
		if v < k.from || v >= k.to {
			k.recall(v)
		}
		return k.key, nil
	}
	k.lo, k.hi = v, v
	return v, nil
}

// spread finds the values of interval n around v, up to the ends of the numbers.
func (k *Keyer) spread(v, n int64) {
	before := v - n*k.interval - k.offset // 0 to interval-1, whatever overflows on the way
	k.lo, k.hi = v-before, v+(k.interval-1-before)
	if k.lo > v {
		k.lo = math.MinInt64
	}
	if k.hi < v {
		k.hi = math.MaxInt64
	}
}

// Span gives values, from lo to hi, that all have the key that Key gave last of one of them.
func (k *Keyer) Span() (lo, hi int64) {
	if k.def.Kind == DateHistogram {
		return k.from, k.to - 1
	}
	return k.lo, k.hi
}

// recall finds the bucket of an instant among those that are known, or learns it.
func (k *Keyer) recall(v int64) {
	if k.def.Fixed > 0 { // which takes less than remembering
		k.enter(v)
		return
	}
	at, _ := slices.BinarySearchFunc(k.known, v, func(s keySpan, v int64) int { return cmp.Compare(s.to, v+1) })
	if at < len(k.known) && k.known[at].from <= v && v < k.known[at].to {
		k.from, k.to, k.key = k.known[at].from, k.known[at].to, k.known[at].key
		return
	}
	k.enter(v)
	if len(k.known) < mostKnown {
		k.known = slices.Insert(k.known, at, keySpan{k.from, k.to, k.key})
	}
}

func (k *Keyer) floatKey(v int64) (int64, error) {
	x := float64(v)
	if k.def.IsFloat() {
		x = Double(v)
	}
	n := math.Floor((x - k.def.Offset) / k.def.Interval)
	if math.IsInf(n, 0) {
		return 0, fault.New(fault.BadRequest, "interval %v of aggregation %s is too small for the value %v", k.def.Interval, fault.Quote(k.def.Name), x)
	}
	return Ordered(n), nil
}

// enter finds the bucket of an instant.
func (k *Keyer) enter(ns int64) {
	const msNs = int64(time.Millisecond)
	ms := floorDiv(ns, msNs)
	next := ms + 1
	if k.def.Fixed > 0 {
		k.key = floorDiv(ms-k.def.Shift, k.def.Fixed)*k.def.Fixed + k.def.Shift
		next = k.key + k.def.Fixed
	} else {
		start := k.start(time.UnixMilli(ms - k.def.Shift).In(k.zone))
		k.key = start.UnixMilli() + k.def.Shift
		if end := k.after(start); end.After(start) {
			next = max(next, end.UnixMilli()+k.def.Shift)
		}
	}
	k.from, k.to = ns, math.MaxInt64
	if k.key > math.MinInt64/msNs {
		k.from = k.key * msNs
	}
	if next < math.MaxInt64/msNs {
		k.to = next * msNs
	}
}

// start gives the first instant of the unit of the calendar that holds t.
func (k *Keyer) start(t time.Time) time.Time {
	y, m, d := t.Date()
	switch k.def.Calendar {
	case Minute:
		return t.Add(-time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
	case Hour:
		return t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
	case Week:
		d -= (int(t.Weekday()) + 6) % 7
	case Month:
		d = 1
	case Quarter:
		m, d = m-(m-1)%3, 1
	case Year:
		m, d = 1, 1
	}
	return k.midnight(y, m, d)
}

// after gives the first instant behind a unit that starts at t, or one within it.
func (k *Keyer) after(t time.Time) time.Time {
	y, m, d := t.Date()
	switch k.def.Calendar {
	case Minute:
		return t.Add(time.Minute)
	case Hour:
		if _, end := t.ZoneBounds(); end.IsZero() || end.Sub(t) >= time.Hour {
			return t.Add(time.Hour)
		}
		return t.Add(time.Minute) // the clock is set in between
	case Week:
		d += 7
	case Month:
		m++
	case Quarter:
		m += 3
	case Year:
		y++
	default:
		d++
	}
	return k.midnight(y, m, d)
}

// midnight gives the first instant of a local day: where clocks are set at midnight there are two, or none and the day begins later.
func (k *Keyer) midnight(y int, m time.Month, d int) time.Time {
	want := time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Day()
	t := time.Date(y, m, d, 0, 0, 0, 0, k.zone)
	if t.Day() != want {
		_, t = t.ZoneBounds()
	}
	if earlier := t.Add(-time.Hour); earlier.Day() == want {
		return earlier
	}
	if start, _ := t.ZoneBounds(); start.Before(t) && t.Sub(start) < 24*time.Hour && start.Day() == want { // of a day of the same number months ago there may be one too
		return start
	}
	return t
}

// appendHistogramKey appends a bucket's key as JSON.
func (d *Definition) appendHistogramKey(dst []byte, key int64) ([]byte, error) {
	if !d.whole() {
		x := float64(Double(key)*d.Interval) + d.Offset
		return appendFloat(dst, x+0)
	}
	interval := int64(d.Interval)
	offset := big.NewInt(((int64(d.Offset) % interval) + interval) % interval)
	n := new(big.Int).Mul(big.NewInt(key), big.NewInt(interval))
	return n.Add(n, offset).Append(dst, 10), nil
}

// appendDateKey appends a bucket's key, and as text in the time zone.
func (d *Definition) appendDateKey(dst []byte, ms int64) ([]byte, error) {
	at := time.UTC
	if d.Zone != "" {
		var err error
		if at, err = zone(d.Zone); err != nil {
			return nil, fmt.Errorf("time zone of aggregation %s: %w", d.Name, err)
		}
	}
	dst = strconv.AppendInt(dst, ms, 10)
	dst = append(dst, `,"key_text":"`...)
	dst = time.UnixMilli(ms).In(at).AppendFormat(dst, "2006-01-02T15:04:05.000Z07:00")
	return append(dst, '"'), nil
}

// between counts the buckets from one key to another, both included; more than most is most+1.
func (d *Definition) between(k *Keyer, from, to int64, most int) (keys []int64) {
	for key := from; key <= to && len(keys) <= most; {
		keys = append(keys, key)
		next, ok := d.next(k, key)
		if !ok {
			break
		}
		key = next
	}
	return keys
}

// next gives the key behind a key.
func (d *Definition) next(k *Keyer, key int64) (int64, bool) {
	switch {
	case d.Kind == Histogram && d.whole():
		return key + 1, key < math.MaxInt64
	case d.Kind == Histogram:
		n := Double(key)
		return Ordered(n + 1), n+1 > n
	case d.Fixed > 0:
		return key + d.Fixed, true
	}
	start := time.UnixMilli(key - d.Shift).In(k.zone)
	if d.Calendar == Hour {
		return k.start(start.Add(time.Hour)).UnixMilli() + d.Shift, true
	}
	return k.after(start).UnixMilli() + d.Shift, true
}
