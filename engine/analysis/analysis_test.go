package analysis

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/clipperhouse/uax29/v2/words"
)

// full never takes the short way for ASCII.
func full(string, int) int { return 0 }

func terms(tokens []Token) []string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.Term
	}
	return out
}

func TestStandard(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"words", "The quick brown-fox's 3.14, a_b c.", "the|quick|brown|fox's|3.14|a_b|c"},
		{"numbers", "1,000;2 3. 4.x 5:6 v1.2.3", "1,000;2|3|4|x|5|6|v1.2.3"},
		{"apostrophes", "can't 'tis o'clock' rock'n'roll 9'5", "can't|tis|o'clock|rock'n'roll|9'5"},
		{"colons", "a:b c:1 ::d", "a:b|c|1|d"},
		{"underscores alone are no word", "__ _ _x __init__", "_x|__init__"},
		{"case folds", "ΣΊΣΥΦΟΣ Straße STRASSE МОСКВА", "σίσυφοσ|strasse|strasse|москва"},
		{"the folding is full and compatible", "ﬁnd ＡＢＣ１ Ⅷ ①", "find|abc1|viii|1"},
		{"both spellings of accents", "re\u0301sume\u0301 résumé", "résumé|résumé"},
		{"dotted capital i", "İzmir İZMİR i\u0307zmir ızgara", "izmir|izmir|izmir|ızgara"},
		{"accents stay", "café cafe", "café|cafe"},
		{"han is pairs", "東京電機", "東京|京電|電機"},
		{"one character is a token", "a 東 b", "a|東|b"},
		{"scripts mix in a run", "日本のコーヒー", "日本|本の|のコ|コー|ーヒ|ヒー"},
		{"a run beside letters", "Go言語2号x", "go|言語|2|号|x"},
		{"katakana beside an underscore", "コ_a", "コ|_a"},
		{"half width katakana", "ｶﾞｯﾂ", "ガッ|ッツ"},
		{"a voiced mark belongs to its letter", "カ\u3099ク", "ガク"},
		{"thai marks belong to their letter", "เช้า", "เช้|ช้า"},
		{"thai digits are words", "ไทย๓๔ก", "ไท|ทย|๓๔|ก"},
		{"emoji are tokens", "we launch 🚀 today", "we|launch|🚀|today"},
		{"a family is one token", "hi 👨\u200d👩\u200d👧x", "hi|👨\u200d👩\u200d👧|x"},
		{"flags are pairs", "🇩🇪🇫🇷", "🇩🇪|🇫🇷"},
		{"a skin tone belongs to its emoji", "👍🏽!", "👍🏽"},
		{"flags of regions differ by tags", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"},
		{"what nobody sees folds away", "co\u00adop\ufeffer\u2060ate sha\u200elom \u202bab\u202c", "cooperate|shalom|ab"},
		{"joiners tell words apart", "می\u200cخواهم میخواهم", "می\u200cخواهم|میخواهم"},
		{"a letter that shows nothing is no token", "a \u3164 b", "a|b"},
		{"variants of ideographs", "葛\U000e0100飾", "葛飾"},
		{"spaces of no width in scripts without spaces", "ភាសា\u200bខ្មែរ", "ភាសា|សាខ្|ខ្មែ|មែរ"},
		{"spaces of no width between other words", "a\u200bb", "a|b"},
		{"apostrophes of every kind", "don’t don't donʼt don＇t", "don't|don't|don't|don't"},
		{"letters in circles", "Ⓐ ⓑ", "a|b"},
		{"a selector asks for colour only", "❤️coffee❤", "❤|coffee|❤"},
		{"keycaps are words", "1️⃣ x", "1\u20e3|x"},
		{"signs are none", "© → • § ™ — “x”", "x"},
		{"korean is words", "안녕 세계", "안녕|세계"},
		{"hebrew", `צה"ל`, `צה"ל`},
		{"spaces of every kind", "a\u00a0b\u3000c\u2028d\te\nf", "a|b|c|d|e|f"},
		{"nothing", " .,;- ", ""},
	} {
		tokens := standard{}.Analyze(nil, c.text)
		if got := strings.Join(terms(tokens), "|"); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.text, got, c.want)
		}
		for i, token := range tokens {
			if token.Position != i || token.Start >= token.End || !utf8.ValidString(c.text[token.Start:token.End]) {
				t.Errorf("%s: token %d is %+v", c.name, i, token)
			}
		}
	}
}

