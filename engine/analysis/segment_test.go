package analysis

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/clipperhouse/uax29/v2/words"
)

// breakTest is a case of Unicode's WordBreakTest: the segments of a text.
type breakTest struct {
	segments []string
	why      string
}

func (c *breakTest) text() string { return strings.Join(c.segments, "") }

// segments are those that the library finds.
func segments(text string) []string {
	var all []string
	for w := words.FromString(text); w.Next(); {
		all = append(all, w.Value())
	}
	return all
}

// The official test of the library's Unicode version, 17, comes with it.
func TestWordBreakTest(t *testing.T) {
	cases := libraryBreakTests(t)
	if len(cases) < 1800 {
		t.Fatalf("%d cases", len(cases))
	}
	for _, c := range cases {
		if got := segments(c.text()); !slices.Equal(got, c.segments) {
			t.Errorf("%q, want %q: %s", got, c.segments, c.why)
		}
		checkTokensEndAtBreaks(t, &c)
	}
}

// checkTokensEndAtBreaks looks at the analyzer, which has ways of its own for ASCII and for scripts without spaces: a word of other scripts begins and ends where the
// test says that a segment does.
func checkTokensEndAtBreaks(t *testing.T, c *breakTest) {
	t.Helper()
	text, at := c.text(), 0
	breaks := map[int]bool{0: true}
	for _, s := range c.segments {
		at += len(s)
		breaks[at] = true
	}
	if strings.ContainsFunc(text, func(r rune) bool { return isUnspaced(r) || isEmoji(r) }) {
		return
	}
	for _, token := range (standard{}).Analyze(nil, text) {
		if !breaks[token.Start] || !breaks[token.End] {
			t.Errorf("%q: token %+v lies across breaks %q: %s", text, token, c.segments, c.why)
		}
	}
}

// Unicode 15.0 broke words elsewhere in the cases that are listed here, and nowhere else.
func TestWordBreakTestOfUnicode15(t *testing.T) {
	// U+2701, the upper blade scissors, is no pictograph any more: a zero-width joiner before it joins it to nothing.
	known := map[string][]string{
		"\u2701\u200d\u2701": {"\u2701\u200d", "\u2701"},
		"a\u200d\u2701":      {"a\u200d", "\u2701"},
	}
	text := strings.Join(lines(t, conformance("unicode-15.0", "WordBreakTest.txt.gz")), "\n")
	differences := map[string][]string{}
	total := 0
	for line := range strings.Lines(text) {
		definition, why, _ := strings.Cut(line, "#")
		if strings.TrimSpace(definition) == "" {
			continue
		}
		c := breakTest{why: strings.TrimSpace(why)}
		for _, sign := range strings.Fields(definition) {
			if sign == "÷" {
				c.segments = append(c.segments, "")
			} else if code, err := strconv.ParseUint(sign, 16, 32); err == nil {
				c.segments[len(c.segments)-1] += string(rune(code))
			}
		}
		c.segments = c.segments[:len(c.segments)-1]
		total++
		if got := segments(c.text()); !slices.Equal(got, c.segments) {
			differences[c.text()] = got
		}
	}
	if total < 1800 {
		t.Fatalf("%d cases", total)
	}
	if !maps.EqualFunc(differences, known, slices.Equal) {
		t.Errorf("differences %+q, want %+q", differences, known)
	}
}

// libraryBreakTests reads the cases that the library is tested by.
func libraryBreakTests(t *testing.T) []breakTest {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/clipperhouse/uax29/v2").Output()
	if err != nil {
		t.Skipf("the library's own tests are not there: %v", err)
	}
	file, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(dir)), "words", "unicode_test.go"))
	if err != nil {
		t.Skipf("the library's own tests are not there: %v", err)
	}
	if !bytes.Contains(file, []byte("Public/17.0.0/ucd/auxiliary/WordBreakTest.txt")) {
		t.Fatal("the library is of another Unicode version: name it, and list what it changes")
	}
	expected := regexp.MustCompile(`(?m)^\t\texpected: \[\]\[\]byte\{(.*)\},\n\t\tcomment:  (".*"),$`)
	segment := regexp.MustCompile(`\{([^}]*)\}`)
	var cases []breakTest
	for _, m := range expected.FindAllStringSubmatch(string(file), -1) {
		c := breakTest{why: m[2]}
		for _, list := range segment.FindAllStringSubmatch(m[1], -1) {
			var b []byte
			for number := range strings.SplitSeq(list[1], ", ") {
				n, err := strconv.ParseUint(number, 0, 8)
				if err != nil {
					t.Fatal(err)
				}
				b = append(b, byte(n))
			}
			c.segments = append(c.segments, string(b))
		}
		cases = append(cases, c)
	}
	return cases
}
