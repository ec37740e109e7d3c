package snippet_test

import (
	"context"
	"encoding/json"
	"errors"
	"html"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/snippet"
)

const fields = `{
	"analyzers":{
		"names":{"tokenizer":"standard","filters":[{"type":"lowercase"},{"type":"synonyms","rules":["dns, domain name system","tv, television"]}]},
		"web":{"char_filters":[{"type":"html_strip"}],"tokenizer":"standard","filters":[{"type":"lowercase"}]}},
	"fields":{
		"body":{"type":"text"},
		"english":{"type":"text","analyzer":"english"},
		"known":{"type":"text","search_analyzer":"names"},
		"page":{"type":"text","analyzer":"web"},
		"tag":{"type":"keyword"},
		"year":{"type":"long"}},
	"default_fields":["body"]}`

func parsed(t testing.TB) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(fields))
	if err != nil {
		t.Fatal(err)
	}
	s, err = s.With([]schema.Field{{Name: "free", Type: schema.Text, Analyzer: "standard", Boost: 1, Exact: true}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// cut gives the snippets of one field whose value is JSON. A fuzzy word stands for the terms near.
func cut(t testing.TB, s *schema.Schema, q, field, value string, change func(*snippet.Options), near ...query.Expansion) []string {
	t.Helper()
	raw := json.RawMessage(q)
	if !strings.HasPrefix(q, "{") {
		raw, _ = json.Marshal(q)
	}
	node, err := query.DecodeJSON(raw, query.Options{})
	if err != nil {
		t.Fatal(err)
	}
	resolved, err := query.Resolve(node, s, false)
	if err != nil {
		t.Fatal(err)
	}
	if questions := query.FuzzyQuestions(resolved); len(questions) > 0 {
		if resolved, err = query.Expand(resolved, false, questions, [][]query.Expansion{near}, nil); err != nil {
			t.Fatal(err)
		}
	}
	o := snippet.NewOptions(field)
	if change != nil {
		change(o)
	}
	c, err := snippet.New(s, resolved, o)
	if err != nil {
		t.Fatal(err)
	}
	got, err := c.Cut(t.Context(), []byte(`{"`+field+`":`+value+`}`))
	if err != nil {
		t.Fatal(err)
	}
	return got[field]
}

func TestMarks(t *testing.T) {
	s := parsed(t)
	for _, c := range []struct{ rule, query, field, value, want string }{
		{"a word with its capitals, wherever it is", "sea", "body", "Sea, see SEA", "<em>Sea</em>, see <em>SEA</em>"},
		{"no match, no entry", "ocean", "body", "the sea", ""},
		{"neighbours are one mark", "old man", "body", "The old man, old and wise", "The <em>old man</em>, <em>old</em> and wise"},
		{"a sign alone between does not part", "wi-fi", "body", "no wi-fi here", "no <em>wi-fi</em> here"},
		{"an emoji between parts", "red", "body", "red 🙂 red", "<em>red</em> 🙂 <em>red</em>"},
		{"a stemmed word is marked as it stands", "english:running", "english", "She runs, he RUNNING", "She <em>runs</em>, he <em>RUNNING</em>"},
		{"a phrase only where it is", `"old man"`, "body", "man old man, an old sea man", "man <em>old man</em>, an old sea man"},
		{"a phrase over a removed stop word", `english:"man the sea"`, "english", "man of sea, sea man", "<em>man</em> of <em>sea</em>, sea man"},
		{"a slop takes what lies between, and another order", `"sea man"~3`, "body", "man and sea. Then nothing at all but sea", "<em>man</em> and <em>sea</em>. Then nothing at all but sea"},
		{"a slop needs a place for each of two", `"a a"~5`, "body", "x a x", ""},
		{"a slop with a word twice", `"a a"~5`, "body", "a x a y y y y y y y a", "<em>a</em> x <em>a</em> y y y y y y y a"},
		{"the end of a phrase as a prefix", `{"match_phrase_prefix":{"body":"old ma"}}`, "body", "old masts, old sails, man", "<em>old masts</em>, old sails, man"},
		{"a prefix", "fi*", "body", "Red fish, a fig", "Red <em>fish</em>, a <em>fig</em>"},
		{"a wildcard", "f?sh", "body", "fish flush fesh", "<em>fish</em> flush <em>fesh</em>"},
		{"an expression", "/f.*h/", "body", "fish Flush fog", "<em>fish Flush</em> fog"},
		{"what must not be is not marked", "sea -man", "body", "sea man", "<em>sea</em> man"},
		{"other fields mark nothing", "tag:sea body:man", "body", "sea man", "sea <em>man</em>"},
		{"a synonym", "known:tv", "known", "a television", "a <em>television</em>"},
		{"a synonym of several words is a phrase", "known:dns", "known", "a name, the domain name system", "a name, the <em>domain name system</em>"},
		{"Cyrillic", "мир", "body", "Здравствуй Мир навсегда", "Здравствуй <em>Мир</em> навсегда"},
		{"folding that changes the length", "strasse", "body", "Die STRAẞE, Straße", "Die <em>STRAẞE</em>, <em>Straße</em>"},
		{"decomposed letters", "café", "body", "un cafe\u0301 noir", "un <em>cafe\u0301</em> noir"},
		{"pairs of characters join", "東京都", "body", "私は東京都に住む東京", "私は<em>東京都</em>に住む東京"},
		{"one character of pairs", "国", "body", "日本国内の国、国国", "日本<em>国</em>内の<em>国、国国</em>"},
		{"two characters of a pair", "内 国", "body", "国内", "<em>国内</em>"},
		{"the end of a pair and the beginning of another", "第3回", "body", "今年第3回大会、第4回", "今年<em>第3回</em>大会、第4回"},
		{"the end of a pair beside the beginning of another", "人・物", "body", "日本人・物価、人々", "日本<em>人・物</em>価、人々"},
		{"Thai, with marks over letters", "น้ำ", "body", "ดื่มน้ำเย็น", "ดื่ม<em>น้ำ</em>เย็น"},
		{"a joined emoji", "👩‍👩‍👧", "body", "I 👩‍👩‍👧 you", "I <em>👩‍👩‍👧</em> you"},
		{"right to left", "שלום", "body", "אמר שלום לך", "אמר <em>שלום</em> לך"},
		{"markup is escaped, once each", "b", "body", `a<b>"c'&amp;`, `a&lt;<em>b</em>&gt;&quot;c'&amp;amp;`},
		{"stripped markup is still text", "page:bold", "page", "<i>very</i> <b>bold</b>", "&lt;i&gt;very&lt;/i&gt; &lt;b&gt;<em>bold</em>&lt;/b&gt;"},
		{"a keyword is marked whole", "tag:a-b", "tag", "a-b", "<em>a-b</em>"},
		{"a keyword by a prefix", "tag:a*", "tag", "a-b", "<em>a-b</em>"},
		{"a keyword in a range", "tag:[a TO b}", "tag", "a-b", "<em>a-b</em>"},
		{"a keyword out of a range", "tag:{b TO *}", "tag", "b", ""},
		{"an exact value", `{"term":{"free":"Red fish"}}`, "free", "Red fish", "<em>Red fish</em>"},
		{"a word goes before the exact value", "free:fi*", "free", "fish are red", "<em>fish</em> are red"},
	} {
		value, err := json.Marshal(c.value)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(cut(t, s, c.query, c.field, string(value), nil), " | "); got != c.want {
			t.Errorf("%s: %s\ngot  %s\nwant %s", c.rule, c.query, got, c.want)
		}
	}
	if got := cut(t, s, "hallo~1", "body", `"Hello and hallo, hull"`, nil, query.Expansion{Term: "hallo"}, query.Expansion{Term: "hello", Edits: 1}); !slices.Equal(got, []string{"<em>Hello</em> and <em>hallo</em>, hull"}) {
		t.Errorf("fuzzy: %s", got)
	}
}

func TestPassages(t *testing.T) {
	s := parsed(t)
	sized := func(size, number, noMatch int) func(*snippet.Options) {
		return func(o *snippet.Options) {
			o.Size, o.Number, o.NoMatch, o.Open, o.Close = size, number, noMatch, "[", "]"
		}
	}
	far := strings.Repeat("filler ", 60)
	for _, c := range []struct {
		rule, query, value    string
		size, number, noMatch int
		want                  []string
	}{
		{"room is divided to both sides, by whole words", "needle", `"` + far + `needle ` + far + `"`, 20, 3, 0, []string{"filler [needle] filler"}},
		{"at the beginning it goes to the right", "needle", `"needle ` + far + `"`, 20, 3, 0, []string{"[needle] filler filler"}},
		{"at the end to the left", "needle", `"` + far + `needle."`, 20, 3, 0, []string{"filler [needle]."}},
		{"more words go before more matches", "red blue", `"red red red ` + far + `blue red ` + far + `blue blue"`, 13, 2, 0, []string{"filler [blue red]"[7:], "[red red red]"}},
		{"equals by place", "red", `"red ` + far + `red ` + far + `red ` + far + `red"`, 3, 3, 0, []string{"[red]", "[red]", "[red]"}},
		{"passages do not overlap", "red", `"red a b red c d red"`, 9, 9, 0, []string{"[red] a b", "[red] c d", "[red]"}},
		{"each value by itself, those without match left out", "red", `["one red","none",null,"red red"]`, 160, 3, 0, []string{"[red red]", "one [red]"}},
		{"a value as long as the size is whole", "red", `"a red hat"`, 9, 3, 0, []string{"a [red] hat"}},
		{"characters, not bytes", "мир", `"мир вам и нам"`, 7, 3, 0, []string{"[мир] вам"}},
		{"a longer word alone is cut", "abc*", `"abcdefghijkl x"`, 5, 3, 0, []string{"[abcde]"}},
		{"no match: words up to so many characters", "red", `["","alpha beta gamma"]`, 160, 3, 12, []string{"alpha beta"}},
		{"no match: all, where it is shorter", "red", `"alpha <beta>!"`, 160, 3, 100, []string{"alpha &lt;beta&gt;!"}},
		{"no match: no character is divided", "red", `"👩‍👩‍👧👩‍👩‍👧"`, 160, 3, 6, []string{"👩‍👩‍👧"}},
		{"no text, no entry", "red", `[]`, 160, 3, 6, nil},
	} {
		if got := cut(t, s, c.query, "body", c.value, sized(c.size, c.number, c.noMatch)); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.rule, got, c.want)
		}
	}
}