func TestOffsetsCoverTheWord(t *testing.T) {
	text := "Say Ünder 東京都"
	var got []string
	for _, token := range (standard{}).Analyze(nil, text) {
		got = append(got, text[token.Start:token.End])
	}
	if want := []string{"Say", "Ünder", "東京", "京都"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestOtherAnalyzers(t *testing.T) {
	for _, c := range []struct{ analyzer, text, want string }{
		{"simple", "R2-D2 can't ÉTÉ", "r|d|can|t|été"},
		{"whitespace", " R2-D2  Can't\u3000x\u00a0y ", "R2-D2|Can't|x|y"},
		{"keyword", " New York ", " New York "},
		{"keyword", "", ""},
	} {
		analyzer, ok := ByName(c.analyzer)
		if !ok {
			t.Fatal(c.analyzer)
		}
		if got := strings.Join(terms(analyzer.Analyze(nil, c.text)), "|"); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.analyzer, c.text, got, c.want)
		}
	}
	if _, ok := ByName("klingon"); ok {
		t.Error("an analyzer that is not there was found")
	}
	for _, name := range Names() {
		if _, ok := ByName(name); !ok {
			t.Errorf("%s is listed and not there", name)
		}
	}
}

func TestLongTermsAreCutAtACharacter(t *testing.T) {
	for _, c := range []struct {
		unit string
		want int
	}{{"x", 255}, {"é", 254}, {"ढ", 255}, {"𝔞", 255}} {
		text := strings.Repeat(c.unit, 300)
		for _, name := range Names() {
			analyzer, _ := ByName(name)
			tokens := analyzer.Analyze(nil, text)
			if len(tokens) != 1 || len(tokens[0].Term) > MaxTermBytes || !utf8.ValidString(tokens[0].Term) || tokens[0].End != len(text) {
				t.Errorf("%s of %s: %d tokens, term of %d bytes", name, c.unit, len(tokens), len(tokens[0].Term))
			}
			if name == "whitespace" && c.unit != "𝔞" && len(tokens[0].Term) != c.want {
				t.Errorf("%s: cut to %d bytes, want %d", c.unit, len(tokens[0].Term), c.want)
			}
		}
	}
}

// The table of pictographs is what the word breaking itself takes for them: only a pictograph is joined to a zero-width joiner before it (rule WB3c), beside what
// is joined to everything.
func TestPictographsAreThoseOfTheSegmentation(t *testing.T) {
	joined := func(before, after string) bool {
		segments := words.FromString(before + after)
		segments.Next()
		return segments.End() == len(before)+len(after)
	}
	const ordinary = "\u3030\u303d"            // signs of text, see the table
	for r := rune(0x2190); r <= 0x1ffff; r++ { // beyond lie ideographs and tags
		if !utf8.ValidRune(r) || 0x1f1e6 <= r && r <= 0x1f1ff || strings.ContainsRune(ordinary, r) {
			continue
		}
		if want := joined("\u200d", string(r)) && !joined("!", string(r)); isEmoji(r) != want {
			t.Errorf("%U: emoji %v, want %v", r, isEmoji(r), want)
		}
	}
}

func FuzzShortWayGivesTheSame(f *testing.F) {
	for _, seed := range []string{
		"The quick 3.14 can't a_b", "a.b:c;d,e'f", "1.2,3;4'5:6", "x'é", "1,٣", "a\u0301b c\u200d😀", "a. \u0301b", "_'_", "a'", "9.", "...", "a\xffb", "東a_コ'b", "❤️x", "\r\n\u0301",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		got, want := (standard{}).Analyze(nil, text), analyzeStandard(nil, text, full, true)
		if !slices.Equal(got, want) {
			t.Fatalf("%q:\n%+v, want\n%+v", text, got, want)
		}
	})
}

