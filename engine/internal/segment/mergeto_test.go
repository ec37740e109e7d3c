package segment

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
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

// TestMergeToAFileIsTheSame: the bytes are those of a merge in memory, though they leave it piece by piece; a file that takes no more ends the merge.
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
	if _, err := m.MergeTo(context.Background(), &got, inputs); err != nil || !bytes.Equal(got.Bytes(), want) {
		t.Fatalf("err %v, %d bytes, want %d", err, got.Len(), len(want))
	}
	for left := 0; left < len(want); left += 1 + len(want)/50 {
		if _, err := m.MergeTo(context.Background(), &shortWriter{left}, inputs); !errors.Is(err, errFull) {
			t.Fatalf("a file that takes %d bytes: %v", left, err)
		}
	}
	if again, _, err := m.Merge(context.Background(), inputs); err != nil || !bytes.Equal(again, want) {
		t.Fatalf("a merge after failed ones differs: %v", err)
	}
}
