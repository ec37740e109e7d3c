package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
	"github.com/jetseek/jetseek/engine/snippet"
)

const (
	// MaxPage bounds from + limit of a search.
	MaxPage = 10_000
	// MaxExplained bounds the limit of a search with explain: each hit is a request.
	MaxExplained = 100
	// DefaultLimit is the limit of a search that names none.
	DefaultLimit = 10
	// DefaultTimeoutMs is the budget of a search that names none.
	DefaultTimeoutMs = 1000
	// DefaultTrackTotal is how far a search counts that does not say.
	DefaultTrackTotal = 10_000
	// TrackExact asks for the exact total.
	TrackExact = math.MaxInt64
	// TrackEstimate is content with an estimate of the total.
	TrackEstimate = -1

	maxFacets    = 64
	maxTimeoutMs = 24 * 60 * 60 * 1000
)

// SearchBody is the body of POST /search, after defaults. [NewSearch] makes one with the defaults; in the zero value the limit is 0, which asks for no
// hits.
type SearchBody struct {
	Query           json.RawMessage   // a string in query syntax, or the JSON form; nil: everything
	Filters         []json.RawMessage // the same forms
	Limit, From     int
	Sort            []query.SortSpec // nil: by score
	DefaultOperator string           // or, and
	Lenient         bool
	MinSeq          map[string]uint64 // by group
	Stats           string            // global, local; the key dfs says the same with true and false
	Fields          []string          // of the source, dotted paths; nil: all, empty: none
	TrackTotal      int64             // [TrackExact], [TrackEstimate], or how far to count
	TimeoutMs       int64
	Partial         string // allow: answer from the groups that did, fail: fail, material: fail when the missing group could change the page
	Quality         string // full, fast
	TrackScores     bool
	Explain         bool // hits come with the parts of their scores; also when sorted by fields
	Profile         bool
	MinScore        *float64
	Collapse        string                     // a field, of each value of which one document is shown, the first; "": all are
	Snippet         *snippet.Options           // nil: none
	Aggs            json.RawMessage            // an object of aggregations, as package agg reads them; nil: none
	Facets          []string                   // fields all values of which are counted
	Cursor          string                     // "": one page, [CursorStart]: the first of a walk, else what the page before gave: beside it only TimeoutMs counts, 0: that of the first page
	Later           map[string]json.RawMessage // keys of the API that are not supported yet, as sent
}

// isLater tells of keys of the API that [SearchBody.Validate] refuses until they are supported.
func isLater(key string) bool {
	switch key {
	case "knn", "knn_k", "knn_exact", "fusion", "pool":
		return true
	}
	return false
}

// NewSearch makes a search in query syntax with the defaults of the API.
func NewSearch(q string) *SearchBody {
	s := defaultSearch()
	s.Query = appendQuoted(nil, q)
	return s
}

func defaultSearch() *SearchBody {
	return &SearchBody{
		Limit: DefaultLimit, DefaultOperator: "or", Stats: "global", TrackTotal: DefaultTrackTotal, TimeoutMs: DefaultTimeoutMs,
		Partial: "allow", Quality: "full",
	}
}

// searchDepth is the nesting that the body of a search may have. A query of the greatest depth that package query takes needs less.
const searchDepth = 256

// DecodeSearch reads a body strictly: what is not one JSON object, an unknown key, a key twice, a value of another type and a page out of bounds
// are bad_request, naming the key; nesting past 256 is limit_exceeded. Queries and filters are not looked into. Empty input is an empty body.
func DecodeSearch(raw []byte) (*SearchBody, error) {
	d := searchDecoder{body: defaultSearch()}
	if len(bytes.TrimSpace(raw)) == 0 {
		return d.body, nil
	}
	if err := decodeObject(raw, searchDepth, d.set); err != nil {
		return nil, err
	}
	return d.finish()
}

// searchDecoder reads a search key by key.
type searchDecoder struct {
	body  *SearchBody
	order string // of the key "order"
	first string // key that no later page has
	timed bool   // a timeout was given
}

func (d *searchDecoder) finish() (*SearchBody, error) {
	if err := d.body.applyOrder(d.order); err != nil {
		return nil, err
	}
	if d.body.Cursor != "" && d.body.Cursor != CursorStart && d.first != "" {
		return nil, fault.New(fault.BadRequest, "%s beside the cursor of a page: it goes on with the search of its first page; timeout_ms alone may stand there", fault.Quote(d.first))
	}
	if d.body.Cursor != "" && d.body.Cursor != CursorStart && !d.timed {
		d.body.TimeoutMs = 0
	}
	if err := d.body.checkPage(); err != nil {
		return nil, err
	}
	return d.body, nil
}