func FuzzAnalyzers(f *testing.F) {
	f.Add("The quick 東京 👍🏽 İZMİR ﬁ é")
	f.Add("\ufe0f \ufe0f")
	f.Add("\xff\xc0 \u200d\ufe0f\u0307i\u0307\u0307")
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<16 {
			return
		}
		for _, name := range Names() {
			analyzer, _ := ByName(name)
			prefix := []Token{{Term: "before"}}
			tokens := analyzer.Analyze(prefix, text)
			if tokens[0] != prefix[0] {
				t.Fatalf("%s overwrote what stood there", name)
			}
			last := Token{Position: -1}
			for _, token := range tokens[1:] {
				switch {
				case token.Position <= last.Position || token.Start < last.Start || token.End > len(text) || token.Start >= token.End:
					t.Fatalf("%s: %+v behind %+v", name, token, last)
				case token.Term == "" || len(token.Term) > MaxTermBytes:
					t.Fatalf("%s: term %q", name, token.Term)
				}
				last = token
			}
		}
	})
}

// The short way of Fold is right for each character that it takes, alone and beside any other of them.
func TestPlainLettersFoldByThemselves(t *testing.T) {
	var sample []rune
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if foldsApart(r) || !utf8.ValidRune(r) {
			continue
		}
		if got, want := string(unicode.ToLower(r)), foldFully(string(r)); got != want {
			t.Errorf("%U: %q, want %q", r, got, want)
		}
		if r < 0x530 && r%3 == 0 || r%997 == 0 {
			sample = append(sample, r)
		}
	}
	for i, a := range sample {
		for _, b := range sample[i%7:] {
			if b%5 != a%5 {
				continue
			}
			if pair := string([]rune{a, b}); Fold(pair) != foldFully(pair) {
				t.Fatalf("%q: %q, want %q", pair, Fold(pair), foldFully(pair))
			}
		}
	}
}

func FuzzFoldIsStable(f *testing.F) {
	for _, seed := range []string{"i\u0307\u0307", "Ᏻᏻ\uab70\u13a0", "İ", "ﬃ", "ᾳ\u0345", "ẞ", "℡", "i\u0307\u0301", "Ǆ", "\u03b9\u0308\u0301", "\uff76\uff9e", "\u0345\u0301α"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 1<<12 || !utf8.ValidString(text) {
			return
		}
		once := Fold(text)
		if once != foldFully(text) {
			t.Fatalf("%q: the short way gives %q, the full one %q", text, once, foldFully(text))
		}
		if twice := Fold(once); twice != once {
			t.Fatalf("%q folds to %q and that to %q", text, once, twice)
		}
	})
}

func BenchmarkStandard(b *testing.B) {
	for _, c := range []struct{ name, text string }{
		{"english", "Package bufio implements buffered I/O. It wraps an io.Reader or io.Writer object, creating another object (Reader or Writer) that also implements the interface. "},
		{"accents", "Où est passé le café crème? Ça dépend: naïveté, œuvre, élève; l'été à Besançon. "},
		{"japanese", "東京電機株式会社の代表者はコーヒーを飲みながら世界について考えています。"},
	} {
		text := strings.Repeat(c.text, 10_000/len(c.text)+1)
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var tokens []Token
			for b.Loop() {
				tokens = (standard{}).Analyze(tokens[:0], text)
			}
		})
	}
}

func ExampleByName() {
	analyzer, _ := ByName("standard")
	for _, token := range analyzer.Analyze(nil, "Hello, 東京!") {
		fmt.Println(token.Position, token.Term)
	}
	// Output:
	// 0 hello
	// 1 東京
}

// Unicode has 4174 code points that show nothing; 2 joiners and 96 tags are no such characters here.
func TestInvisible(t *testing.T) {
	count := 0
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if isInvisible(r) {
			count++
		}
	}
	if want := 4174 - 2 - 96; count != want {
		t.Errorf("%d characters are invisible, want %d", count, want)
	}
	for _, r := range []rune{0xad, 0x34f, 0x61c, 0x180b, 0x200b, 0x200f, 0x2028 + 2, 0x2060, 0x3164, 0xfe0f, 0xfeff, 0xfff0, 0x1d173, 0xe0001, 0xe0fff} {
		if !isInvisible(r) {
			t.Errorf("%U shows", r)
		}
	}
	for _, r := range []rune{'a', ' ', 0x300, 0x600, 0x200c, 0x200d, 0x2028, 0xfffa, 0x13430, 0xe0061} {
		if isInvisible(r) {
			t.Errorf("%U shows nothing", r)
		}
	}
}
