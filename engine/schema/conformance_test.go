package schema_test

import (
	"archive/tar"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
)

// The cases of JSONTestSuite, as documents: what must fail is refused whole and as a value, what must pass is taken as a value where fields are not indexed, unless a key stands twice,
// and what is free is listed here.
func TestJSONTestSuite(t *testing.T) {
	file := filepath.Join(cmp.Or(os.Getenv("JETSEEK_SHARED"), filepath.Join("..", "..", "..", "shared")), "data", "conformance", "json", "JSONTestSuite.tar.gz")
	cases, err := readCases(file)
	if err != nil {
		t.Skipf("the cases are not there (JETSEEK_SHARED says where): %v", err)
	}
	s, err := schema.Parse([]byte(`{"dynamic":false}`))
	if err != nil {
		t.Fatal(err)
	}
	refused := func(body string) bool {
		_, _, err := s.Decode([]byte(body))
		if err != nil && fault.CodeOf(err) == "" {
			t.Errorf("%.60q: %v has no code", body, err)
		}
		return err != nil
	}
	seen := map[byte]int{}
	var taken []string
	for name, text := range cases {
		seen[name[0]]++
		asValue := refused(`{"id":"x","v":` + text + `}`)
		switch name[0] {
		case 'n':
			if !refused(text) || !asValue {
				t.Errorf("%s is taken: %.60q", name, text)
			}
		case 'y':
			if duplicate := strings.HasPrefix(name, "y_object_duplicated_key"); asValue != duplicate {
				t.Errorf("%s is refused: %v, %.60q", name, asValue, text)
			}
		case 'i':
			if !asValue {
				taken = append(taken, name)
			}
		}
	}
	if seen['n'] < 150 || seen['y'] < 80 || seen['i'] < 30 {
		t.Errorf("cases by kind: %v", seen)
	}
	slices.Sort(taken)
	if got := fmt.Sprint(taken); got != fmt.Sprint(freeTaken()) {
		t.Errorf("of the free cases these are taken: %s", got)
	}
}

// freeTaken are the cases that a parser may take or refuse, and that we take: numbers are kept digit for digit, so none is too large. Invalid UTF-8, lone surrogates, a byte order mark,
// UTF-16 and nesting past 64 are refused.
func freeTaken() []string {
	return []string{
		"i_number_double_huge_neg_exp.json", "i_number_huge_exp.json", "i_number_neg_int_huge_exp.json", "i_number_pos_double_huge_exp.json", "i_number_real_neg_overflow.json",
		"i_number_real_pos_overflow.json", "i_number_real_underflow.json", "i_number_too_big_neg_int.json", "i_number_too_big_pos_int.json", "i_number_very_big_negative_int.json",
	}
}

func readCases(file string) (map[string]string, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	cases := map[string]string{}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return cases, nil
		}
		if err != nil {
			return nil, err
		}
		name := path.Base(h.Name)
		if !strings.HasSuffix(name, ".json") || name[1] != '_' {
			continue
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		cases[name] = string(text)
	}
}
