package wire_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/snippet"
	"github.com/jetseek/jetseek/subjects/wire"
)

func TestSearchDefaults(t *testing.T) {
	want := &wire.SearchBody{
		Limit: 10, DefaultOperator: "or", Stats: "global", TrackTotal: 10000, TimeoutMs: 1000, Partial: "allow", Quality: "full",
	}
	for _, body := range []string{"", " \n", "{}", " { } "} {
		got, err := wire.DecodeSearch([]byte(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", body, got, err)
		}
	}
}

func TestSearchKeys(t *testing.T) {
	score := 1.5
	for body, change := range map[string]func(*wire.SearchBody){
		`{"query":"gc AND go"}`:            func(s *wire.SearchBody) { s.Query = json.RawMessage(`"gc AND go"`) },
		`{"query":{"match":{"body":"x"}}}`: func(s *wire.SearchBody) { s.Query = json.RawMessage(`{"match":{"body":"x"}}`) },
		`{"filters":["a:1",{"term":{}}]}`:  func(s *wire.SearchBody) { s.Filters = []json.RawMessage{[]byte(`"a:1"`), []byte(`{"term":{}}`)} },
		`{"limit":0}`:                      func(s *wire.SearchBody) { s.Limit = 0 },
		`{"limit":10000}`:                  func(s *wire.SearchBody) { s.Limit = 10000 },
		`{"from":9990}`:                    func(s *wire.SearchBody) { s.From = 9990 },
		`{"sort":"num:year"}`:              func(s *wire.SearchBody) { s.Sort = []query.SortSpec{{Field: "num:year"}} },
		`{"sort":"id","order":"asc"}`:      func(s *wire.SearchBody) { s.Sort = []query.SortSpec{{Field: "id", Order: "asc"}} },
		`{"order":"asc"}`:                  func(s *wire.SearchBody) { s.Sort = []query.SortSpec{{Field: "_score", Order: "asc"}} },
		`{"sort":{"field":"a","from":{"lat":-1.5,"lon":180}}}`: func(s *wire.SearchBody) {
			s.Sort = []query.SortSpec{{Field: "a", From: &geo.Point{Lat: -1.5, Lon: 180}}}
		},
		`{"sort":{"field":"a"}}`: func(s *wire.SearchBody) { s.Sort = []query.SortSpec{{Field: "a"}} },
		`{"sort":["a",{"field":"b","order":"desc","missing":"first"}]}`: func(s *wire.SearchBody) {
			s.Sort = []query.SortSpec{{Field: "a"}, {Field: "b", Order: "desc", Missing: "first"}}
		},
		`{"default_operator":"and","lenient":true}`: func(s *wire.SearchBody) { s.DefaultOperator, s.Lenient = "and", true },
		`{"min_seq":{"g0":18446744073709551615}}`:   func(s *wire.SearchBody) { s.MinSeq = map[string]uint64{"g0": 1<<64 - 1} },
		`{"stats":"local"}`:                         func(s *wire.SearchBody) { s.Stats = "local" },
		`{"dfs":false}`:                             func(s *wire.SearchBody) { s.Stats = "local" },
		`{"dfs":true}`:                              func(*wire.SearchBody) {},
		`{"fields":[]}`:                             func(s *wire.SearchBody) { s.Fields = []string{} },
		`{"fields":["a","b.c"]}`:                    func(s *wire.SearchBody) { s.Fields = []string{"a", "b.c"} },
		`{"track_total":true}`:                      func(s *wire.SearchBody) { s.TrackTotal = wire.TrackExact },
		`{"track_total":false}`:                     func(s *wire.SearchBody) { s.TrackTotal = wire.TrackEstimate },
		`{"track_total":0}`:                         func(s *wire.SearchBody) { s.TrackTotal = 0 },
		`{"track_total":7}`:                         func(s *wire.SearchBody) { s.TrackTotal = 7 },
		`{"timeout_ms":50}`:                         func(s *wire.SearchBody) { s.TimeoutMs = 50 },
		`{"partial":"material","quality":"fast"}`:   func(s *wire.SearchBody) { s.Partial, s.Quality = "material", "fast" },
		`{"track_scores":true,"profile":true}`:      func(s *wire.SearchBody) { s.TrackScores, s.Profile = true, true },
		`{"explain":true}`:                          func(s *wire.SearchBody) { s.Explain = true },
		`{"min_score":1.5}`:                         func(s *wire.SearchBody) { s.MinScore = &score },
		`{"aggs":{"a":{}},"knn_k":3}`: func(s *wire.SearchBody) {
			s.Aggs, s.Later = []byte(`{"a":{}}`), map[string]json.RawMessage{"knn_k": []byte("3")}
		},
		`{"facets":"a, b.c"}`:    func(s *wire.SearchBody) { s.Facets = []string{"a", "b.c"} },
		`{"facets":["a","b.c"]}`: func(s *wire.SearchBody) { s.Facets = []string{"a", "b.c"} },
		`{"\u006cimit":3}`:       func(s *wire.SearchBody) { s.Limit = 3 },
	} {
		want, err := wire.DecodeSearch(nil)
		if err != nil {
			t.Fatal(err)
		}
		change(want)
		got, err := wire.DecodeSearch([]byte(body))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s:\ngot  %+v, %v\nwant %+v", body, got, err, want)
			continue
		}
		sent, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := wire.DecodeSearch(sent); err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("%s is sent as %s and read as %+v, %v", body, sent, back, err)
		}
	}
}

func TestSearchBodiesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ body, names string }{
		{`nonsense`, "JSON"},
		{`"alpha"`, "object"},
		{`["alpha"]`, "object"},
		{`null`, "object"},
		{`[}`, "object"},
		{`["query":"alpha"}`, "object"},
		{`{"query":"alpha"`, "JSON"},
		{`{"query":"alpha"}x`, "JSON"},
		{`{"query":"alpha"}{"query":"beta"}`, "JSON"},
		{`{"query":"` + "\xff" + `"}`, "JSON"},
		{`{"limt":1}`, "limt"},
		{`{"filter_":["a"]}`, "filter_"},
		{`{"Limit":1}`, "Limit"},
		{`{"limit":1,"limit":2}`, "limit"},
		{`{"limit":1,"\u006cimit":2}`, "limit"},
		{`{"query":{"bool":{"must":[],"must":[]}}}`, "must"},
		{`{"query":1}`, "query"},
		{`{"query":null}`, "query"},
		{`{"query":["a"]}`, "query"},
		{`{"filters":"a:1"}`, "filters"},
		{`{"filters":[1]}`, "filters"},
		{`{"filters":[null]}`, "filters"},
		{`{"limit":-1}`, "limit"},
		{`{"limit":1.5}`, "limit"},
		{`{"limit":1e1}`, "limit"},
		{`{"limit":"ten"}`, "limit"},
		{`{"limit":true}`, "limit"},
		{`{"limit":[10]}`, "limit"},
		{`{"limit":null}`, "limit"},
		{`{"limit":10001}`, "limit"},
		{`{"from":-9223372036854775808}`, "from"},
		{`{"from":-99999999999999999999}`, "from"},
		{`{"from":9991}`, "from"},
		{`{"from":10001,"limit":0}`, "from"},
		{`{"from":2147483647,"limit":1}`, "from"},
		{`{"from":9223372036854775800,"limit":9223372036854775807}`, "from"},
		{`{"from":18446744073709551615,"limit":2}`, "from"},
		{`{"sort":7}`, "sort"},
		{`{"sort":[7]}`, "sort"},
		{`{"sort":[{}]}`, "field"},
		{`{"sort":[{"field":"a","order":1}]}`, "order"},
		{`{"sort":[{"field":"a","missing":null}]}`, "missing"},
		{`{"sort":{"field":"a","from":{"lat":1}}}`, "sort.from"},
		{`{"sort":{"field":"a","from":{"lat":1,"lon":"2"}}}`, "sort.from.lon"},
		{`{"sort":{"field":"a","from":{"lat":1,"lon":2,"alt":3}}}`, "alt"},
		{`{"sort":null}`, "sort"},
		{`{"query":}`, "JSON"},
		{`{"fields":["a",]}`, "JSON"},
		{`{"fields":["a"}`, "JSON"},
		{`{"min_seq":{"g0":1]}`, "JSON"},
		{`{"min_seq":{"g0":1,"g0":2}}`, "g0"},
		{`{"min_seq":{"g0":1.0}}`, "min_seq.g0"},
		{`{"min_score":1e400}`, "min_score"},
		{`{"sort":[{"field":"a","fild":"b"}]}`, "fild"},
		{`{"sort":[{"field":"a","field":"b"}]}`, "field"},
		{`{"sort":["a","b"],"order":"asc"}`, "order"},
		{`{"order":[]}`, "order"},
		{`{"default_operator":"xor"}`, "default_operator"},
		{`{"lenient":"yes"}`, "lenient"},
		{`{"min_seq":{"g0":-1}}`, "min_seq"},
		{`{"min_seq":{"g0":null}}`, "min_seq"},
		{`{"min_seq":[1]}`, "min_seq"},
		{`{"stats":"both"}`, "stats"},
		{`{"dfs":1}`, "dfs"},
		{`{"fields":"a"}`, "fields"},
		{`{"fields":[null]}`, "fields"},
		{`{"fields":null}`, "fields"},
		{`{"track_total":-1}`, "track_total"},
		{`{"track_total":"all"}`, "track_total"},
		{`{"timeout_ms":0}`, "timeout_ms"},
		{`{"timeout_ms":-1}`, "timeout_ms"},
		{`{"partial":"maybe"}`, "partial"},
		{`{"quality":"best"}`, "quality"},
		{`{"min_score":"1"}`, "min_score"},
		{`{"explain":0}`, "explain"},
	} {
		got, err := wire.DecodeSearch([]byte(c.body))
		if fault.CodeOf(err) != fault.BadRequest || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: %+v, %v, want bad_request that names %s", c.body, got, err, c.names)
		}
	}
}

