package query

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/schema"
)

// MaxSortKeys is how many sort keys a request may name.
const MaxSortKeys = 8

// MaxKeys is how many keys a candidate has at most: those of the request, and of collapsing the id and the value that stands once.
const MaxKeys = MaxSortKeys + 2

// SortBy says what a sort key orders by.
type SortBy uint8

const (
	// ByScore orders by the score, as its fixed-point value.
	ByScore SortBy = iota + 1
	// ByID orders by the id's bytes.
	ByID
	// ByField orders by the values of a field.
	ByField
	// ByDistance orders by the distance of a geo field's place from a point, in metres.
	ByDistance
)

// SortKey is one key of the total order, resolved against the schema. After the last key, ids decide, ascending, always.
// A document with several values is ordered by its least when ascending, by its greatest when descending.
type SortKey struct {
	By           SortBy
	Field        string
	Type         schema.Type // ByField: Keyword (also exact values of dynamic strings), Long, Double, Date, Bool; 0: the field is unknown, all missing
	From         geo.Point   // ByDistance
	Desc         bool
	MissingFirst bool // else documents without a value come last, in both orders
}

// KeyKind tells which member of a [Key] holds its value.
type KeyKind uint8

const (
	// KeyMissing: the document has no value.
	KeyMissing KeyKind = iota
	// KeyInt: Int holds a long, a date (ns since the epoch), a bool (0, 1) or a score in units of 2^-32.
	KeyInt
	// KeyFloat: Float holds a double or a distance in metres, never NaN; -0 is 0.
	KeyFloat
	// KeyString: Str holds an exact value or an id.
	KeyString
)

// Key is one document's value under one [SortKey].
type Key struct {
	Kind  KeyKind
	Int   int64
	Float float64
	Str   string
}

// Candidate is one document of a member's local top k: what the total order needs, and nothing else.
type Candidate struct {
	ID    string
	Score int64 // units of 2^-32; 0 when the request does not score
	Keys  []Key // one a SortKey of the request; nil when it is ordered by score alone
}

