package segment

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// shortWriter fails behind its first bytes.
type shortWriter struct{ left int }

var errFull = errors.New("no space left")

func (w *shortWriter) Write(b []byte) (int, error) {
	if w.left -= len(b); w.left < 0 {
		return 0, errFull
	}
	return len(b), nil
}

// TestMergeToAFileIsTheSame: sections and sources are those of a merge in memory, though they leave it piece by piece, and a file has its sources in zstd; a file that takes no more ends the merge.
func TestMergeToAFileIsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	var inputs []Input
	for i := range 3 {
		docs := randomDocuments(r, 2000*i, 2000)
		for _, d := range docs[:500] {
			d.source = strings.Repeat(d.source, 20) // more than is kept back
		}
		inputs = append(inputs, Input{Segment: buildSegment(t, docs)})
	}
	var m Merger
	want, _, err := m.Merge(context.Background(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if _, err := m.MergeTo(context.Background(), &got, inputs); err != nil || !sameButForCodec(t, got.Bytes(), want) {
		t.Fatalf("err %v, %d bytes, the memory has %d", err, got.Len(), len(want))
	}
	for left := 0; left < got.Len(); left += 1 + got.Len()/50 {
		if _, err := m.MergeTo(context.Background(), &shortWriter{left}, inputs); !errors.Is(err, errFull) {
			t.Fatalf("a file that takes %d bytes: %v", left, err)
		}
	}
	if again, _, err := m.Merge(context.Background(), inputs); err != nil || !bytes.Equal(again, want) {
		t.Fatalf("a merge after failed ones differs: %v", err)
	}
}

// sameButForCodec tells whether two segments have the same sections, and the same sources in blocks of whatever codec.
func sameButForCodec(t *testing.T, a, b []byte) bool {
	t.Helper()
	sections := func(whole []byte) (all [][]byte, s *Segment) {
		err := readSections(whole, func(k kind, _ int, section []byte) error {
			if k != kindStored {
				all = append(all, section)
			}
			return nil
		})
		if err == nil {
			s, err = Open(whole)
		}
		if err != nil {
			t.Fatal(err)
		}
		return all, s
	}
	x, first := sections(a)
	y, second := sections(b)
	for d := range uint32(first.Docs()) {
		one, err := first.Source(d)
		other, err2 := second.Source(d)
		if err != nil || err2 != nil || !bytes.Equal(one, other) {
			t.Errorf("source of document %d: %v, %v", d, err, err2)
		}
	}
	return slices.EqualFunc(x, y, bytes.Equal)
}