func TestDirectionsThatDoNotExist(t *testing.T) {
	for body, key := range map[string]string{
		`{"sort":[{"field":"a","order":"up"}]}`:               "sort.order",
		`{"sort":{"field":"a","order":"ASC"}}`:                "sort.order",
		`{"sort":["b",{"field":"a","order":""}]}`:             "sort.order",
		`{"sort":[{"field":"a","missing":"never"}]}`:          "sort.missing",
		`{"sort":[{"field":"a","order":"asc","missing":""}]}`: "sort.missing",
		`{"sort":"a","order":"up"}`:                           "order",
		`{"order":"descending"}`:                              "order",
		`{"order":""}`:                                        "order",
	} {
		if _, err := wire.DecodeSearch([]byte(body)); fault.CodeOf(err) != fault.BadSort || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: %v, want bad_sort that names %s", body, err, key)
		}
	}
}

func TestSearchBodiesThatNestTooDeep(t *testing.T) {
	for _, body := range []string{
		strings.Repeat(`{"query":`, 100_000),
		`{"query":` + strings.Repeat(`{"bool":{"must":[`, 100_000) + `"x"` + strings.Repeat(`]}}`, 100_000) + `}`,
		`{"aggs":` + strings.Repeat(`[`, 300) + strings.Repeat(`]`, 300) + `}`,
	} {
		if _, err := wire.DecodeSearch([]byte(body)); fault.CodeOf(err) != fault.LimitExceeded {
			t.Errorf("%.40s…: %.200v", body, err)
		}
	}
}

