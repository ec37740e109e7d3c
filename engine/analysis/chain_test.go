package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func chain(t testing.TB, d Definition) *Chain {
	t.Helper()
	c, err := New(d)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// located writes tokens as term@position[what they cover in the text].
func located(text string, tokens []Token) string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = fmt.Sprintf("%s@%d[%s]", t.Term, t.Position, text[t.Start:t.End])
	}
	return strings.Join(out, " ")
}

func TestChain(t *testing.T) {
	html := []CharFilter{{Type: HTMLStrip}}
	mapped := func(list ...string) []CharFilter { return []CharFilter{{Type: Mapping, Mappings: list}} }
	filters := func(list ...Filter) []Filter { return list }
	lower := Filter{Type: Lowercase}
	for _, c := range []struct {
		name       string
		definition Definition
		text, want string
	}{
		{"nothing but the tokenizer", Definition{}, "The Fox ÉTÉ 東京", "The@0[The] Fox@1[Fox] ÉTÉ@2[ÉTÉ] 東京@3[東京]"},
		{"standard and lowercase is standard", Definition{Filters: filters(lower)}, "The Straße ❤️", "the@0[The] strasse@1[Straße] ❤@2[❤️]"},
		{"letter", Definition{Tokenizer: "letter", Filters: filters(lower)}, "R2-D2 Été", "r@0[R] d@1[D] été@2[Été]"},
		{"whitespace", Definition{Tokenizer: "whitespace"}, "R2-D2  is", "R2-D2@0[R2-D2] is@1[is]"},
		{"keyword", Definition{Tokenizer: "keyword", Filters: filters(lower)}, "New York", "new york@0[New York]"},
		{"accents go", Definition{Filters: filters(lower, Filter{Type: ASCIIFolding})}, "Crème ŁÓDŹ Ærø Αθήνα re\u0301sume\u0301", "creme@0[Crème] lodz@1[ŁÓDŹ] aero@2[Ærø] αθηνα@3[Αθήνα] resume@4[re\u0301sume\u0301]"},
		{"marks that are letters stay", Definition{Filters: filters(lower, Filter{Type: ASCIIFolding})}, "हिन्दी й", "हिन्दी@0[हिन्दी] й@1[й]"},
		{"stop words leave their places", Definition{Filters: filters(lower, Filter{Type: Stop, Words: []string{"The", "of"}})}, "the king of THE road", "king@1[king] road@4[road]"},
		{"stop words of a language", Definition{Filters: filters(lower, Filter{Type: Stop, Language: "german"})}, "Die Katze und der Hund", "katze@1[Katze] hund@4[Hund]"},
		{"stems", Definition{Filters: filters(lower, Filter{Type: Stemmer, Language: "english"})}, "the dog's running", "the@0[the] dog@1[dog's] run@2[running]"},
		{"lengths are characters", Definition{Filters: filters(Filter{Type: Length, Min: 2, Max: 3})}, "é éé ééé éééé", "éé@1[éé] ééé@2[ééé]"},
		{"prefixes cover their word", Definition{Filters: filters(lower, Filter{Type: EdgeNGram, Min: 2, Max: 3})}, "Été a it", "ét@0[Été] été@0[Été] it@2[it]"},
		{"a prefix stands once in a place", Definition{Filters: filters(Filter{Type: EdgeNGram, Min: 3, Max: 5}, Filter{Type: Stemmer, Language: "english"})}, "runs", "run@0[runs]"},
		{"html", Definition{CharFilters: html}, "<p>Caf&eacute; <b>bo</b>ld&amp;x</p><p>next", "Café@0[Caf&eacute;] bold@1[bo</b>ld] x@2[x] next@3[next]"},
		{"html hides scripts and comments", Definition{CharFilters: html}, "a<script>var b</script><!-- c --><style>d</style>e", "a@0[a] e@1[e]"},
		{"what is no markup stays", Definition{CharFilters: html}, "a < b & c &nosuch; d", "a@0[a] b@1[b] c@2[c] nosuch@3[nosuch] d@4[d]"},
		{"lines of a block stay apart", Definition{CharFilters: html}, "one<br>two<i>three</i>", "one@0[one] twothree@1[two<i>three]"},
		{"mappings", Definition{CharFilters: mapped("& => and", "ph=>f", "c++ => cplusplus", "c => k")}, "phone & c++ c", "fone@0[phone] and@1[&] cplusplus@2[c++] k@3[c]"},
		{"the longest mapping first, in nothing again", Definition{CharFilters: mapped("a => b", "ab => c", "b => ")}, "ab a bx", "c@0[ab] b@1[a] x@2[x]"},
		{"char filters in order", Definition{CharFilters: append(html, mapped("& => und")...)}, "x &amp; <b>y</b>z", "x@0[x] und@1[&amp;] yz@2[y</b>z]"},
		{"synonyms are for queries", Definition{Filters: filters(lower, Filter{Type: Synonyms, Rules: []string{"tv, television"}})}, "TV", "tv@0[TV]"},
	} {
		tokens := chain(t, c.definition).Analyze(nil, c.text)
		if got := located(c.text, tokens); got != c.want {
			t.Errorf("%s: %q gives\n%s, want\n%s", c.name, c.text, got, c.want)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	one := func(f Filter) Definition { return Definition{Filters: []Filter{f}} }
	mapped := func(list ...string) Definition {
		return Definition{CharFilters: []CharFilter{{Type: Mapping, Mappings: list}}}
	}
	for _, c := range []struct {
		name       string
		definition Definition
		message    string
	}{
		{"tokenizer", Definition{Tokenizer: "klingon"}, "tokenizer: there are standard"},
		{"char filter", Definition{CharFilters: []CharFilter{{Type: "x"}}}, "char_filters[0]: type: there are html_strip"},
		{"filter", one(Filter{Type: "x"}), "filters[0]: type: there are lowercase"},
		{"many filters", Definition{Filters: slices.Repeat([]Filter{{Type: Lowercase}}, 33)}, "at most 32"},
		{"no mapping", mapped(), "1 to 4096"},
		{"half a mapping", mapped("a", "b"), "from => to"},
		{"nothing mapped", mapped(" => b"), "from => to"},
		{"mapped twice", mapped("a => b", "a => c"), "mappings[1]"},
		{"long entry", mapped(strings.Repeat("a", 1025)), "1024"},
		{"stop of nothing", one(Filter{Type: Stop}), "a language or words"},
		{"stop of both", one(Filter{Type: Stop, Language: "german", Words: []string{"a"}}), "a language or words"},
		{"stop of a language that is none", one(Filter{Type: Stop, Language: "klingon"}), "klingon"},
		{"stemmer of a language that is none", one(Filter{Type: Stemmer, Language: "klingon"}), "klingon"},
		{"lengths", one(Filter{Type: Length, Min: 3, Max: 2}), "min <= max"},
		{"prefixes of nothing", one(Filter{Type: EdgeNGram, Min: 0, Max: 2}), "1 <= min"},
		{"long prefixes", one(Filter{Type: EdgeNGram, Min: 1, Max: 33}), "32"},
		{"no rules", one(Filter{Type: Synonyms}), "rules"},
		{"a rule of one spelling", one(Filter{Type: Synonyms, Rules: []string{"a"}}), "several spellings"},
		{"a spelling of no word", one(Filter{Type: Synonyms, Rules: []string{"a, -"}}), `rules[0] "a, -": "-" has 0 words`},
		{"a long spelling", one(Filter{Type: Synonyms, Rules: []string{"a, " + strings.Repeat("b ", 17)}}), "17 words"},
		{"synonyms twice", Definition{Filters: slices.Repeat([]Filter{{Type: Synonyms, Rules: []string{"a,b"}}}, 2)}, "one filter of synonyms"},
	} {
		if _, err := New(c.definition); err == nil || !strings.Contains(err.Error(), c.message) {
			t.Errorf("%s: %v, want %q", c.name, err, c.message)
		}
	}
}

// read writes what a query's text can be read as.
func read(t *testing.T, c *Chain, text string) string {
	t.Helper()
	steps, ok := Expand(c, text)
	if !ok {
		t.Fatal("no synonyms")
	}
	phrases, ok := Phrases(steps, 64)
	if !ok {
		t.Fatal("too many phrases")
	}
	out := make([]string, len(phrases))
	for i, p := range phrases {
		out[i] = placed(p)
	}
	return strings.Join(out, " | ")
}

func TestSynonyms(t *testing.T) {
	english := []Filter{{Type: Lowercase}, {Type: Stop, Language: "english"}}
	rules := Filter{Type: Synonyms, Rules: []string{
		"TV, television, telly", "dns, domain name system", "ipad => ipad, tablet", "usa => united states of america", "lord of the rings, lotr", "domain, dominion", "tv, box",
	}}
	c := chain(t, Definition{Filters: append(english, rules, Filter{Type: Stemmer, Language: "english"})})
	for _, q := range []struct{ text, want string }{
		{"nothing here", "noth@0 here@1"},
		{"televisions tv", "televis@0 tv@1 | televis@0 televis@1 | televis@0 telli@1 | televis@0 box@1"},
		{"fast dns servers", "fast@0 dns@1 server@2 | fast@0 domain@1 name@2 system@3 server@4"},
		{"fast domain name system servers", "fast@0 dns@1 server@2 | fast@0 domain@1 name@2 system@3 server@4"},
		{"domain name", "domain@0 name@1 | dominion@0 name@1"},
		{"iPad", "ipad@0 | tablet@0"},
		{"tablet", "tablet@0"},
		{"usa today", "unit@0 state@1 america@3 today@4"},
		{"the lord of the rings films", "lord@1 ring@4 film@5 | lotr@1 film@2"},
		{"lord of some rings", "lord@0 some@2 ring@3"},
		{"", ""},
	} {
		if got := read(t, c, q.text); got != q.want {
			t.Errorf("%q reads as\n%s, want\n%s", q.text, got, q.want)
		}
	}
	steps, _ := Expand(c, strings.Repeat("tv ", 4))
	if _, ok := Phrases(steps, 64); ok {
		t.Error("256 phrases pass for 64")
	}
	for _, s := range steps {
		for _, w := range s.Ways {
			for _, token := range w.Tokens {
				if token.End-token.Start != len("tv") {
					t.Errorf("%+v covers more than its word", token)
				}
			}
		}
	}
	if _, ok := Expand(chain(t, Definition{}), "a"); ok {
		t.Error("an analyzer without synonyms expands")
	}
}

func TestNormalize(t *testing.T) {
	for _, c := range []struct {
		analyzer Analyzer
		want     string
	}{
		{standard{}, "été running"}, {languageByName("english"), "été running"}, {keyword{}, "Été Running"}, {whitespace{}, "Été Running"},
		{chain(t, Definition{}), "Été Running"},
		{chain(t, Definition{Filters: []Filter{{Type: Lowercase}, {Type: ASCIIFolding}, {Type: Stemmer, Language: "english"}}}), "ete running"},
	} {
		if got := Normalize(c.analyzer, "Été Running"); got != c.want {
			t.Errorf("%T: %q, want %q", c.analyzer, got, c.want)
		}
	}
}

// Whatever the text, tokens ascend and cover characters of it; so do the steps of a query.
func FuzzChain(f *testing.F) {
	for _, seed := range []string{
		"The <b>quick</b> 東京 &eacute;&#x41;&", "<script>a", "a<b", "</", "<a href='", "<!--", "&amp", "tv & dns <p>x", "\xff<\xc0>", "<textarea>&lt;</textarea>", "<plaintext>a", "a\x00<\rb>",
	} {
		f.Add(seed)
	}
	c := chain(f, Definition{
		CharFilters: []CharFilter{{Type: HTMLStrip}, {Type: Mapping, Mappings: []string{"& => and", "ph => f", "x =>"}}},
		Filters: []Filter{{Type: Lowercase}, {Type: ASCIIFolding}, {Type: Stop, Language: "french"}, {Type: Synonyms, Rules: []string{"tv, tele vision", "and => und"}},
			{Type: Stemmer, Language: "french"}, {Type: EdgeNGram, Min: 1, Max: 4}, {Type: Length, Max: 3}},
	})
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<14 {
			return
		}
		last := Token{Position: -1}
		for _, token := range c.Analyze(nil, text) {
			switch {
			case token.Position < last.Position || token.Start < last.Start || token.End > len(text) || token.Start >= token.End:
				t.Fatalf("%+v behind %+v", token, last)
			case token.Term == "" || len(token.Term) > MaxTermBytes:
				t.Fatalf("term %q", token.Term)
			case utf8.ValidString(text) && !utf8.ValidString(text[token.Start:token.End]):
				t.Fatalf("%+v covers half a character", token)
			case token.Position == last.Position && token.Term == last.Term:
				t.Fatalf("%+v stands twice", token)
			}
			last = token
		}
		steps, _ := Expand(c, text)
		for _, s := range steps {
			if s.Gap < 0 || len(s.Ways) == 0 {
				t.Fatalf("step %+v", s)
			}
		}
	})
}
