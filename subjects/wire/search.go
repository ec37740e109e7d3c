package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
)

const (
	// MaxPage bounds from + limit of a search.
	MaxPage = 10_000
	// DefaultLimit is the limit of a search that names none.
	DefaultLimit = 10
	// DefaultTimeoutMs is the budget of a search that names none.
	DefaultTimeoutMs = 1000
	// DefaultTrackTotal is how far a search counts that does not say.
	DefaultTrackTotal = 10_000
	// TrackExact asks for the exact total.
	TrackExact = math.MaxInt64

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
	TrackTotal      int64             // [TrackExact], 0 (an estimate will do), or how far to count
	TimeoutMs       int64
	Partial         string // allow: answer from the groups that did, fail: fail, material: fail when the missing group could change the page
	Quality         string // full, fast
	TrackScores     bool
	Explain         bool
	Profile         bool
	MinScore        *float64
	Later           map[string]json.RawMessage // keys of the API that are not supported yet, as sent
}

// isLater tells of keys of the API that [SearchBody.Validate] refuses until they are supported.
func isLater(key string) bool {
	switch key {
	case "aggs", "facets", "knn", "knn_k", "knn_exact", "fusion", "pool", "snippet", "cursor", "collapse", "suggest":
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

// DecodeSearch reads a body strictly: what is not one JSON object, an unknown key, a key twice, a value of another type and a page out of bounds
// are bad_request, naming the key. Queries and filters are not looked into. Empty input is an empty body. The result aliases raw.
func DecodeSearch(raw []byte) (*SearchBody, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return defaultSearch(), nil
	}
	members, err := strictMembers(raw)
	if err != nil {
		return nil, err
	}
	return searchOf(members)
}

func searchOf(members []member) (*SearchBody, error) {
	s := defaultSearch()
	var order string
	for _, m := range members {
		if err := s.set(m, &order); err != nil {
			return nil, err
		}
	}
	if err := s.applyOrder(order); err != nil {
		return nil, err
	}
	if err := s.checkPage(); err != nil {
		return nil, err
	}
	return s, nil
}

// Validate refuses what this version does not support yet, by name.
func (s *SearchBody) Validate() error {
	if s.Explain {
		return notYet("explain")
	}
	if s.MinScore != nil {
		return notYet("min_score")
	}
	for _, key := range sortedKeys(s.Later) {
		return notYet(key)
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

func (s *SearchBody) set(m member, order *string) (err error) {
	v := m.value
	switch m.key {
	case "query":
		if v[0] != '"' && v[0] != '{' {
			return wrongType(m.key, "a string or an object")
		}
		s.Query = v
	case "filters":
		s.Filters, err = queries(m.key, v)
	case "limit":
		s.Limit, err = wholeInt(m.key, v)
	case "from":
		s.From, err = wholeInt(m.key, v)
	case "sort":
		s.Sort, err = sortSpecs(v)
	case "order":
		*order, err = oneOf(m.key, v, "asc", "desc")
	case "default_operator":
		s.DefaultOperator, err = oneOf(m.key, v, "or", "and")
	case "lenient":
		s.Lenient, err = boolean(m.key, v)
	case "min_seq":
		s.MinSeq, err = decode[map[string]uint64](m.key, v, "an object of group names and sequences")
	case "stats":
		s.Stats, err = oneOf(m.key, v, "global", "local")
	case "dfs":
		s.Stats, err = dfs(v)
	case "fields":
		s.Fields, err = decode[[]string](m.key, v, "a list of strings")
	case "track_total":
		s.TrackTotal, err = trackTotal(v)
	case "timeout_ms":
		s.TimeoutMs, err = timeoutMs(v)
	case "partial":
		s.Partial, err = oneOf(m.key, v, "allow", "fail", "material")
	case "quality":
		s.Quality, err = oneOf(m.key, v, "full", "fast")
	case "track_scores":
		s.TrackScores, err = boolean(m.key, v)
	case "explain":
		s.Explain, err = boolean(m.key, v)
	case "profile":
		s.Profile, err = boolean(m.key, v)
	case "min_score":
		var f float64
		f, err = decode[float64](m.key, v, "a number")
		s.MinScore = &f
	default:
		if !isLater(m.key) {
			return fault.New(fault.BadRequest, "unknown key %s in a search", fault.Quote(m.key))
		}
		if s.Later == nil {
			s.Later = make(map[string]json.RawMessage)
		}
		s.Later[m.key] = v
	}
	return err
}

func wrongType(key, want string) error { return fault.New(fault.BadRequest, "%s is not %s", key, want) }

// decode reads a value of a type; null is no value of any, alone or in a list or object.
func decode[T any](key string, v []byte, want string) (T, error) {
	var t T
	if hasNull(v) || json.Unmarshal(v, &t) != nil {
		return t, wrongType(key, want)
	}
	return t, nil
}

// hasNull tells whether a value is null or has null among its own values, which json.Unmarshal would take for zero.
func hasNull(v []byte) bool {
	if string(v) == "null" {
		return true
	}
	var list []json.RawMessage
	var object map[string]json.RawMessage
	switch {
	case v[0] == '[' && json.Unmarshal(v, &list) == nil:
		return slices.ContainsFunc(list, isNull)
	case v[0] == '{' && json.Unmarshal(v, &object) == nil:
		return slices.ContainsFunc(slices.Collect(maps.Values(object)), isNull)
	}
	return false
}

func isNull(v json.RawMessage) bool { return string(v) == "null" }

func boolean(key string, v []byte) (bool, error) { return decode[bool](key, v, "true or false") }

// wholeInt reads a number without fraction or exponent. What does not fit is cut to what no page can have.
func wholeInt(key string, v []byte) (int, error) {
	n, err := strconv.ParseInt(string(v), 10, 64)
	if err == nil {
		return int(n), nil
	}
	if isRange(err) {
		if v[0] == '-' {
			return math.MinInt, nil
		}
		return math.MaxInt, nil
	}
	return 0, wrongType(key, "a whole number")
}

func oneOf(key string, v []byte, words ...string) (string, error) {
	s, err := decode[string](key, v, "a string")
	if err != nil {
		return "", err
	}
	for _, w := range words {
		if s == w {
			return s, nil
		}
	}
	return "", fault.New(fault.BadRequest, "%s is %s, not one of %q", key, fault.Quote(s), words)
}

// dfs gives the word of stats that the key dfs means.
func dfs(v []byte) (string, error) {
	global, err := boolean("dfs", v)
	if global {
		return "global", err
	}
	return "local", err
}

func queries(key string, v []byte) ([]json.RawMessage, error) {
	list, err := decode[[]json.RawMessage](key, v, "a list of queries")
	if err != nil {
		return nil, err
	}
	for _, item := range list {
		if item[0] != '"' && item[0] != '{' {
			return nil, wrongType(key, "a list of strings and objects")
		}
	}
	return list, nil
}

func trackTotal(v []byte) (int64, error) {
	switch string(v) {
	case "true":
		return TrackExact, nil
	case "false":
		return 0, nil
	}
	n, err := wholeInt("track_total", v)
	if err != nil || n < 0 {
		return 0, wrongType("track_total", "true, false or a whole number that is not negative")
	}
	return int64(n), nil
}

func timeoutMs(v []byte) (int64, error) {
	n, err := wholeInt("timeout_ms", v)
	if err != nil || n < 1 {
		return 0, wrongType("timeout_ms", "a whole number of milliseconds above 0")
	}
	return int64(min(n, maxTimeoutMs)), nil
}

// sortSpecs reads a name, an object, or a list of both.
func sortSpecs(v []byte) ([]query.SortSpec, error) {
	if v[0] != '[' {
		spec, err := sortSpec(v)
		return []query.SortSpec{spec}, err
	}
	list, err := decode[[]json.RawMessage]("sort", v, "a list of sort keys")
	if err != nil {
		return nil, err
	}
	specs := make([]query.SortSpec, len(list))
	for i := range list {
		if specs[i], err = sortSpec(list[i]); err != nil {
			return nil, err
		}
	}
	return specs, nil
}

func sortSpec(v []byte) (spec query.SortSpec, err error) {
	if v[0] != '{' {
		spec.Field, err = decode[string]("sort", v, "the name of a field, an object with one, or a list of these")
		return spec, err
	}
	members, err := strictMembers(v)
	if err != nil {
		return spec, err
	}
	for _, m := range members {
		switch m.key {
		case "field":
			spec.Field, err = decode[string]("sort.field", m.value, "a string")
		case "order":
			spec.Order, err = oneOf("sort.order", m.value, "asc", "desc")
		case "missing":
			spec.Missing, err = oneOf("sort.missing", m.value, "first", "last")
		case "from":
			err = notYet("sort.from")
		default:
			err = fault.New(fault.BadRequest, "unknown key %s in a sort key", fault.Quote(m.key))
		}
		if err != nil {
			return spec, err
		}
	}
	if spec.Field == "" {
		return spec, fault.New(fault.BadRequest, "a sort key without a field")
	}
	return spec, nil
}