func TestWhatIsNotSupportedYet(t *testing.T) {
	for _, key := range []string{"knn", "knn_k", "knn_exact", "fusion", "pool"} {
		s, err := wire.DecodeSearch([]byte(`{"` + key + `":1}`))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(); fault.CodeOf(err) != fault.BadRequest || !strings.Contains(err.Error(), key+" is not supported yet") {
			t.Errorf("%s: %v", key, err)
		}
	}
	s, err := wire.DecodeSearch([]byte(`{"explain":true,"limit":101}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("more hits than are explained: %v", err)
	}
	if err := wire.NewSearch("x").Validate(); err != nil {
		t.Error(err)
	}
	if err := (&wire.SearchBody{Limit: 10001}).Validate(); err == nil {
		t.Error("a page that no body can ask for is valid")
	}
}

func TestNewSearchIsWhatTheBodyGives(t *testing.T) {
	want, err := wire.DecodeSearch([]byte(`{"query":"say \"<hi>\" 🙂"}`))
	if err != nil {
		t.Fatal(err)
	}
	sent, err := json.Marshal(wire.NewSearch(`say "<hi>" 🙂`))
	if err != nil {
		t.Fatal(err)
	}
	got, err := wire.DecodeSearch(sent)
	if err != nil {
		t.Fatal(err)
	}
	var a, b string
	if json.Unmarshal(got.Query, &a) != nil || json.Unmarshal(want.Query, &b) != nil || a != b || got.Limit != 10 {
		t.Errorf("got %s, want %s", got.Query, want.Query)
	}
}

func TestRequestsToMembersInJSON(t *testing.T) {
	search, err := wire.DecodeMemberSearch([]byte(`{"collection":"default","query":"gc","limit":3}`))
	if err != nil || search.Collection != "default" || search.Search.Limit != 3 || string(search.Search.Query) != `"gc"` {
		t.Errorf("search: %+v, %v", search, err)
	}
	docs, err := wire.DecodeMemberDocs([]byte(`{"collection":"default","ids":["a","b"]}`))
	if err != nil || !reflect.DeepEqual(docs, &wire.MemberDocsBody{Collection: "default", IDs: []string{"a", "b"}}) {
		t.Errorf("docs: %+v, %v", docs, err)
	}
	stats, err := wire.DecodeMemberStats([]byte(`{"collection":"default","fields":["body"],"terms":[{"field":"body","term":"gc"}]}`))
	if err != nil || len(stats.Terms) != 1 || stats.Terms[0].Field != "body" || stats.Terms[0].Term != "gc" {
		t.Errorf("stats: %+v, %v", stats, err)
	}
	for _, body := range []string{`{}`, `{"collection":""}`, `{"collection":1}`, `{"collection":"a","x":1}`, `[]`} {
		_, err1 := wire.DecodeMemberSearch([]byte(body))
		_, err2 := wire.DecodeMemberDocs([]byte(body))
		_, err3 := wire.DecodeMemberStats([]byte(body))
		for _, err := range []error{err1, err2, err3} {
			if fault.CodeOf(err) != fault.BadRequest {
				t.Errorf("%s: %v", body, err)
			}
		}
	}
}

func TestRepliesOfMembersInJSON(t *testing.T) {
	frame := wire.Frame{Seq: 300, Epoch: 1, Incarnation: 0xbeef, Last: true}
	failed := frame
	failed.Err = wire.NewError(fault.Unavailable, wire.ReasonNotServing, "no lease")
	for _, c := range []struct {
		reply json.Marshaler
		want  string
	}{
		{&wire.SearchReply{Frame: frame, Total: 2, Candidates: []query.Candidate{{ID: "a", Score: 31138512896, Keys: []query.Key{{Kind: query.KeyInt, Int: 1999}, {}}}}},
			`{"seq":300,"epoch":1,"incarnation":"beef","total":2,"hits":[{"id":"a","score":7.25,"keys":[1999,null]}]}`},
		{&wire.SearchReply{Frame: failed}, `{"error":{"code":"unavailable","message":"no lease","reason":"not_serving"}}`},
		{&wire.StatsReply{Frame: frame}, `{"seq":300,"epoch":1,"incarnation":"beef","fields":[],"df":[]}`},
		{&wire.GetReply{Frame: frame, Doc: testDoc}, `{"seq":300,"epoch":1,"incarnation":"beef","id":"a","found":true,"version":3,"source":{"id":"a","n":1}}`},
		{&wire.DocsReply{Frame: frame, Docs: []wire.Doc{{ID: "x"}}}, `{"seq":300,"epoch":1,"incarnation":"beef","docs":[{"id":"x","found":false}]}`},
		{&wire.PingReply{Frame: frame, State: "serving", Applied: 2, ContentSeq: 1, Digest: testDigest},
			`{"seq":300,"epoch":1,"incarnation":"beef","state":"serving","applied":2,"content_seq":1,"documents":0,"digest":"0123456789abcdef0123456789abcdef"}`},
	} {
		got, err := json.Marshal(c.reply)
		if err != nil || string(got) != c.want {
			t.Errorf("got  %s, %v\nwant %s", got, err, c.want)
		}
	}
}

func TestSnippet(t *testing.T) {
	for body, want := range map[string]*snippet.Options{
		`["a","b.c"]`:      {Fields: []string{"a", "b.c"}, Size: 160, Number: 3, Open: "<em>", Close: "</em>"},
		`{"fields":["a"]}`: {Fields: []string{"a"}, Size: 160, Number: 3, Open: "<em>", Close: "</em>"},
		`{"fields":["a"],"size":20,"number":1,"tags":["[",""],"no_match":9}`: {Fields: []string{"a"}, Size: 20, Number: 1, Open: "[", NoMatch: 9},
	} {
		s, err := wire.DecodeSearch([]byte(`{"snippet":` + body + `}`))
		if err != nil || !reflect.DeepEqual(s.Snippet, want) {
			t.Errorf("%s: %+v, %v", body, s, err)
			continue
		}
		sent, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := wire.DecodeSearch(sent)
		if err != nil || !reflect.DeepEqual(again.Snippet, want) {
			t.Errorf("%s sent as %s: %+v, %v", body, sent, again, err)
		}
	}
	for _, body := range []string{`"a"`, `1`, `null`, `[1]`, `{}`, `{"fields":"a"}`, `{"fields":["a"],"x":1}`, `{"fields":["a"],"tags":["x"]}`, `{"fields":["a"],"size":1.5}`,
		`{"fields":["a"],"size":"1"}`, `{"fields":["a"],"fields":["b"]}`} {
		if _, err := wire.DecodeSearch([]byte(`{"snippet":` + body + `}`)); fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
	s, err := wire.DecodeSearch([]byte(`{"snippet":{"fields":["a"],"size":0}}`))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(); fault.CodeOf(err) != fault.BadRequest {
		t.Errorf("size 0: %v", err)
	}
}
