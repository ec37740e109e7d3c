package schema

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
)

func TestParse(t *testing.T) {
	s, err := Parse([]byte(`{"fields":{"title":{"type":"text","analyzer":"simple","boost":2},"body":{"type":"text"},"n":{"type":"long"},
		"v":{"type":"vector","dims":3},"at":{"type":"date","boost":0.5},"d":{"type":"text","exact":true}},"dynamic":"strict","default_fields":["title","later"]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := &Schema{Fields: []Field{
		{Name: "at", Type: Date, Boost: 0.5},
		{Name: "body", Type: Text, Analyzer: "standard", Boost: 1},
		{Name: "d", Type: Text, Analyzer: "standard", Boost: 1, Exact: true},
		{Name: "n", Type: Long, Boost: 1},
		{Name: "title", Type: Text, Analyzer: "simple", Boost: 2},
		{Name: "v", Type: Vector, Boost: 1, Dims: 3, Similarity: "cosine"},
	}, Dynamic: DynamicStrict, DefaultFields: []string{"title", "later"}}
	if !s.Equal(want) {
		t.Errorf("%+v, want %+v", s, want)
	}
	if f, ok := s.Lookup("n"); !ok || f.Type != Long {
		t.Error("n is not found")
	}
	if _, ok := s.Lookup("m"); ok {
		t.Error("m is found")
	}
}

func TestParseRefuses(t *testing.T) {
	field := func(body string) string { return `{"fields":{"f":` + body + `}}` }
	for _, c := range []struct {
		name, text string
		code       fault.Code
		message    string
	}{
		{"no JSON", `{`, fault.BadRequest, "ends too early"},
		{"nothing", ``, fault.BadRequest, "ends too early"},
		{"no object", `[]`, fault.BadRequest, "must be an object"},
		{"something behind", `{} {}`, fault.BadRequest, "behind"},
		{"unknown key", `{"feilds":{}}`, fault.BadRequest, "feilds"},
		{"key twice", `{"dynamic":true,"dynamic":true}`, fault.BadRequest, "twice"},
		{"field twice", `{"fields":{"a":{"type":"long"},"a":{"type":"long"}}}`, fault.BadRequest, "twice"},
		{"unknown key of a field", field(`{"type":"long","indexed":true}`), fault.BadRequest, "indexed"},
		{"fields is a list", `{"fields":[]}`, fault.BadRequest, "fields must be"},
		{"field is a word", field(`"long"`), fault.BadRequest, "must be an object"},
		{"dynamic is a number", `{"dynamic":1}`, fault.BadRequest, "dynamic"},
		{"dynamic is another word", `{"dynamic":"maybe"}`, fault.BadRequest, "strict"},
		{"default_fields is a word", `{"default_fields":"a"}`, fault.BadRequest, "list"},
		{"default_fields names one twice", `{"default_fields":["a","a"]}`, fault.BadRequest, "twice"},
		{"default_fields holds a number", `{"default_fields":[1]}`, fault.BadRequest, "string"},
		{"no type", field(`{}`), fault.BadField, "type is missing"},
		{"unknown type", field(`{"type":"int"}`), fault.BadField, "long"},
		{"type is a number", field(`{"type":1}`), fault.BadField, "string"},
		{"unknown analyzer", field(`{"type":"text","analyzer":"klingon"}`), fault.BadField, "whitespace"},
		{"unknown search_analyzer", field(`{"type":"text","search_analyzer":"klingon"}`), fault.BadField, "klingon"},
		{"search_analyzer of a keyword", field(`{"type":"keyword","search_analyzer":"simple"}`), fault.BadField, "means nothing"},
		{"analyzer of a number", field(`{"type":"long","analyzer":"simple"}`), fault.BadField, "means nothing"},
		{"exact keyword", field(`{"type":"keyword","exact":true}`), fault.BadField, "means nothing"},
		{"negative boost", field(`{"type":"text","boost":-1}`), fault.BadField, "boost"},
		{"a boost that no query could use", field(`{"type":"text","boost":1048576.5}`), fault.BadField, "boost"},
		{"endless boost", field(`{"type":"text","boost":1e999}`), fault.BadField, "boost"},
		{"boost is a word", field(`{"type":"text","boost":"2"}`), fault.BadField, "boost"},
		{"vector without dims", field(`{"type":"vector"}`), fault.BadField, "dims"},
		{"no dims", field(`{"type":"vector","dims":0}`), fault.BadField, "dims"},
		{"half a dim", field(`{"type":"vector","dims":1.5}`), fault.BadField, "dims"},
		{"too many dims", field(`{"type":"vector","dims":4097}`), fault.BadField, "4096"},
		{"other similarity", field(`{"type":"vector","dims":3,"similarity":"manhattan"}`), fault.BadField, "cosine"},
		{"reserved name", `{"fields":{"_x":{"type":"long"}}}`, fault.BadField, "_"},
		{"id", `{"fields":{"id":{"type":"long"}}}`, fault.BadField, "id"},
		{"empty name", `{"fields":{"":{"type":"long"}}}`, fault.BadField, "empty"},
		{"empty part", `{"fields":{"a..b":{"type":"long"}}}`, fault.BadField, "empty"},
		{"a value and an object", `{"fields":{"a":{"type":"long"},"a.b.c":{"type":"long"}}}`, fault.BadField, "object"},
		{"long name", `{"fields":{"` + strings.Repeat("x", 513) + `":{"type":"long"}}}`, fault.LimitExceeded, "512"},
		{"deep name", `{"fields":{"` + strings.Repeat("x.", 64) + `x":{"type":"long"}}}`, fault.LimitExceeded, "64"},
		{"many fields", manyFields(1001), fault.LimitExceeded, "1000"},
	} {
		_, err := Parse([]byte(c.text))
		if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want %s with %q", c.name, err, c.code, c.message)
		}
	}
	if _, err := Parse([]byte(manyFields(1000))); err != nil {
		t.Errorf("1000 fields: %v", err)
	}
}

func manyFields(n int) string {
	var b strings.Builder
	b.WriteString(`{"fields":{`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"f%d":{"type":"bool"}`, i)
	}
	return b.String() + `}}`
}

func TestCanonicalForm(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{`{}`, `{"fields":{},"dynamic":true}`},
		{`{"dynamic":false,"fields":{}}`, `{"fields":{},"dynamic":false}`},
		{`{"fields":{"b":{"type":"text","analyzer":"standard","boost":1.0},"a":{"boost":2.50,"type":"keyword"}}}`,
			`{"fields":{"a":{"type":"keyword","boost":2.5},"b":{"type":"text"}},"dynamic":true}`},
		{`{"fields":{"v":{"type":"vector","dims":2}},"dynamic":"strict","default_fields":["x","a"]}`,
			`{"fields":{"v":{"type":"vector","dims":2,"similarity":"cosine"}},"dynamic":"strict","default_fields":["x","a"]}`},
		{`{"fields":{"a":{"type":"text","search_analyzer":"english"},"b":{"type":"text","analyzer":"simple","search_analyzer":"simple"}}}`,
			`{"fields":{"a":{"type":"text","search_analyzer":"english"},"b":{"type":"text","analyzer":"simple"}},"dynamic":true}`},
		{`{"fields":{"<\"é\u2028":{"type":"text","exact":true,"analyzer":"simple"}}}`,
			`{"fields":{"\u003c\"é\u2028":{"type":"text","analyzer":"simple","exact":true}},"dynamic":true}`},
	} {
		s, err := Parse([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		direct, _ := s.MarshalJSON()
		inside, err := json.Marshal(s)
		if err != nil || string(direct) != c.want || string(inside) != c.want {
			t.Errorf("%s:\n%s\n%s, want\n%s (%v)", c.text, direct, inside, c.want, err)
		}
		again, err := Parse(direct)
		if err != nil || !again.Equal(s) {
			t.Errorf("%s does not come back: %v", direct, err)
		}
	}
}

func TestWith(t *testing.T) {
	s, err := Parse([]byte(`{"fields":{"b":{"type":"long"},"o.x":{"type":"long"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	with, err := s.With([]Field{{Name: "c", Type: Bool, Boost: 1}, {Name: "a", Type: Long, Boost: 1}, {Name: "b", Type: Long, Boost: 1}})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range with.Fields {
		names = append(names, f.Name)
	}
	if !slices.Equal(names, []string{"a", "b", "c", "o.x"}) || len(s.Fields) != 2 {
		t.Errorf("%v, and the first has %d", names, len(s.Fields))
	}
	for _, c := range []struct {
		field Field
		code  fault.Code
	}{
		{Field{Name: "b", Type: Text}, fault.BadField},
		{Field{Name: "b.c", Type: Text}, fault.BadField},
		{Field{Name: "o", Type: Text}, fault.BadField},
		{Field{Name: "_b", Type: Text}, fault.BadField},
	} {
		if _, err := s.With([]Field{c.field}); fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v", c.field.Name, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(withAnalyzers))
	f.Add([]byte(`{"analyzers":{"a":{"filters":[{"type":"synonyms","rules":["a b, c => d","e, f"]},{"type":"stop"},"stemmer"]}}}`))
	for _, seed := range []string{`{}`, `{"fields":{"a":{"type":"text","boost":2}},"dynamic":"strict","default_fields":["a"]}`, manyFields(3),
		`{"fields":{"v":{"type":"vector","dims":3,"similarity":"l2"},"a.b":{"type":"date"}}}`, `{"fields":{"\ud83d\ude00":{"type":"geo"}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := Parse(text)
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("%q: an error without a code: %v", text, err)
			}
			return
		}
		canonical, _ := s.MarshalJSON()
		again, err := Parse(canonical)
		if err != nil || !again.Equal(s) {
			t.Fatalf("%q: %s does not come back: %v", text, canonical, err)
		}
		if second, _ := again.MarshalJSON(); string(second) != string(canonical) {
			t.Fatalf("%s and then %s", canonical, second)
		}
	})
}