// Whatever the text and the query, a passage without tags is a part of the text, divides no character, and holds marks that no other touches; the passages of a
// value do not overlap; and the marks of the whole text are those words that the query asks for, found by another way.
func TestPassagesOfRandomTexts(t *testing.T) {
	s := parsed(t)
	words := []string{"red", "RED", "blue", "été", "мир", "東京", "京都", "ที่", "<b>", "&", "🙂", "\"", "a-b", ".", "\n", "x"}
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		var text strings.Builder
		for range 1 + r.IntN(60) {
			text.WriteString(words[r.IntN(len(words))])
			text.WriteString([]string{" ", " ", "  ", ", "}[r.IntN(4)])
		}
		check(t, s, []string{"red", `"red blue"~2`, "мир OR b*", "東京 été", `"a-b" red`}[r.IntN(5)], text.String(), 1+r.IntN(60), seed)
		whole := cut(t, s, "red blue", "body", quoted(text.String()), func(o *snippet.Options) { o.Size, o.Open, o.Close = snippet.MaxSize, "\x01", "\x02" })
		var want, got []string
		for _, word := range strings.FieldsFunc(text.String(), func(r rune) bool { return strings.ContainsRune(" ,.\n<>&\"🙂-", r) }) {
			if w := strings.ToLower(word); w == "red" || w == "blue" {
				want = append(want, word)
			}
		}
		for _, part := range strings.Split(strings.Join(whole, ""), "\x01")[min(1, len(whole)):] {
			mark, _, _ := strings.Cut(part, "\x02")
			got = append(got, strings.FieldsFunc(html.UnescapeString(mark), func(r rune) bool { return strings.ContainsRune(" ,.\n\"&", r) })...)
		}
		if !slices.Equal(got, want) {
			t.Fatalf("seed %d: %q: marked %q, want %q", seed, text.String(), got, want)
		}
	}
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

