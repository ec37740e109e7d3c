package wire_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Each body that is refused says why.
func TestSuggestBodiesThatAreRefused(t *testing.T) {
	for body, want := range map[string]struct {
		code fault.Code
		word string
	}{
		``:                                       {fault.BadRequest, ""},
		`{}`:                                     {fault.BadRequest, "field"},
		`{"prefix":"a"}`:                         {fault.BadRequest, "field"},
		`{"field":"f"}`:                          {fault.BadRequest, "prefix"},
		`{"field":"f","prefix":"","text":""}`:    {fault.BadRequest, "one of them"},
		`{"field":"f","prefix":"a","size":0}`:    {fault.BadRequest, "size 0"},
		`{"field":"f","prefix":"a","size":1001}`: {fault.LimitExceeded, "1000"},
		`{"field":"f","prefix":"a","always":true}`:                                   {fault.BadRequest, "always"},
		`{"field":"f","prefix":"a","max_edits":1}`:                                   {fault.BadRequest, "max_edits"},
		`{"field":"f","text":"a","max_edits":3}`:                                     {fault.BadRequest, "1 or 2"},
		`{"field":"f","text":"a","max_edits":0}`:                                     {fault.BadRequest, "1 or 2"},
		`{"field":"f","text":1}`:                                                     {fault.BadRequest, "text"},
		`{"field":"f","text":"a","text":"b"}`:                                        {fault.BadRequest, "text"},
		`{"field":"f","text":"a","partial":"material"}`:                              {fault.BadRequest, "partial"},
		`{"field":"f","text":"a","limit":1}`:                                         {fault.BadRequest, "limit"},
		`{"field":"f","text":"` + strings.Repeat("a", wire.MaxSuggestBytes+1) + `"}`: {fault.TooLarge, "4097"},
	} {
		_, err := wire.DecodeSuggest([]byte(body))
		if fault.CodeOf(err) != want.code || err == nil || !strings.Contains(err.Error(), want.word) {
			t.Errorf("%.60s: %v", body, err)
		}
	}
}

// A body comes back as it was sent, with the defaults in it.
func TestSuggestBodiesAreReadAsSent(t *testing.T) {
	empty, text := "", "garbge colector"
	for _, b := range []wire.SuggestBody{
		{Field: "f", Prefix: &empty, Size: 10, TimeoutMs: 1000, Partial: "allow"},
		{Field: "f", Text: &text, Size: 5, TimeoutMs: 1000, Partial: "allow"},
		{Field: "f", Text: &text, Size: 1000, Always: true, MaxEdits: 2, MinSeq: map[string]uint64{"g0": 3}, TimeoutMs: 7, Partial: "fail"},
	} {
		raw, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.DecodeSuggest(raw)
		if err != nil || !reflect.DeepEqual(*got, b) {
			t.Errorf("%s: %+v, %v", raw, got, err)
		}
	}
	got, err := wire.DecodeSuggest([]byte(`{"field":"f","text":"a"}`))
	if err != nil || got.Size != wire.DefaultCorrections || got.TimeoutMs != wire.DefaultTimeoutMs || got.Partial != "allow" {
		t.Errorf("%+v, %v", got, err)
	}
}

// A body that is taken is JSON, keeps its limits and comes back the same.
func FuzzSuggest(f *testing.F) {
	f.Add([]byte(`{"field":"title","prefix":"comp","size":10}`))
	f.Add([]byte(`{"field":"body","text":"garbge colector","always":true,"max_edits":2,"min_seq":{"g0":17},"timeout_ms":5,"partial":"fail"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := wire.DecodeSuggest(b)
		if err != nil {
			return
		}
		if !json.Valid(b) || s.Size < 1 || s.Size > wire.MaxSuggestions || (s.Prefix == nil) == (s.Text == nil) || s.TimeoutMs < 1 {
			t.Fatalf("%q is taken as %+v", b, s)
		}
		sent, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := wire.DecodeSuggest(sent)
		if len(s.MinSeq) == 0 {
			s.MinSeq = nil // an empty one is not sent
		}
		if err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("%q is sent as %q: %+v, %v", b, sent, back, err)
		}
	})
}