// Validate refuses what this version does not support yet, by name.
func (s *SearchBody) Validate() error {
	if s.Explain && s.Limit > MaxExplained {
		return fault.New(fault.LimitExceeded, "explain takes the scores of at most %d hits apart: make the limit smaller", MaxExplained)
	}
	for _, key := range sortedKeys(s.Later) {
		return notYet(key)
	}
	if s.Snippet != nil {
		if err := s.Snippet.Check(); err != nil {
			return err
		}
	}
	if s.Cursor == CursorStart && s.From > 0 {
		return fault.New(fault.BadRequest, "from beside a cursor: a walk begins with the first place")
	}
	if s.Cursor == CursorStart && s.Collapse != "" {
		return fault.New(fault.BadRequest, "collapse beside a cursor: a later page could show another document of a value")
	}
	if s.Cursor == CursorStart && s.Limit == 0 {
		return fault.New(fault.BadRequest, "limit 0 beside a cursor: its pages would never end")
	}
	return s.checkPage()
}

func notYet(key string) error { return fault.New(fault.BadRequest, "%s is not supported yet", key) }

func (s *SearchBody) checkPage() error {
	switch {
	case s.Limit < 0:
		return fault.New(fault.BadRequest, "limit %d is negative", s.Limit)
	case s.From < 0:
		return fault.New(fault.BadRequest, "from %d is negative", s.From)
	case s.From > MaxPage || s.Limit > MaxPage-s.From:
		return fault.New(fault.BadRequest, "from + limit is more than %d", MaxPage)
	}
	return nil
}

// applyOrder gives the key "order" to the one sort key that stands without its own.
func (s *SearchBody) applyOrder(order string) error {
	if order == "" {
		return nil
	}
	if len(s.Sort) == 0 {
		s.Sort = []query.SortSpec{{Field: "_score"}}
	}
	if len(s.Sort) > 1 || s.Sort[0].Order != "" {
		return fault.New(fault.BadRequest, "order stands beside one sort key; in a list each key has its own")
	}
	s.Sort[0].Order = order
	return nil
}

func (d *searchDecoder) set(key string, r *strictjson.Reader) (err error) {
	s := d.body
	if key != "cursor" && key != "timeout_ms" && d.first == "" {
		d.first = key
	}
	switch key {
	case "query":
		s.Query, err = readQuery(key, r)
	case "filters":
		s.Filters, err = readList(key, "a list of strings and objects", r, readQuery)
	case "limit":
		s.Limit, err = readInt(key, r)
	case "from":
		s.From, err = readInt(key, r)
	case "sort":
		s.Sort, err = readSort(key, r)
	case "order":
		d.order, err = readWord(fault.BadSort, key, r, "asc", "desc")
	case "default_operator":
		s.DefaultOperator, err = readWord(fault.BadRequest, key, r, "or", "and")
	case "lenient":
		s.Lenient, err = readBool(key, r)
	case "min_seq":
		s.MinSeq, err = readMinSeq(key, r)
	case "stats":
		s.Stats, err = readWord(fault.BadRequest, key, r, "global", "local")
	case "dfs":
		s.Stats, err = readDFS(key, r)
	case "fields":
		s.Fields, err = readTexts(key, r)
	case "track_total":
		s.TrackTotal, err = readTrackTotal(key, r)
	case "timeout_ms":
		d.timed = true
		s.TimeoutMs, err = readTimeout(key, r)
	case "partial":
		s.Partial, err = readWord(fault.BadRequest, key, r, "allow", "fail", "material")
	case "quality":
		s.Quality, err = readWord(fault.BadRequest, key, r, "full", "fast")
	case "track_scores":
		s.TrackScores, err = readBool(key, r)
	case "explain":
		s.Explain, err = readBool(key, r)
	case "profile":
		s.Profile, err = readBool(key, r)
	case "min_score":
		var f float64
		f, err = readFloat(key, r)
		s.MinScore = &f
	case "snippet":
		s.Snippet, err = readSnippet(key, r)
	case "aggs":
		s.Aggs, err = readRaw(r)
	case "collapse":
		s.Collapse, err = readCollapse(key, r)
	case "cursor":
		s.Cursor, err = readCursor(key, r)
	case "facets":
		s.Facets, err = readFacets(key, r)
	default:
		err = s.setLater(key, r)
	}
	return err
}

// setLater keeps the value of a key that is not supported yet.
func (s *SearchBody) setLater(key string, r *strictjson.Reader) (err error) {
	if !isLater(key) {
		return fault.New(fault.BadRequest, "unknown key %s in a search", fault.Quote(key))
	}
	if s.Later == nil {
		s.Later = make(map[string]json.RawMessage)
	}
	s.Later[key], err = readRaw(r)
	return err
}

func readInt(key string, r *strictjson.Reader) (int, error) {
	n, err := readWhole(key, r)
	return int(max(min(n, math.MaxInt), math.MinInt)), err
}