func check(t *testing.T, s *schema.Schema, q, text string, size int, seed uint64) {
	t.Helper()
	var bare []string
	for _, p := range cut(t, s, q, "body", quoted(text), func(o *snippet.Options) { o.Size, o.Number, o.Open, o.Close = size, 100, "\x01", "\x02" }) {
		plain := html.UnescapeString(strings.NewReplacer("\x01", "", "\x02", "").Replace(p))
		if !strings.Contains(text, plain) || !utf8.ValidString(plain) {
			t.Fatalf("seed %d: %q is no part of %q", seed, plain, text)
		}
		if n := utf8.RuneCountInString(plain); n > max(size, 8) {
			t.Fatalf("seed %d: %q has %d characters, not %d", seed, plain, n, size)
		}
		if strings.Count(p, "\x01") != strings.Count(p, "\x02") || !strings.Contains(p, "\x01") || strings.Contains(p, "\x01\x02") || strings.Contains(p, "\x02\x01") {
			t.Fatalf("seed %d: marks of %q", seed, p)
		}
		bare = append(bare, plain)
	}
	if total := utf8.RuneCountInString(strings.Join(bare, "")); total > utf8.RuneCountInString(text) {
		t.Fatalf("seed %d: passages overlap: %q of %q", seed, bare, text)
	}
}

