package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
)

func mustParse(t testing.TB, text string) *Schema {
	t.Helper()
	s, err := Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const allTypes = `{"fields":{"t":{"type":"text"},"k":{"type":"keyword"},"n":{"type":"long"},"x":{"type":"double"},"at":{"type":"date"},"b":{"type":"bool"},
	"g":{"type":"geo"},"v":{"type":"vector","dims":2},"w":{"type":"vector","dims":2,"similarity":"l2"},"o.k":{"type":"keyword"},"o.p.n":{"type":"long"}}}`

// show writes a document's values, one field a word.
func show(doc *Document) string {
	var words []string
	for _, v := range doc.Values {
		switch v.Field.Type {
		case Text, Keyword:
			words = append(words, fmt.Sprintf("%s=%q", v.Field.Name, v.Strings))
		case Double:
			words = append(words, fmt.Sprintf("%s=%v", v.Field.Name, v.Floats))
		default:
			words = append(words, fmt.Sprintf("%s=%v", v.Field.Name, v.Ints))
		}
	}
	return strings.Join(words, " ")
}

func TestDecode(t *testing.T) {
	s := mustParse(t, allTypes)
	for _, c := range []struct{ name, body, want string }{
		{"each type", `{"t":"a b","k":"x","n":-7,"x":1.5,"b":true,"at":1,"id":"i"}`, `at=[1000000] b=[1] k=["x"] n=[-7] t=["a b"] x=[1.5]`},
		{"arrays, and nulls in them", `{"n":[3,null,1,[2]],"t":["b",null,"a"],"k":[]}`, `n=[3 1 2] t=["b" "a"]`},
		{"nulls", `{"n":null,"t":null,"g":null,"v":null,"b":[null]}`, ``},
		{"objects and dotted names", `{"o":{"k":"a","p":{"n":1}},"o.k":"b"}`, `o.k=["a" "b"] o.p.n=[1]`},
		{"arrays of objects", `{"o":[{"k":"a"},{"k":["b","c"],"p.n":2}]}`, `o.k=["a" "b" "c"] o.p.n=[2]`},
		{"ends of long", `{"n":[9223372036854775807,-9223372036854775808,-0,9007199254740993]}`, `n=[9223372036854775807 -9223372036854775808 0 9007199254740993]`},
		{"double takes any number", `{"x":[1,-0.0,1e308,5e-324,123456789012345678901234567890]}`, `x=[1 0 1e+308 5e-324 1.2345678901234568e+29]`},
		{"escapes", `{"t":"\u0041\n\ud83d\ude00\/","k":"\u0000"}`, `k=["\x00"] t=["A\n😀/"]`},
		{"geo is two doubles, and vectors are checked and left out", `{"g":{"lon":-180,"lat":90},"v":[0.5,1],"w":[0,0]}`, `g.lat=[90] g.lon=[-180]`},
		{"geo in a list of one", `{"g":[null,{"lon":1.5,"lat":-0.0}],"v":[]}`, `g.lat=[0] g.lon=[1.5]`},
		{"false", `{"b":[false,true]}`, `b=[0 1]`},
	} {
		doc, added, err := s.Decode([]byte(c.body))
		if err != nil || len(added) > 0 || show(doc) != c.want {
			t.Errorf("%s: %v, added %v, %v, want %s", c.name, err, added, doc, c.want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	s := mustParse(t, allTypes)
	deep := func(n int) string {
		return `{"q":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + `}`
	}
	for _, c := range []struct {
		name, body string
		code       fault.Code
	}{
		{"nothing", ``, fault.BadDocument},
		{"a list", `[]`, fault.BadDocument},
		{"null", `null`, fault.BadDocument},
		{"open", `{"n":1`, fault.BadDocument},
		{"something behind", `{"n":1},`, fault.BadDocument},
		{"comma before the end", `{"n":1,}`, fault.BadDocument},
		{"a number with a zero in front", `{"n":01}`, fault.BadDocument},
		{"a plus", `{"n":+1}`, fault.BadDocument},
		{"NaN", `{"x":NaN}`, fault.BadDocument},
		{"a point without digits", `{"x":1.}`, fault.BadDocument},
		{"single quotes", `{'n':1}`, fault.BadDocument},
		{"a control character", "{\"t\":\"a\nb\"}", fault.BadDocument},
		{"unknown escape", `{"t":"\x41"}`, fault.BadDocument},
		{"no UTF-8", "{\"t\":\"\xff\"}", fault.BadDocument},
		{"no UTF-8 behind an escape", "{\"t\":\"\\n\xc0\xaf\"}", fault.BadDocument},
		{"an encoded surrogate", "{\"t\":\"\xed\xa0\x80\"}", fault.BadDocument},
		{"half a pair", `{"t":"\ud83d"}`, fault.BadDocument},
		{"half a pair before another escape", `{"t":"\ud83d\u0041"}`, fault.BadDocument},
		{"the second half", `{"t":"\ude00"}`, fault.BadDocument},
		{"a key twice", `{"n":1,"n":2}`, fault.BadDocument},
		{"a key twice by escape", `{"n":1,"\u006e":2}`, fault.BadDocument},
		{"a key twice in an ignored object", `{"o":{"z":[{"a":1,"a":1}]}}`, fault.BadDocument},
		{"too deep", deep(65), fault.BadDocument},
		{"id true", `{"id":true}`, fault.BadDocument},
		{"id fraction", `{"id":1.0}`, fault.BadDocument},
		{"id empty", `{"id":""}`, fault.BadDocument},
		{"id null", `{"id":null}`, fault.BadDocument},
		{"id too long", `{"id":"` + strings.Repeat("x", 1025) + `"}`, fault.BadDocument},
		{"id list", `{"id":["a"]}`, fault.BadDocument},
		{"fraction in a long", `{"n":1.5}`, fault.BadField},
		{"5.0 in a long", `{"n":5.0}`, fault.BadField},
		{"too large for a long", `{"n":9223372036854775808}`, fault.BadField},
		{"string in a long", `{"n":"5"}`, fault.BadField},
		{"object in a long", `{"n":{"a":1}}`, fault.BadField},
		{"object in a list of long", `{"n":[1,{"a":1}]}`, fault.BadField},
		{"too large for a double", `{"x":1e400}`, fault.BadField},
		{"bool in a double", `{"x":true}`, fault.BadField},
		{"number in a text", `{"t":1}`, fault.BadField},
		{"number in a bool", `{"b":1}`, fault.BadField},
		{"keyword too long", `{"k":"` + strings.Repeat("x", 8193) + `"}`, fault.BadField},
		{"date that is none", `{"at":"2023-02-29T00:00:00Z"}`, fault.BadField},
		{"date with half a millisecond", `{"at":1.5}`, fault.BadField},
		{"reserved name", `{"_x":1}`, fault.BadField},
		{"condition in a document", `{"_if_version":1}`, fault.BadField},
		{"empty name", `{"":1}`, fault.BadField},
		{"a value where an object was", `{"o":5}`, fault.BadField},
		{"geo list of two", `{"g":[{"lat":1,"lon":1},{"lat":1,"lon":1}]}`, fault.BadField},
		{"geo latitude", `{"g":{"lat":91,"lon":1}}`, fault.BadField},
		{"geo half", `{"g":{"lat":1}}`, fault.BadField},
		{"geo with more", `{"g":{"lat":1,"lon":1,"alt":1}}`, fault.BadField},
		{"geo word", `{"g":"1,1"}`, fault.BadField},
		{"vector of one", `{"v":[1]}`, fault.BadVector},
		{"vector of three", `{"v":[1,2,3]}`, fault.BadVector},
		{"vector of words", `{"v":["1","2"]}`, fault.BadVector},
		{"vector of null", `{"v":[1,null]}`, fault.BadVector},
		{"vector beyond float32", `{"v":[1,1e39]}`, fault.BadVector},
		{"vector zero under cosine", `{"v":[0,-0.0]}`, fault.BadVector},
		{"vector word", `{"v":"1"}`, fault.BadVector},
	} {
		_, _, err := s.Decode([]byte(c.body))
		if fault.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %s", c.name, err, c.code)
		}
	}
	if _, _, err := s.Decode([]byte(deep(64))); err != nil {
		t.Errorf("64 levels: %v", err)
	}
}

func TestDynamicFields(t *testing.T) {
	s := mustParse(t, `{"fields":{"n":{"type":"long"}}}`)
	doc, added, err := s.Decode([]byte(`{"z":"word","a":{"w":5,"f":5.0,"e":1e3},"yes":[null,true],"none":null,"empty":[],"n":1,"obj":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if want := `a.e=[1000] a.f=[5] a.w=[5] n=[1] yes=[1] z=["word"]`; show(doc) != want {
		t.Errorf("%s, want %s", show(doc), want)
	}
	with, err := s.With(added)
	if err != nil {
		t.Fatal(err)
	}
	canonical, _ := with.MarshalJSON()
	if want := `{"fields":{"a.e":{"type":"double"},"a.f":{"type":"double"},"a.w":{"type":"long"},"n":{"type":"long"},"yes":{"type":"bool"},` +
		`"z":{"type":"text","exact":true}},"dynamic":true}`; string(canonical) != want {
		t.Errorf("%s, want %s", canonical, want)
	}
	again, added, err := with.Decode([]byte(`{"z":"word","a":{"w":5}}`))
	if err != nil || len(added) > 0 || show(again) != `a.w=[5] z=["word"]` {
		t.Errorf("again: %v %v %v", again, added, err)
	}
	for _, body := range []string{
		`{"x":[1,"a"]}`, `{"x":[1,1.5]}`, `{"x":[true,1]}`, `{"x":["a",{"b":1}]}`, `{"x":[{"b":1},"a"]}`, `{"x":[[1],{"b":1}]}`, `{"x":[[{}],1]}`, `{"x.y":1,"x":2}`,
		`{"x":123456789012345678901234567890}`, `{"x":1e400}`, `{"a..b":1}`, `{"n.x":1}`,
	} {
		if _, _, err := s.Decode([]byte(body)); fault.CodeOf(err) != fault.BadField {
			t.Errorf("%s: %v", body, err)
		}
	}
	full := mustParse(t, manyFields(1000))
	if _, _, err := full.Decode([]byte(`{"one_more":1}`)); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("one field more: %v", err)
	}
	if _, _, err := s.Decode([]byte(`{"` + strings.Repeat("x", 513) + `":1}`)); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("long name: %v", err)
	}
}

func TestUnknownFieldsByMode(t *testing.T) {
	body := []byte(`{"n":1,"x":["a",{"b":1}],"y":5}`)
	ignoring := mustParse(t, `{"fields":{"n":{"type":"long"}},"dynamic":false}`)
	strict := mustParse(t, `{"fields":{"n":{"type":"long"}},"dynamic":"strict"}`)
	if doc, added, err := ignoring.Decode(body); err != nil || len(added) > 0 || show(doc) != "n=[1]" {
		t.Errorf("dynamic:false: %v %v %v", doc, added, err)
	}
	if _, _, err := strict.Decode(body); fault.CodeOf(err) != fault.BadField || !strings.Contains(err.Error(), `"x"`) {
		t.Errorf("strict: %v", err)
	}
	if _, _, err := strict.Decode([]byte(`{"n":1,"x":null,"y":{},"z":[]}`)); err != nil {
		t.Errorf("strict with nothing in unknown fields: %v", err)
	}
	for _, s := range []*Schema{ignoring, strict, mustParse(t, `{"fields":{"n":{"type":"long"}}}`)} {
		if doc, err := s.DecodeKnown([]byte(`{"id":"i","_if_version":3,"n":1,"x":["a",{"b":1}],"y":5}`)); err != nil || doc.ID != "i" || show(doc) != "n=[1]" {
			t.Errorf("known only: %v %v", doc, err)
		}
	}
}

func TestManyFieldsInOneDocument(t *testing.T) {
	s := mustParse(t, manyFields(200))
	var body strings.Builder
	body.WriteByte('{')
	for i := range 200 {
		fmt.Fprintf(&body, `"f%d":[true,%v],`, (i*7)%200, i%2 == 0)
	}
	body.WriteString(`"id":7}`)
	doc, _, err := s.Decode([]byte(body.String()))
	if err != nil || doc.ID != "7" || len(doc.Values) != 200 {
		t.Fatalf("%d values, id %q, %v", len(doc.Values), doc.ID, err)
	}
	for i, v := range doc.Values {
		if len(v.Ints) != 2 || v.Field != &s.Fields[i] {
			t.Fatalf("value %d is of %s: %v", i, v.Field.Name, v.Ints)
		}
	}
}

func TestHasExact(t *testing.T) {
	long := strings.Repeat("x", MaxExactBytes+1)
	for _, c := range []struct {
		field Field
		value string
		want  bool
	}{
		{Field{Type: Keyword}, "a", true}, {Field{Type: Text}, "a", false}, {Field{Type: Text, Exact: true}, "a", true},
		{Field{Type: Text, Exact: true}, long, false}, {Field{Type: Text, Exact: true}, long[1:], true},
	} {
		if c.field.HasExact(c.value) != c.want {
			t.Errorf("%+v of %d bytes: %v", c.field, len(c.value), !c.want)
		}
	}
}

func TestParseBulkLine(t *testing.T) {
	s := mustParse(t, `{}`)
	var d Decoder
	for _, c := range []struct {
		line string
		want BulkLine
		code fault.Code
	}{
		{line: `{"id":"a","n":1}`, want: BulkLine{ID: "a", IfVersion: -1}},
		{line: `{"n":1}` + "\r", want: BulkLine{IfVersion: -1}},
		{line: `{"id":9007199254740993,"_if_version":0}`, want: BulkLine{ID: "9007199254740993", IfVersion: 0}},
		{line: `{"_delete":"a b"}`, want: BulkLine{Delete: true, ID: "a b", IfVersion: -1}},
		{line: `{"_delete":-5,"_if_version":7}`, want: BulkLine{Delete: true, ID: "-5", IfVersion: 7}},
		{line: `{"o":{"_delete":"x"}}`, want: BulkLine{IfVersion: -1}},
		{line: `{"_delete":"a","n":1}`, code: fault.BadDocument},
		{line: `{"_delete":"a","id":"b"}`, code: fault.BadDocument},
		{line: `{"_delete":""}`, code: fault.BadDocument},
		{line: `{"_delete":null}`, code: fault.BadDocument},
		{line: `{"id":true}`, code: fault.BadDocument},
		{line: `{"a":}`, code: fault.BadDocument},
		{line: `{"a":1}{`, code: fault.BadDocument},
		{line: `["a"]`, code: fault.BadDocument},
		{line: `{"_if_version":-1}`, code: fault.BadRequest},
		{line: `{"_if_version":1.0}`, code: fault.BadRequest},
		{line: `{"_if_version":"1"}`, code: fault.BadRequest},
	} {
		if c.code == "" && !c.want.Delete {
			c.want.Body = []byte(c.line)
		}
		check := func(by string, got BulkLine, err error) {
			t.Helper()
			if fault.CodeOf(err) != c.code || err == nil && !sameLine(got, c.want) {
				t.Errorf("%s: %s: %+v, %v", by, c.line, got, err)
			}
		}
		parsed, err := ParseBulkLine([]byte(c.line))
		check("parsed", parsed, err)
		decoded, _, err := d.DecodeLine(s, []byte(c.line))
		check("decoded", decoded, err)
	}
}

func sameLine(a, b BulkLine) bool {
	return a.ID == b.ID && a.Delete == b.Delete && a.IfVersion == b.IfVersion && bytes.Equal(a.Body, b.Body)
}

func TestDecodeLine(t *testing.T) {
	s := mustParse(t, `{"fields":{"n":{"type":"long"}}}`)
	var d Decoder
	for _, c := range []struct {
		name, line string
		id         string
		added      []string
		code       fault.Code
	}{
		{"a condition beside fields", `{"_if_version":3,"n":1,"id":"a"}`, "a", nil, ""},
		{"fields that are new", `{"y":1,"x":"w"}`, "", []string{"x", "y"}, ""},
		{"a reserved name", `{"_other":3,"n":1}`, "", nil, fault.BadField},
		{"a value that does not fit, before the id", `{"n":"x","id":"a"}`, "a", nil, fault.BadField},
		{"no JSON behind a value that does not fit", `{"n":"x","id":"a"`, "", nil, fault.BadDocument},
		{"a delete with new fields", `{"_delete":"a","y":1}`, "", nil, fault.BadDocument},
		{"a condition that is none behind a value that does not fit", `{"n":"x","_if_version":"1"}`, "", nil, fault.BadRequest},
	} {
		line, added, err := d.DecodeLine(s, []byte(c.line))
		var names []string
		for _, f := range added {
			names = append(names, f.Name)
		}
		if fault.CodeOf(err) != c.code || line.ID != c.id || !slices.Equal(names, c.added) {
			t.Errorf("%s: %+v, added %v, %v", c.name, line, names, err)
		}
	}
}

// TestDecoderRelease: behind Release a decoder keeps nothing of what it has read, and reads on.
func TestDecoderRelease(t *testing.T) {
	s := mustParse(t, allTypes)
	var d Decoder
	body := []byte(`{"id":"a","t":["b","c"],"k":"d","o":{"k":"e"}}`)
	read := make(chan string, 1)
	runtime.AddCleanup(&body[0], func(string) { read <- "gone" }, "")
	if _, err := d.DecodeKnown(s, body); err != nil {
		t.Fatal(err)
	}
	d.Release()
	body = nil
	runtime.GC()
	select {
	case <-read:
	case <-time.After(10 * time.Second):
		t.Error("a released decoder keeps the document")
	}
	doc, err := d.DecodeKnown(s, []byte(`{"k":"x","t":"y"}`))
	if err != nil || show(doc) != `k=["x"] t=["y"]` {
		t.Errorf("after a release: %v, %v", doc, err)
	}
	runtime.KeepAlive(&d)
}

// FuzzDecode holds the reader to encoding/json: what we take, it takes, with the same numbers and strings.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{
		`{"id":"a","t":"words","n":5,"x":[1.5,-0],"o":{"k":["x",null]},"at":"2024-01-01T00:00:00Z","b":true}`,
		`{"t":"\ud83d\ude00\u0000","q":[[{}],[1,2]],"g":{"lat":1,"lon":2},"v":[1,2]}`, `{"a":1,"a":2}`, `{"":[]}`, `{"n":1e5}`, "{\"t\":\"\xff\"}", `[`, `{"d":1,"d.e":2}`,
	} {
		f.Add([]byte(seed))
	}
	s := mustParse(f, allTypes)
	f.Fuzz(func(t *testing.T, body []byte) {
		doc, added, err := s.Decode(body)
		if err != nil {
			if fault.CodeOf(err) == "" {
				t.Fatalf("%q: an error without a code: %v", body, err)
			}
			return
		}
		var std map[string]any
		if err := json.Unmarshal(body, &std); err != nil || !utf8.Valid(body) {
			t.Fatalf("%q was taken: %v", body, err)
		}
		with, err := s.With(added)
		if err != nil {
			t.Fatalf("%q: the added fields cannot be added: %v", body, err)
		}
		again, err := with.DecodeKnown(body)
		if err != nil || show(again) != show(doc) {
			t.Fatalf("%q: decoded again %v, %v", body, again, err)
		}
		if _, err := s.DecodeKnown(body); err != nil {
			t.Fatalf("%q is not known: %v", body, err)
		}
		for _, v := range doc.Values {
			for _, x := range v.Floats {
				if math.IsInf(x, 0) || math.IsNaN(x) || math.Signbit(x) && x == 0 {
					t.Fatalf("%q: %v", body, x)
				}
			}
		}
		if text, ok := std["t"].(string); ok && (len(doc.Values) == 0 || !strings.Contains(show(doc), fmt.Sprintf("%q", text))) {
			t.Fatalf("%q: %s lacks %q", body, show(doc), text)
		}
	})
}

func FuzzParseBulkLine(f *testing.F) {
	for _, seed := range []string{`{"_delete":"a"}`, `{"id":1,"_if_version":0}`, `{"_delete":"a","x":1}`, ` {"a":[1,{"b":null}]} `, "{}\r"} {
		f.Add([]byte(seed))
	}
	s := mustParse(f, `{"dynamic":false}`)
	var d Decoder
	f.Fuzz(func(t *testing.T, line []byte) {
		parsed, err := ParseBulkLine(line)
		decoded, _, both := d.DecodeLine(s, line)
		if err != nil {
			if fault.CodeOf(err) == "" || fault.CodeOf(both) != fault.CodeOf(err) {
				t.Fatalf("%q: %v, in one pass %v", line, err, both)
			}
			return
		}
		if both != nil && fault.CodeOf(both) != fault.BadField || !sameLine(decoded, parsed) {
			t.Fatalf("%q: %+v, in one pass %+v, %v", line, parsed, decoded, both)
		}
		if parsed.Delete && CheckID(parsed.ID) != nil {
			t.Fatalf("%q deletes %q", line, parsed.ID)
		}
	})
}

// benchBody is a document of about 1 KB.
var benchBody = []byte(`{"id":"doc-000123","title":"Package bufio implements buffered I/O","body":"` +
	strings.Repeat("It wraps an io.Reader or io.Writer object, creating another object that also implements the interface. ", 6) +
	`","tags":["io","buffer","standard library"],"year":2012,"price":12.5,"created":"2024-02-29T12:00:00Z","draft":false,` +
	`"author":{"name":"The Go Authors","age":15},"links":[{"url":"https://pkg.go.dev/bufio","rank":1},{"url":"https://go.dev","rank":2}]}`)

func BenchmarkDecode(b *testing.B) {
	s := mustParse(b, `{"fields":{"title":{"type":"text"},"body":{"type":"text"},"tags":{"type":"keyword"},"year":{"type":"long"},"price":{"type":"double"},
		"created":{"type":"date"},"draft":{"type":"bool"},"author.name":{"type":"keyword"},"author.age":{"type":"long"},"links.url":{"type":"keyword"},"links.rank":{"type":"long"}}}`)
	b.SetBytes(int64(len(benchBody)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := s.Decode(benchBody); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeLine(b *testing.B) {
	s := mustParse(b, `{"dynamic":false}`)
	var d Decoder
	b.SetBytes(int64(len(benchBody)))
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := d.DecodeLine(s, benchBody); err != nil {
			b.Fatal(err)
		}
	}
}
