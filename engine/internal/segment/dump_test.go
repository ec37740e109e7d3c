package segment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/analysis"
)

var update = flag.Bool("update", false, "write testdata/tiny.txt anew")

const tinyFile = "testdata/tiny.txt"

// tinySegment holds two documents: k1 with the title "red fox", the tag "x" and the years 3 and 5; k2 with the title "red red".
func tinySegment() []byte {
	var b Builder
	b.Reset(7)
	add := func(id, source string, seq uint64) {
		sum := sha256.Sum256([]byte(source))
		b.Add(id, HashID(id), State{Version: 1, Log: [16]byte{0xaa, 15: 0xbb}, Seq: seq, Slot: 300, Content: [16]byte(sum[:16])}, []byte(source))
	}
	add("k1", `{"title":"red fox"}`, 40)
	b.Text("title", []analysis.Token{{Term: "red"}, {Term: "fox", Position: 1}})
	b.Exact("tag", []string{"x"})
	b.Ints("year", []int64{5, 3})
	add("k2", `{"title":"red red"}`, 41)
	b.Text("title", []analysis.Token{{Term: "red"}, {Term: "red", Position: 1}})
	segment, _, err := b.Cut(0, b.Docs())
	if err != nil {
		panic(err)
	}
	return Flushed(segment)
}

func dump(t *testing.T, b []byte, o DumpOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := Dump(&out, b, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestTheExampleIsASegment reads the bytes of the example out of its lines: put together they are the segment, and a dump prints them so.
func TestTheExampleIsASegment(t *testing.T) {
	want := tinySegment()
	text := dump(t, want, DumpOptions{Full: true})
	if *update {
		if err := os.WriteFile(tinyFile, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	example, err := os.ReadFile(tinyFile)
	if err != nil {
		t.Fatal(err)
	}
	if got := bytesOf(t, string(example)); !bytes.Equal(got, want) {
		t.Errorf("the example has the bytes\n%x, the segment\n%x", got, want)
	}
	if text != string(example) {
		t.Errorf("%s is not what dump prints: if that is as it should be, go test -run %s -update", tinyFile, t.Name())
	}
}

// bytesOf puts the bytes of a dump in full together; offsets must follow each other without gaps.
func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	var all []byte
	for line := range strings.Lines(text) {
		var off int
		if n, _ := fmt.Sscanf(line, "%d", &off); n != 1 {
			continue // a title
		}
		word := strings.TrimSpace(line[10+1+8 : min(len(line), 10+1+8+2+25)])
		b, err := hex.DecodeString(word)
		if err != nil || off != len(all) {
			t.Fatalf("after %d bytes: %v in %q", len(all), err, line)
		}
		all = append(all, b...)
	}
	return all
}

// TestTheExampleByHand looks for lines that were worked out by hand from the description of the format.
func TestTheExampleByHand(t *testing.T) {
	text := dump(t, tinySegment(), DumpOptions{Full: true})
	for _, want := range []string{
		// offset, length, bytes, meaning
		`         0        4  4a535347                  magic`,        // JSSG
		`         8        8  0700000000000000          collection 7`, // behind the header of 8 bytes
		`        35        4  03746167                  field 0: "tag"`,
		`        62        2  6b31                      document 0: "k1"`, // behind 3 starts of 4 bytes
		`       152        8  2c01000000000000          base 300`,         // 0x012c
		`       193        1  28                        bytes of content 40`,
		`       256        5  0001780100                  term 0 "x": shares 0, df 1, document 0`,
		`       312        9  0003666f7801000101          term 0 "fox": shares 0, df 1, document 0 frequency 1, positions at 0 length 1`,
		`       338        3  010002                      tail: documents 0 1; frequencies 1 2`, // 0<<1|1, 0<<1, 2
		`       350        3  000001                      block 0, document:positions 0:0 1:0 1`,
		`       385        2  0002                      bounds of block 0: 3, 5`, // above the base, 3
		`       387        2  0002                      from document 0: 3,5 -`,
		`       524        4  4753534a                  magic`, // GSSJ
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no line %q", want)
		}
	}
}

func TestDumpIsNarrowed(t *testing.T) {
	tiny := tinySegment()
	if got := dump(t, tiny, DumpOptions{Section: int(kindSlot)}); strings.Count(got, "section ") != 1 || !strings.Contains(got, "section 8, slots") {
		t.Errorf("section 8:\n%s", got)
	}
	if got := dump(t, tiny, DumpOptions{Field: "title"}); strings.Count(got, "section ") != 4 {
		t.Errorf("field title:\n%s", got)
	}
	got := dump(t, tiny, DumpOptions{Field: "title", Term: "red"})
	if strings.Contains(got, `list of "fox"`) || !strings.Contains(got, `list of "red"`) || !strings.Contains(got, `positions of "red"`) {
		t.Errorf("term red:\n%s", got)
	}
	if err := Dump(new(bytes.Buffer), tiny, DumpOptions{Field: "none"}); err == nil || !strings.Contains(err.Error(), "title") {
		t.Errorf("field none: %v", err)
	}
}

// TestDumpNamesEveryByte dumps a segment of everything in full: its bytes come back out of the lines.
func TestDumpNamesEveryByte(t *testing.T) {
	docs := randomDocuments(rand.New(rand.NewPCG(31, 31)), 0, 300)
	for _, d := range docs {
		d.words = append(d.words, "everywhere") // a list of whole blocks
	}
	want := buildSegment(t, docs).Bytes()
	text := dump(t, want, DumpOptions{Full: true})
	if strings.Contains(text, "CORRUPT") {
		t.Error("a sound segment is called corrupt")
	}
	if got := bytesOf(t, text); !bytes.Equal(got, want) {
		t.Errorf("%d bytes in the dump, %d in the segment", len(got), len(want))
	}
}

func TestDumpSaysWhatIsCorrupt(t *testing.T) {
	good := buildSegment(t, randomDocuments(rand.New(rand.NewPCG(32, 32)), 0, 40))
	list, err := layout(good.bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		b := damaged(t, good.bytes, p.kind, p.field, func(b []byte) []byte { return b[:len(b)/2] })
		var out bytes.Buffer
		if err := Dump(&out, b, DumpOptions{}); err != nil || !strings.Contains(out.String(), "CORRUPT") {
			t.Errorf("half of %v: %v, and nothing is called corrupt", p.kind, err)
		}
	}
	b := slices.Clone(good.bytes)
	b[list[3].offset] ^= 1
	if n := strings.Count(dump(t, b, DumpOptions{}), "WRONG"); n != 1 {
		t.Errorf("%d checksums are called wrong, want 1", n)
	}
}
