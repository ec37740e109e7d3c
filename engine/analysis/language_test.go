package analysis

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/analysis/snowball"
)

// conformance gives the folder of published vectors.
func conformance(parts ...string) string {
	root := cmp.Or(os.Getenv("JETSEEK_SHARED"), filepath.Join("..", "..", "..", "shared"))
	return filepath.Join(append([]string{root, "data", "conformance"}, parts...)...)
}

// Snowball's own vocabularies, of the age of the algorithms.
func TestStemmersStemSnowballsVocabularies(t *testing.T) {
	for i := range languages {
		l := &languages[i]
		t.Run(l.name, func(t *testing.T) {
			folder := conformance("snowball-2026", l.name)
			words, stems := lines(t, filepath.Join(folder, "voc.txt.gz")), lines(t, filepath.Join(folder, "output.txt.gz"))
			if len(words) != len(stems) || len(words) < 1000 {
				t.Fatalf("%d words and %d stems", len(words), len(stems))
			}
			var env snowball.Env
			const every = 8 // words are looked at as a text: all would take seconds
			wrong, asText, differ := 0, 0, 0
			for i, word := range words {
				if got := env.Stem(word, l.stem); got != stems[i] {
					if wrong++; wrong < 10 {
						t.Errorf("%q: %q, want %q", word, got, stems[i])
					}
				}
				if i%every != 0 {
					continue
				}
				// As a text it is the same where folding, stop words and what is written on to words have no say.
				tokens := l.Analyze(nil, word)
				if len(tokens) != 1 || tokens[0].End-tokens[0].Start != len(word) || Fold(word) != word || l.bare(word) != word || len(word) > MaxTermBytes {
					continue
				}
				asText++
				if tokens[0].Term != stems[i] && stems[i] != "" {
					if differ++; differ < 10 {
						t.Errorf("%q as a text: %q, want %q", word, tokens[0].Term, stems[i])
					}
				}
			}
			t.Logf("%d words, %d of them as a text", len(words), asText)
			if asText < len(words)/every/2 {
				t.Errorf("only %d of %d words were looked at as a text", asText, len(words))
			}
		})
	}
}

func TestLanguages(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"german", "Die Häuser und die Straßen der Städte", "haus@1 strass@4 stadt@6"},
		{"french", "L'avion d'une amie, qu’il attendait", "avion@0 ami@2 attend@4"},
		{"italian", "Dell'università e l’isola", "univers@0 isol@2"},
		{"spanish", "los niños corriendo por las calles", "niñ@1 corr@2 call@5"},
		{"russian", "книги и книгой в Берёзе", "книг@0 книг@2 берез@4"},
		{"finnish", "taloissa ja taloista", "talo@0 talo@2"},
		{"swedish", "flickorna och flickan", "flick@0 flickan@2"},
		{"turkish", "kitaplarımız evlerde", "kitap@0 ev@1"},
		{"porter", "relational Running the ponies", "relat@0 run@1 poni@3"},
		{"polish", "東京 👍 x", "東京@0 👍@1 x@2"},
	} {
		analyzer, ok := ByName(c.language)
		if !ok {
			t.Fatal(c.language)
		}
		if got := placed(analyzer.Analyze(nil, c.text)); got != c.want {
			t.Errorf("%s: %q gives %q, want %q", c.language, c.text, got, c.want)
		}
	}
	if !slices.IsSortedFunc(languages[:], func(a, b language) int { return strings.Compare(a.name, b.name) }) {
		t.Error("the languages are not sorted")
	}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Skipf("the vocabulary is not there (JETSEEK_SHARED says where): %v", err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	scan := bufio.NewScanner(unpacked)
	for scan.Scan() {
		all = append(all, scan.Text())
	}
	if err := scan.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