func TestLimits(t *testing.T) {
	s := parsed(t)
	match := &query.MatchAll{Boost: 1}
	for name, c := range map[string]struct {
		change func(*snippet.Options)
		want   fault.Code
	}{
		"size 0":       {func(o *snippet.Options) { o.Size = 0 }, fault.BadRequest},
		"size":         {func(o *snippet.Options) { o.Size = snippet.MaxSize + 1 }, fault.LimitExceeded},
		"number 0":     {func(o *snippet.Options) { o.Number = 0 }, fault.BadRequest},
		"number":       {func(o *snippet.Options) { o.Number = snippet.MaxNumber + 1 }, fault.LimitExceeded},
		"no_match < 0": {func(o *snippet.Options) { o.NoMatch = -1 }, fault.BadRequest},
		"no_match":     {func(o *snippet.Options) { o.NoMatch = snippet.MaxNoMatch + 1 }, fault.LimitExceeded},
		"fields":       {func(o *snippet.Options) { o.Fields = make([]string, snippet.MaxFields+1) }, fault.LimitExceeded},
		"tag":          {func(o *snippet.Options) { o.Open = strings.Repeat("x", snippet.MaxTagBytes+1) }, fault.LimitExceeded},
		"a number":     {func(o *snippet.Options) { o.Fields = []string{"year"} }, fault.BadField},
		"no field":     {func(o *snippet.Options) { o.Fields = []string{"nowhere"} }, ""},
	} {
		o := snippet.NewOptions("body")
		c.change(o)
		if _, err := snippet.New(s, match, o); (err == nil) != (c.want == "") || err != nil && fault.CodeOf(err) != c.want {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	var many query.Bool
	for range snippet.MaxPatterns + 1 {
		many.Should = append(many.Should, &query.TermPattern{Field: "body", Kind: query.PrefixPattern, Text: "a"})
	}
	if _, err := snippet.New(s, &many, snippet.NewOptions("body")); fault.CodeOf(err) != fault.LimitExceeded {
		t.Errorf("patterns: %v", err)
	}
	if _, err := snippet.New(s, &many, snippet.NewOptions("english")); err != nil {
		t.Errorf("patterns of another field: %v", err)
	}
}

func TestNothingIsFoundBehindTheLimitOfText(t *testing.T) {
	s := parsed(t)
	long := strings.Repeat("filler ", snippet.MaxTextBytes/7)
	if got := cut(t, s, "needle", "body", `["`+long+`","needle"]`, nil); got != nil {
		t.Errorf("got %q", got)
	}
	if got := cut(t, s, "needle fil*", "body", `["needle","`+long+`"]`, func(o *snippet.Options) { o.Number = 1 }); len(got) != 1 || !strings.HasPrefix(got[0], "<em>filler ") {
		t.Errorf("got %q", got)
	}
}

func TestACutEndsWithItsContext(t *testing.T) {
	s := parsed(t)
	phrase := &query.TextPhrase{Field: "body", Slop: query.MaxSlop}
	for i := range 500 {
		phrase.Terms, phrase.Offsets = append(phrase.Terms, "a"), append(phrase.Offsets, i)
	}
	c, err := snippet.New(s, phrase, snippet.NewOptions("body"))
	if err != nil {
		t.Fatal(err)
	}
	ctx := &ending{Context: t.Context(), left: 50}
	if _, err := c.Cut(ctx, []byte(`{"body":"`+strings.Repeat("a ", 50_000)+`"}`)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// ending is a context that ends when it was looked at so many times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

func FuzzCut(f *testing.F) {
	f.Add(`"old man"~2 sea*`, "the <b>old man</b> & the sea", 10, 3, 5)
	f.Add("東京都 /f.*/", "私は東京都に住む東京 fish", 4, 2, 0)
	f.Add("a", "a\u0301\u0301a 👩‍👩‍👧 ﬁ ẞ ช้าง", 1, 9, 1)
	s := parsed(f)
	f.Fuzz(func(t *testing.T, q, text string, size, number, noMatch int) {
		raw, err := json.Marshal(q)
		if err != nil {
			return
		}
		node, err := query.DecodeJSON(raw, query.Options{Lenient: true})
		if err != nil {
			return
		}
		resolved, err := query.Resolve(node, s, false)
		if err != nil {
			return
		}
		o := &snippet.Options{Fields: []string{"body"}, Size: size, Number: number, NoMatch: noMatch}
		c, err := snippet.New(s, resolved, o)
		if err != nil {
			return
		}
		text = strings.ToValidUTF8(text, "")
		got, err := c.Cut(t.Context(), []byte(`{"body":`+quoted(text)+`}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range got["body"] {
			if plain := html.UnescapeString(p); !strings.Contains(text, plain) {
				t.Errorf("%q is no part of %q", plain, text)
			}
		}
	})
}
