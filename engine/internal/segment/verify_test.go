package segment

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/internal/segment/termdict"
)

func verify(t *testing.T, b []byte) []Finding {
	t.Helper()
	var found []Finding
	if err := Verify(context.Background(), b, func(f Finding) { found = append(found, f) }); err != nil {
		t.Fatal(err)
	}
	return found
}

func TestWhatIsWrittenHolds(t *testing.T) {
	r := rand.New(rand.NewPCG(21, 21))
	for _, n := range []int{1, 2, 127, 128, 700, 6000} {
		if found := verify(t, buildSegment(t, randomDocuments(r, 0, n)).Bytes()); len(found) > 0 {
			t.Fatalf("%d documents: %d findings, first %v", n, len(found), found[0])
		}
	}
}

func TestMergesHold(t *testing.T) {
	r := rand.New(rand.NewPCG(22, 22))
	var m Merger
	for range 4 {
		var inputs []Input
		from := 0
		for range 2 + r.IntN(5) {
			n := 1 + r.IntN(1500)
			in := Input{Segment: buildSegment(t, randomDocuments(r, from, n)), Live: docset.Full(n)}
			for i := range n - 1 {
				if r.IntN(5) == 0 {
					in.Live.Remove(uint32(i))
				}
			}
			inputs, from = append(inputs, in), from+n
		}
		s, _, err := m.Merge(context.Background(), inputs)
		if err != nil {
			t.Fatal(err)
		}
		if found := verify(t, Flushed(s)); len(found) > 0 {
			t.Fatalf("%d findings, first %v", len(found), found[0])
		}
	}
}

// damaged gives a segment with one section changed and all checksums right.
func damaged(t *testing.T, good []byte, k kind, field int, change func(section []byte) []byte) []byte {
	t.Helper()
	var c container
	c.reset(nil)
	hit := false
	err := readFrame(good, func(kind kind, of int, section []byte, _ uint32) error {
		if kind == k && of == field {
			hit = true
			changed := change(slices.Clone(section))
			if bytes.Equal(changed, section) {
				t.Fatalf("%v is as before", k)
			}
			section = changed
		}
		c.section(kind, of, section)
		return nil
	})
	if err != nil || !hit {
		t.Fatalf("%v of field %d: %v", k, field, err)
	}
	return c.finish()
}

// at changes the byte at an offset.
func at(off int, change func(byte) byte) func([]byte) []byte {
	return func(b []byte) []byte {
		b[off] = change(b[off])
		return b
	}
}

func plus(n byte) func(byte) byte { return func(b byte) byte { return b + n } }

// entry is a term of a dictionary with its list.
type entry struct {
	term []byte
	ref  postings.Ref
}

// rewritten changes the entries of a dictionary.
func rewritten(text bool, change func([]entry)) func([]byte) []byte {
	return func(b []byte) []byte {
		d, err := termdict.Open(b)
		if err != nil {
			return nil
		}
		var entries []entry
		for it := d.All(); it.Next(); {
			entries = append(entries, entry{slices.Clone(it.Term()), it.Ref()})
		}
		change(entries)
		var w termdict.Writer
		w.Reset(text)
		for _, e := range entries {
			w.Add(e.term, e.ref)
		}
		return w.Finish()
	}
}

// longest gives the entry with the most documents.
func longest(entries []entry) *entry {
	i := 0
	for j := range entries {
		if entries[j].ref.DF > entries[i].ref.DF {
			i = j
		}
	}
	return &entries[i]
}

// column writes a column of one value a document anew.
func column(change func(values []int64)) func([]byte) []byte {
	return func(b []byte) []byte {
		c, err := docvalues.Open(b)
		if err != nil {
			return nil
		}
		values := make([]int64, c.Docs())
		for i := range values {
			values[i] = c.Int(i)
		}
		change(values)
		return docvalues.Append(nil, values)
	}
}