// CompareKeys is the total order of hits, the same in engine and coordinator: by the keys one after the other, then by id ascending. Without keys it is by
// score descending, then by id. It is negative when a comes before b, and 0 only for the same id. Candidates must have a [Key] for each of keys.
func CompareKeys(keys []SortKey, a, b *Candidate) int {
	if len(keys) == 0 {
		if c := cmp.Compare(b.Score, a.Score); c != 0 {
			return c
		}
	}
	if c := CompareKeyLists(keys, a.Keys, b.Keys); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// CompareKeyLists is [CompareKeys] without the ids: values under the keys, one after the other.
func CompareKeyLists(keys []SortKey, a, b []Key) int {
	for i := range keys {
		if c := keys[i].compare(&a[i], &b[i]); c != 0 {
			return c
		}
	}
	return 0
}

// compare orders two values under one key; a missing one stands first or last whatever the direction.
func (k *SortKey) compare(a, b *Key) int {
	if a.Kind == KeyMissing || b.Kind == KeyMissing {
		switch {
		case a.Kind == b.Kind:
			return 0
		case (a.Kind == KeyMissing) == k.MissingFirst:
			return -1
		}
		return 1
	}
	c := cmp.Compare(a.Kind, b.Kind)
	if c == 0 {
		switch a.Kind {
		case KeyInt:
			c = cmp.Compare(a.Int, b.Int)
		case KeyFloat:
			c = cmp.Compare(a.Float, b.Float)
		case KeyString:
			c = strings.Compare(a.Str, b.Str)
		}
	}
	if k.Desc {
		return -c
	}
	return c
}

// ResolveCollapse gives the sort keys of a search that shows of each value of a field one document, its best by the keys of the search: these, the id, which decides between all, and the
// value, by which the documents are told apart; of several values the least. It fails with bad_field for a field that has no values to compare.
func ResolveCollapse(keys []SortKey, field string, s *schema.Schema) ([]SortKey, error) {
	f, known := s.Lookup(field)
	if !known {
		return nil, fault.New(fault.BadField, "no field %s to collapse by", fault.Quote(field))
	}
	value := SortKey{By: ByField, Field: f.Name, Type: f.Type}
	switch {
	case f.Type == schema.Text && f.Exact:
		value.Type = schema.Keyword
	case f.Type == schema.Text, f.Type == schema.Geo, f.Type == schema.Vector:
		return nil, fault.New(fault.BadField, "field %s is %s: documents are collapsed by exact values, numbers, dates or bools", fault.Quote(field), f.Type)
	}
	if len(keys) == 0 {
		keys = []SortKey{{By: ByScore, Desc: true}}
	}
	return append(slices.Clone(keys), SortKey{By: ByID}, value), nil
}

// SortSpec is a sort key as a request names it.
type SortSpec struct {
	Field   string     // a field, or score or _score, id or _id, num:FIELD (a number, date or bool), key:FIELD (an exact string)
	Order   string     // asc, desc, or "" for the default: descending for the score, else ascending
	Missing string     // first, last, or "" for last
	From    *geo.Point // of a geo field: where distances are measured from
}

// ResolveSort turns what a request says into keys. It fails with bad_sort where a field is unknown or has no order of its own, or a word is not known, and
// with limit_exceeded past [MaxSortKeys].
func ResolveSort(specs []SortSpec, s *schema.Schema) ([]SortKey, error) {
	if len(specs) > MaxSortKeys {
		return nil, fault.New(fault.LimitExceeded, "a search sorts by at most %d keys", MaxSortKeys)
	}
	keys := make([]SortKey, 0, len(specs))
	for _, spec := range specs {
		key, err := resolveSortKey(spec, s)
		if err != nil {
			return nil, err
		}
		keys = append(keys, key)
	}
	return keys, nil
}

func resolveSortKey(spec SortSpec, s *schema.Schema) (SortKey, error) {
	var k SortKey
	switch spec.Field {
	case "":
		return k, fault.New(fault.BadSort, "a sort key names no field")
	case "score", "_score":
		k.By, k.Desc = ByScore, true
	case "id", "_id":
		k.By = ByID
	default:
		k.By = ByField
		if err := k.resolveField(spec.Field, s, spec.From); err != nil {
			return k, err
		}
	}
	if spec.From != nil && k.By != ByDistance {
		return k, fault.New(fault.BadSort, "from measures distances of a geo field, and %s is none", fault.Quote(spec.Field))
	}
	switch spec.Order {
	case "":
	case "asc":
		k.Desc = false
	case "desc":
		k.Desc = true
	default:
		return k, fault.New(fault.BadSort, "order is asc or desc, not %s", fault.Quote(spec.Order))
	}
	switch spec.Missing {
	case "", "last":
	case "first":
		k.MissingFirst = true
	default:
		return k, fault.New(fault.BadSort, "missing is first or last, not %s", fault.Quote(spec.Missing))
	}
	return k, nil
}

// resolveField finds the field that num:FIELD, key:FIELD or FIELD names, and holds it to what the prefix says.
func (k *SortKey) resolveField(name string, s *schema.Schema, from *geo.Point) error {
	f, known := s.Lookup(name)
	var numbers, strs bool
	if !known {
		var short string
		if short, numbers = strings.CutPrefix(name, "num:"); !numbers {
			short, strs = strings.CutPrefix(name, "key:")
		}
		if f, known = s.Lookup(short); !known {
			return fault.New(fault.BadSort, "no field %s to sort by", fault.Quote(short))
		}
	}
	k.Field, k.Type = f.Name, f.Type
	switch f.Type {
	case schema.Text:
		if !f.Exact {
			return fault.New(fault.BadSort, "field %s is text, which has no order; declare a keyword to sort by it", fault.Quote(f.Name))
		}
		k.Type = schema.Keyword // its exact values
	case schema.Vector:
		return fault.New(fault.BadSort, "field %s is %s, which has no order", fault.Quote(f.Name), f.Type)
	case schema.Geo:
		if from == nil || name != f.Name {
			return fault.New(fault.BadSort, `field %s is geo, which is sorted by the distance from a place: {"field":%s,"from":{"lat":…,"lon":…}}`, fault.Quote(f.Name), fault.Quote(f.Name))
		}
		if !from.Valid() {
			return outOfBounds(*from)
		}
		k.By, k.Type, k.From = ByDistance, schema.Geo, *from
	}
	if isString := k.Type == schema.Keyword; numbers && isString || strs && !isString {
		return fault.New(fault.BadSort, "field %s is %s and cannot be sorted by %s", fault.Quote(f.Name), f.Type, fault.Quote(name))
	}
	return nil
}

// KeyJSON gives a value as hit.sort shows it: null when missing, dates in RFC 3339 with nanoseconds, the score as people see it.
func KeyJSON(k SortKey, v Key) any {
	switch v.Kind {
	case KeyInt:
		switch {
		case k.By == ByScore:
			return bm25.Shown(v.Int)
		case k.Type == schema.Date:
			return schema.FormatDate(v.Int)
		case k.Type == schema.Bool:
			return v.Int != 0
		}
		return v.Int
	case KeyFloat:
		return v.Float
	case KeyString:
		return v.Str
	}
	return nil
}