func readMinSeq(key string, r *strictjson.Reader) (map[string]uint64, error) {
	sequences := make(map[string]uint64)
	err := eachKey(key, "an object of group names and sequences", r, func(group string, r *strictjson.Reader) (err error) {
		sequences[group], err = readSequence(key+"."+group, r)
		return err
	})
	return sequences, err
}

// readCollapse takes {"field":NAME}, or the name alone.
func readCollapse(key string, r *strictjson.Reader) (field string, err error) {
	if r.Kind() == strictjson.String {
		field, err = readText(key, r)
	} else {
		err = eachKey(key, "the name of a field, or an object with it", r, func(name string, r *strictjson.Reader) (err error) {
			if name != "field" {
				return fault.New(fault.BadRequest, "unknown key %s in %s", fault.Quote(name), key)
			}
			field, err = readText(key+"."+name, r)
			return err
		})
	}
	if err == nil && field == "" {
		err = fault.New(fault.BadRequest, "%s names no field", key)
	}
	return field, err
}

func readCursor(key string, r *strictjson.Reader) (string, error) {
	cursor, err := readText(key, r)
	if err == nil && cursor == "" {
		err = wrongType(key, "\"*\", or the cursor that a page has given")
	}
	return cursor, err
}

// readDFS gives the word of stats that the key dfs means.
func readDFS(key string, r *strictjson.Reader) (string, error) {
	global, err := readBool(key, r)
	if global {
		return "global", err
	}
	return "local", err
}

// readFacets takes fields as a list, or as one string with commas in between.
func readFacets(key string, r *strictjson.Reader) ([]string, error) {
	fields, err := []string(nil), error(nil)
	if r.Kind() == strictjson.Array {
		fields, err = readTexts(key, r)
	} else {
		var text string
		text, err = readText(key, r)
		fields = strings.Split(text, ",")
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	if err == nil && len(fields) > maxFacets {
		err = fault.New(fault.LimitExceeded, "a search has at most %d facets", maxFacets)
	}
	return fields, err
}

func readTrackTotal(key string, r *strictjson.Reader) (int64, error) {
	if r.Kind() == strictjson.Bool {
		exact, err := r.Bool()
		if exact {
			return TrackExact, err
		}
		return TrackEstimate, err
	}
	n, err := readWhole(key, r)
	if err != nil || n < 0 {
		return 0, wrongType(key, "true, false or a whole number that is not negative")
	}
	return n, nil
}

func readTimeout(key string, r *strictjson.Reader) (int64, error) {
	n, err := readWhole(key, r)
	if err != nil || n < 1 {
		return 0, wrongType(key, "a whole number of milliseconds above 0")
	}
	return min(n, maxTimeoutMs), nil
}

// readSort takes a name, an object, or a list of both.
func readSort(key string, r *strictjson.Reader) ([]query.SortSpec, error) {
	if r.Kind() == strictjson.Array {
		return readList(key, "a list of sort keys", r, readSortKey)
	}
	spec, err := readSortKey(key, r)
	return []query.SortSpec{spec}, err
}

func readSortKey(key string, r *strictjson.Reader) (spec query.SortSpec, err error) {
	if r.Kind() != strictjson.Object {
		if err := expect(key, r, strictjson.String, "the name of a field, an object with one, or a list of these"); err != nil {
			return spec, err
		}
		spec.Field, err = r.String()
		return spec, err
	}
	err = eachKey(key, "a sort key", r, func(name string, r *strictjson.Reader) (err error) {
		path := key + "." + name
		switch name {
		case "field":
			spec.Field, err = readText(path, r)
		case "order":
			spec.Order, err = readWord(fault.BadSort, path, r, "asc", "desc")
		case "missing":
			spec.Missing, err = readWord(fault.BadSort, path, r, "first", "last")
		case "from":
			spec.From, err = readPlace(path, r)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s in a sort key", fault.Quote(name))
		}
		return err
	})
	if err == nil && spec.Field == "" {
		err = fault.New(fault.BadRequest, "a sort key without a field")
	}
	return spec, err
}

// readPlace takes {"lat":…,"lon":…}.
func readPlace(key string, r *strictjson.Reader) (*geo.Point, error) {
	p := &geo.Point{}
	given := 0
	err := eachKey(key, `a place, as {"lat":…,"lon":…}`, r, func(name string, r *strictjson.Reader) (err error) {
		given++
		switch name {
		case "lat":
			p.Lat, err = readFloat(key+"."+name, r)
		case "lon":
			p.Lon, err = readFloat(key+"."+name, r)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s in a place", fault.Quote(name))
		}
		return err
	})
	if err == nil && given != 2 {
		err = fault.New(fault.BadRequest, `%s is a place, as {"lat":…,"lon":…}`, key)
	}
	return p, err
}