// TestDamageIsFound damages a segment in one place at a time, under right checksums: verifying finds it, in the section, and says what.
func TestDamageIsFound(t *testing.T) {
	docs := randomDocuments(rand.New(rand.NewPCG(23, 23)), 0, 1500)
	docs[5].words = []string{"x once", "x twice", "x twice"}
	s := buildSegment(t, docs)
	good := s.Bytes()
	number := func(name string) int { return slices.IndexFunc(s.fields, func(f Field) bool { return f.Name == name }) }
	body, tag, year, price := number("body"), number("tag"), number("year"), number("price")

	var entries []entry
	for it := s.fields[body].Terms.All(); it.Next(); {
		entries = append(entries, entry{slices.Clone(it.Term()), it.Ref()})
	}
	list := longest(entries).ref
	blocks := int(list.DF+postings.BlockLen-1) / postings.BlockLen
	if blocks < 2 || blocks > postings.RunLen {
		t.Fatalf("the longest list has %d blocks", blocks)
	}
	impacts := int(list.DocOff) + 8*blocks + 4 // of the list, then of its blocks
	twice := slices.IndexFunc(entries, func(e entry) bool { return e.ref.DF == 1 && e.ref.Freq == 2 })
	once := slices.IndexFunc(entries, func(e entry) bool { return e.ref.DF == 1 && e.ref.Freq == 1 })
	if twice < 0 || once < 0 {
		t.Fatal("no term stands once or twice in all")
	}

	for name, c := range map[string]struct {
		kind   kind
		field  int
		change func([]byte) []byte
		in     kind
		says   string
	}{
		"id of nobody":        {kindIDs, 0, at(4*(len(docs)+1)+3, plus(1)), kindIDTable, "leads to"},
		"ids that end early":  {kindIDs, 0, func(b []byte) []byte { return append(b, 'x') }, kindIDs, "ids end at"},
		"entry of another":    {kindIDTable, 0, swapEntries, kindIDTable, "leads to"},
		"version 0":           {kindVersion, 0, column(func(v []int64) { v[7] = 0 }), kindVersion, "value 0"},
		"log that is not":     {kindBirthLog, 0, column(func(v []int64) { v[7] = 2 }), kindBirthLog, "value 2"},
		"slot that is not":    {kindSlot, 0, column(func(v []int64) { v[7] = 16384 }), kindSlot, "value 16384"},
		"hash of another":     {kindContent, 0, at(16*9, plus(1)), kindContent, "document 9: its source"},
		"other source":        {kindStored, 0, at(len(docs[0].source)/2+4000, plus(1)), kindContent, "has another hash"},
		"length too small":    {kindLengths, body, column(func(v []int64) { v[slices.Index(v, 3)] = 2 }), kindLengths, "has length 2 and 3 tokens"},
		"length of nobody":    {kindLengths, body, column(func(v []int64) { v[slices.Index(v, 0)] = 1 }), kindLengths, "has length 1 and 0 tokens"},
		"terms that descend":  {kindTerms, body, rewritten(true, func(e []entry) { e[4].term, e[5].term = e[5].term, e[4].term }), kindTerms, "does not lie behind"},
		"a term twice":        {kindTerms, body, rewritten(true, func(e []entry) { e[5].term = e[4].term }), kindTerms, "does not lie behind"},
		"shares too little":   {kindTerms, body, shareLess, kindTerms, "says that it shares"},
		"refs swapped":        {kindTerms, body, rewritten(true, swapRefs), kindPostings, ""},
		"df too large":        {kindTerms, body, rewritten(true, func(e []entry) { longest(e).ref.DF++ }), kindPostings, ""},
		"document too large":  {kindTerms, body, rewritten(true, func(e []entry) { e[once].ref.Doc = 1500 }), kindPostings, "does not decode"},
		"another document":    {kindTerms, body, rewritten(true, func(e []entry) { e[once].ref.Doc ^= 1 }), kindLengths, "tokens"},
		"frequency too small": {kindTerms, body, rewritten(true, func(e []entry) { e[twice].ref.Freq = 1 }), kindPositions, "positions take"},
		"lists not used up":   {kindPostings, body, func(b []byte) []byte { return append(b, 0) }, kindTerms, "bytes of documents, there are"},
		"skip data, document": {kindPostings, body, at(int(list.DocOff), plus(1)), kindPostings, "does not decode"},
		"skip data, end":      {kindPostings, body, at(int(list.DocOff)+8*blocks-4, plus(1)), kindPostings, "its skip data say"},
		"bound of the list":   {kindPostings, body, at(impacts+2, plus(1)), kindPostings, "not bounded by the pairs of its list"},
		"bound of a block":    {kindPostings, body, at(impacts+int(1+2*good[s.offset(kindPostings, body)+impacts])+2, plus(1)), kindPostings, "not bounded by the pairs of its block"},
		"positions":           {kindPositions, body, at(int(entries[twice].ref.PosOff)+1, func(byte) byte { return 0 }), kindPositions, "do not ascend"},
		"exact list":          {kindExactPostings, tag, at(len(s.fields[tag].exact.Docs)/2, plus(1)), kindExactPostings, ""},
		"ordinal of another":  {kindOrdinals, tag, func(b []byte) []byte { return at(len(b)-1, plus(1))(b) }, kindExactPostings, "does not have ordinal"},
		"longs that descend":  {kindInts, year, swapInts, kindInts, "does not lie behind"},
		"not a number":        {kindFloats, price, column(func(v []int64) { v[3] = docvalues.Ordered(math.NaN()) }), kindFloats, "NaN"},
	} {
		t.Run(name, func(t *testing.T) {
			found := verify(t, damaged(t, good, c.kind, c.field, c.change))
			if !slices.ContainsFunc(found, func(f Finding) bool { return f.Section == c.in.String() && strings.Contains(f.What, c.says) }) {
				t.Errorf("%d findings, none in %v that says %q: %v", len(found), c.in, c.says, found[:min(3, len(found))])
			}
		})
	}
}

