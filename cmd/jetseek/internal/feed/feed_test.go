package feed

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// read gives all documents as "line:json", and the error that ended them.
func read(t *testing.T, text string) (string, error) {
	t.Helper()
	r, err := New(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for {
		d, err := r.Next()
		if err != nil {
			return strings.Join(all, " "), err
		}
		all = append(all, fmt.Sprintf("%d:%s", d.Line, d.JSON))
	}
}

func TestForms(t *testing.T) {
	for _, c := range []struct{ name, text, want, err string }{
		{"lines", "{\"a\":1}\n\n  {\"b\":2}\r\n{\"c\":3}", `1:{"a":1} 3:{"b":2} 4:{"c":3}`, ""},
		{"a bad line is given as it is", "{\"a\":1}\n{bad\n{\"c\":3}\n", `1:{"a":1} 2:{bad 3:{"c":3}`, ""},
		{"deletes", "{\"_delete\":\"x\"}\n", `1:{"_delete":"x"}`, ""},
		{"an array", "[{\"a\": 1},\n {\"b\": [2,\n 3]}\n,\n{\"c\":9007199254740993}]\n", `1:{"a":1} 2:{"b":[2,3]} 5:{"c":9007199254740993}`, ""},
		{"an empty array", " [ ]", "", ""},
		{"one document", "{\n  \"a\": \"x y\"\n}\n", `1:{"a":"x y"}`, ""},
		{"documents over lines", "{\n\"a\":1\n}\n{\n\"b\":2}", `1:{"a":1} 4:{"b":2}`, ""},
		{"an array that breaks", "[{\"a\":1},\n{\"b\":}]", `1:{"a":1}`, "line 2"},
		{"an array that does not end", "[{\"a\":1}", `1:{"a":1}`, "line 1"},
		{"nothing", "", "", ""},
		{"blanks", " \n\n", "", ""},
		{"no JSON at all", "hello\nworld\n", "", "line 1"},
		{"a document that breaks", "{\n\"a\":\n}", "", "line 3"},
	} {
		got, err := read(t, c.text)
		if got != c.want || c.err == "" && err != io.EOF || c.err != "" && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %s, %v", c.name, got, err)
		}
	}
}

// Ends are offsets in the file: behind the line, or behind the value.
func TestEnds(t *testing.T) {
	for text, want := range map[string]string{
		"{\"a\":1}\n\n  {\"b\":2}\r\n{\"c\":3}": "[8 20 27]",
		" [{\"a\": 1},\n {\"b\":2} ]":           "[10 20]",
		"{\n\"a\":1\n}\n{\"b\":2}":              "[9 17]",
	} {
		r, err := New(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		var ends []int64
		for d, err := r.Next(); err == nil; d, err = r.Next() {
			ends = append(ends, d.End)
		}
		if got := fmt.Sprint(ends); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestLongLines(t *testing.T) {
	long := `{"a":"` + strings.Repeat("x", 3<<20) + `"}`
	if got, err := read(t, long+"\n{\"b\":1}\n"); err != io.EOF || got != "1:"+long+` 2:{"b":1}` {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if _, err := read(t, "{\"a\":1}\n"+strings.Repeat("x", MaxLine+1)); err == nil || !strings.Contains(err.Error(), "line 2: more than") {
		t.Errorf("a line without an end: %v", err)
	}
}

// Batches hold all documents in order, within their limits; what stands before a fault comes before it.
func TestBatches(t *testing.T) {
	var text strings.Builder
	text.WriteString("[")
	for i := range 1200 {
		fmt.Fprintf(&text, `{"n":%d},`+"\n", i)
	}
	fmt.Fprintf(&text, `"%s",`, strings.Repeat("x", batchBytes*2))
	fmt.Fprintf(&text, `{"n":1200},{"n":`)
	r, err := New(strings.NewReader(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	b := NewBatcher(r)
	var sizes []int
	for {
		batch, err := b.Next()
		if err != nil {
			if IsEnd(err) || !strings.Contains(err.Error(), "line 1201") {
				t.Errorf("the end: %v", err)
			}
			break
		}
		if n := len(batch.Lines()); n > batchBytes && len(batch.Documents) > 1 || int64(n) != batch.Bytes {
			t.Errorf("a batch of %d bytes, said to be %d", n, batch.Bytes)
		}
		sizes = append(sizes, len(batch.Documents))
	}
	if got := fmt.Sprint(sizes); got != "[500 500 200 1 1]" {
		t.Errorf("batches of %s", got)
	}
}
