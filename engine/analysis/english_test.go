package analysis

import (
	"slices"
	"strconv"
	"strings"
	"testing"
)

// placed writes tokens as term@position.
func placed(tokens []Token) string {
	out := make([]string, len(tokens))
	for i, t := range tokens {
		out[i] = t.Term + "@" + strconv.Itoa(t.Position)
	}
	return strings.Join(out, " ")
}

func TestEnglish(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"stop words leave their places", "The quick and the dead", "quick@1 dead@4"},
		{"a list of them only is nothing", "to be or not to be", ""},
		{"words meet in their stem", "connects connected CONNECTING connection", "connect@0 connect@1 connect@2 connect@3"},
		{"endings by their own rules", "ponies caresses happily relational hopping hoping", "poni@0 caress@1 happili@2 relat@3 hop@4 hope@5"},
		{"words that the rules would spoil", "skies dying news early only", "sky@0 die@1 news@2 earli@3 onli@4"},
		{"possessives", "the dog's bone, the dogs' bones, James's", "dog@1 bone@2 dog@4 bone@5 jame@6"},
		{"the possessive of a stop word is one", "it's IT’S", ""},
		{"both apostrophes are the same", "don't don’t", "don't@0 don't@1"},
		{"short words stay", "as is go us I", "go@2 us@3 i@4"},
		{"numbers stay", "1990s 3.14 1,000", "1990s@0 3.14@1 1,000@2"},
		{"other scripts stay", "東京都 cafés 👍", "東京@0 京都@1 café@2 👍@3"},
		{"capitals are no exception", "THE Running MAN", "run@1 man@2"},
	} {
		if got := placed(languageByName("english").Analyze(nil, c.text)); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.name, c.text, got, c.want)
		}
	}
}

func TestEnglishKeepsOffsets(t *testing.T) {
	text := "The dog's running"
	var got []string
	for _, token := range languageByName("english").Analyze(nil, text) {
		got = append(got, text[token.Start:token.End])
	}
	if want := []string{"dog's", "running"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func BenchmarkEnglish(b *testing.B) {
	text := strings.Repeat("The prices of the ordinary commodities were rising generally, and nobody had been expecting it. ", 10)
	b.SetBytes(int64(len(text)))
	var tokens []Token
	for b.Loop() {
		tokens = languageByName("english").Analyze(tokens[:0], text)
	}
}