// offset gives where a section of a segment lies.
func (s *Segment) offset(k kind, field int) int {
	list, _ := layout(s.bytes)
	i := slices.IndexFunc(list, func(p sectionAt) bool { return p.kind == k && p.field == field })
	return list[i].offset
}

func swapEntries(b []byte) []byte {
	var used []int
	for i := 0; i < len(b); i += 8 {
		if binary.LittleEndian.Uint64(b[i:]) != 0 {
			used = append(used, i)
		}
	}
	i, j := used[0], used[1]
	b[i], b[j] = b[j], b[i]
	b[i+1], b[j+1] = b[j+1], b[i+1]
	return b
}

// swapRefs swaps the lists of two terms of different numbers of documents.
func swapRefs(e []entry) {
	for i := 1; i < len(e); i++ {
		if e[i].ref.DF > 1 && e[i-1].ref.DF > e[i].ref.DF {
			e[i].ref, e[i-1].ref = e[i-1].ref, e[i].ref
			return
		}
	}
}

// shareLess writes the second term of a dictionary whole.
func shareLess(b []byte) []byte {
	d, _ := termdict.Open(b)
	first, second := d.Term(nil, 0), d.Term(nil, 1)
	at := bytes.Index(b, first) + len(first)
	for b[at] != 1 || string(b[at+2:at+1+len(second)]) != string(second[1:]) { // shares 1, then the rest
		at++
	}
	b[at]--
	b[at+1]++
	starts := len(b) - 5 - 4*((d.Len()+31)/32)
	b = slices.Insert(b, at+2, second[0])
	for i := starts + 1 + 4; i < len(b)-5; i += 4 { // all blocks but the first
		binary.LittleEndian.PutUint32(b[i:], binary.LittleEndian.Uint32(b[i:])+1)
	}
	return b
}

// swapInts swaps two different values of one document.
func swapInts(b []byte) []byte {
	c, _ := docvalues.Open(b)
	for doc := range c.Docs() {
		if from, to := c.Range(uint32(doc)); to-from == 2 && c.Int(from) != c.Int(from+1) {
			lane := int(b[1])
			_, values := c.Range(uint32(c.Docs() - 1))
			at := len(b) - values*lane + from*lane
			swapped := slices.Concat(b[at+lane:at+2*lane], b[at:at+lane])
			copy(b[at:], swapped)
			return b
		}
	}
	return nil
}

func TestWrongChecksumsAreFound(t *testing.T) {
	s := buildSegment(t, randomDocuments(rand.New(rand.NewPCG(24, 24)), 0, 50))
	list, err := layout(s.bytes)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		b := slices.Clone(s.bytes)
		b[p.offset+len(p.bytes)/2] ^= 0x10
		found := verify(t, b)
		if len(found) == 0 || found[0].Section != p.kind.String() || found[0].Offset != p.offset || !strings.HasPrefix(found[0].What, "checksum ") {
			t.Errorf("%v: findings %v", p.kind, found)
		}
	}
	if found := verify(t, s.bytes[:len(s.bytes)-1]); len(found) != 1 || found[0].Section != "" {
		t.Errorf("cut: findings %v", found)
	}
}

// FuzzVerify verifies and dumps segments with any bytes changed under right checksums: neither may panic, and what verifies reads and merges without errors.
func FuzzVerify(f *testing.F) {
	good := buildSegment(f, randomDocuments(rand.New(rand.NewPCG(25, 25)), 0, 20)).Bytes()
	f.Add([]byte{})
	f.Add([]byte{40, 1, 255, 30, 0, 7})
	f.Add([]byte{0, 30, 1})
	f.Fuzz(func(t *testing.T, edits []byte) {
		b, ok := edited(good, edits)
		if !ok {
			return
		}
		var out bytes.Buffer
		_ = Dump(&out, b, DumpOptions{})
		if len(verify(t, b)) > 0 {
			return
		}
		s, err := Open(b)
		if err != nil {
			t.Fatalf("verified, but: %v", err)
		}
		if _, _, err := new(Merger).Merge(context.Background(), []Input{{Segment: s}, {Segment: s}}); err != nil {
			t.Fatalf("verified, but: %v", err)
		}
	})
}
