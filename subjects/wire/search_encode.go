package wire

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/jetseek/jetseek/engine/query"
)

// searchJSON is the body as it is sent; an empty word leaves the default to the coordinator.
type searchJSON struct {
	Query           json.RawMessage   `json:"query,omitempty"`
	Filters         []json.RawMessage `json:"filters,omitempty"`
	Limit           int               `json:"limit"`
	From            int               `json:"from,omitempty"`
	Sort            []sortJSON        `json:"sort,omitempty"`
	DefaultOperator string            `json:"default_operator,omitempty"`
	Lenient         bool              `json:"lenient,omitempty"`
	MinSeq          map[string]uint64 `json:"min_seq,omitempty"`
	Stats           string            `json:"stats,omitempty"`
	Fields          *[]string         `json:"fields,omitempty"`
	TrackTotal      json.RawMessage   `json:"track_total,omitempty"`
	TimeoutMs       int64             `json:"timeout_ms,omitempty"`
	Partial         string            `json:"partial,omitempty"`
	Quality         string            `json:"quality,omitempty"`
	TrackScores     bool              `json:"track_scores,omitempty"`
	Explain         bool              `json:"explain,omitempty"`
	Profile         bool              `json:"profile,omitempty"`
	MinScore        *float64          `json:"min_score,omitempty"`
	Snippet         *snippetJSON      `json:"snippet,omitempty"`
	Aggs            json.RawMessage   `json:"aggs,omitempty"`
	Facets          []string          `json:"facets,omitempty"`
	Cursor          string            `json:"cursor,omitempty"`
	Collapse        *collapseJSON     `json:"collapse,omitempty"`
}

type collapseJSON struct {
	Field string `json:"field"`
}

// pageJSON asks for a later page of a walk.
type pageJSON struct {
	Cursor    string `json:"cursor"`
	TimeoutMs int64  `json:"timeout_ms,omitempty"`
}

type sortJSON struct {
	Field   string     `json:"field"`
	Order   string     `json:"order,omitempty"`
	Missing string     `json:"missing,omitempty"`
	From    *placeJSON `json:"from,omitempty"`
}

type placeJSON struct {
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"`
}

// MarshalJSON gives the body as [DecodeSearch] reads it.
func (s *SearchBody) MarshalJSON() ([]byte, error) {
	if s.Cursor != "" && s.Cursor != CursorStart {
		return json.Marshal(pageJSON{s.Cursor, s.TimeoutMs})
	}
	out := searchJSON{
		Query: s.Query, Filters: s.Filters, Limit: s.Limit, From: s.From, Sort: sortsJSON(s.Sort), DefaultOperator: s.DefaultOperator,
		Lenient: s.Lenient, MinSeq: s.MinSeq, Stats: s.Stats, TimeoutMs: s.TimeoutMs, Partial: s.Partial, Quality: s.Quality,
		TrackScores: s.TrackScores, Explain: s.Explain, Profile: s.Profile, MinScore: s.MinScore, Snippet: snippetOf(s.Snippet),
		Aggs: s.Aggs, Facets: s.Facets, Cursor: s.Cursor,
	}
	if s.Collapse != "" {
		out.Collapse = &collapseJSON{s.Collapse}
	}
	if s.Fields != nil {
		out.Fields = &s.Fields // a pointer, because omitempty drops an empty list
	}
	out.TrackTotal = trackTotalJSON(s.TrackTotal)
	b, err := json.Marshal(out)
	if err != nil {
		return nil, err
	}
	return appendMembers(b, s.Later)
}

func sortsJSON(specs []query.SortSpec) []sortJSON {
	var list []sortJSON
	for _, s := range specs {
		list = append(list, sortJSON{s.Field, s.Order, s.Missing, (*placeJSON)(s.From)})
	}
	return list
}

func trackTotalJSON(n int64) json.RawMessage {
	switch n {
	case TrackExact:
		return json.RawMessage("true")
	case TrackEstimate:
		return json.RawMessage("false")
	}
	return strconv.AppendInt(nil, n, 10)
}

// appendMembers adds members to an object that has some, by key ascending.
func appendMembers(object []byte, members map[string]json.RawMessage) ([]byte, error) {
	for _, key := range sortedKeys(members) {
		object = append(object[:len(object)-1], ',')
		object = appendQuoted(object, key)
		object = append(object, ':')
		object = append(append(object, members[key]...), '}')
	}
	return object, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func isRange(err error) bool { return errors.Is(err, strconv.ErrRange) }
