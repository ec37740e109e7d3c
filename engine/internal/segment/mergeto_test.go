package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/analysis"
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

// TestMergeToAFileIsTheSame: sections and sources are those of a merge in memory, though they leave it piece by piece, and a merged file has its sources in zstd, a flushed
// one as they are; a file that takes no more ends the merge.
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
	merged, _, err := m.Merge(context.Background(), inputs)
	if err != nil {
		t.Fatal(err)
	}
	want := Flushed(merged)
	var got bytes.Buffer
	if _, err := m.MergeTo(context.Background(), &got, Overflow{}, inputs); err != nil || !sameButForCodec(t, got.Bytes(), want) {
		t.Fatalf("err %v, %d bytes, the memory has %d", err, got.Len(), len(want))
	}
	var flushed bytes.Buffer
	if _, err := m.FlushTo(context.Background(), &flushed, Overflow{}, inputs); err != nil || !sameButForCodec(t, flushed.Bytes(), want) || flushed.Len() <= got.Len() {
		t.Fatalf("flushed: err %v, %d bytes, merged it has %d", err, flushed.Len(), got.Len())
	}
	for left := 0; left < got.Len(); left += 1 + got.Len()/50 {
		if _, err := m.MergeTo(context.Background(), &shortWriter{left}, Overflow{}, inputs); !errors.Is(err, errFull) {
			t.Fatalf("a file that takes %d bytes: %v", left, err)
		}
	}
	if again, _, err := m.Merge(context.Background(), inputs); err != nil || !bytes.Equal(Flushed(again), want) {
		t.Fatalf("a merge after failed ones differs: %v", err)
	}
}

// drawer gives temporary files in memory, counts those that are there, and may fail at a call.
type drawer struct {
	open, made, calls, failAt int
}

type sheet struct {
	drawer *drawer
	bytes  []byte
}

func (d *drawer) call() error {
	if d.calls++; d.calls == d.failAt {
		return errFull
	}
	return nil
}

func (d *drawer) create() (Scratch, error) {
	if err := d.call(); err != nil {
		return nil, err
	}
	d.open++
	d.made++
	return &sheet{drawer: d}, nil
}

func (s *sheet) Write(b []byte) (int, error) {
	s.bytes = append(s.bytes, b...)
	return len(b), s.drawer.call()
}

func (s *sheet) Replay(take func([]byte)) error {
	for piece := range slices.Chunk(s.bytes, 1000) {
		take(piece)
	}
	return s.drawer.call()
}

func (s *sheet) Close() { s.drawer.open-- }

// TestSpilledMergeIsTheSame: a merge that puts dictionaries and lists into temporary files gives the same bytes, whatever the limit; no file is left, also when one fails.
func TestSpilledMergeIsTheSame(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 9))
	var inputs []Input
	for i := range 3 {
		inputs = append(inputs, Input{Segment: buildSegment(t, randomDocuments(r, 1000*i, 1000))})
	}
	var m Merger
	var want bytes.Buffer
	if _, err := m.MergeTo(context.Background(), &want, Overflow{}, inputs); err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, limit := range []int{0, 1, 100, 5000, 1 << 30} {
		var d drawer
		var got bytes.Buffer
		if _, err := m.MergeTo(context.Background(), &got, Overflow{d.create, limit}, inputs); err != nil || !bytes.Equal(got.Bytes(), want.Bytes()) {
			t.Errorf("limit %d: %v, %d bytes, want %d", limit, err, got.Len(), want.Len())
		}
		if (d.made > 0) != (limit < 1<<30) || d.open != 0 {
			t.Errorf("limit %d: %d temporary files, %d are left", limit, d.made, d.open)
		}
		calls = max(calls, d.calls)
	}
	for n := 1; n <= calls; n += 1 + calls/200 {
		d := drawer{failAt: n}
		if _, err := m.MergeTo(context.Background(), new(bytes.Buffer), Overflow{d.create, 0}, inputs); !errors.Is(err, errFull) || d.open != 0 {
			t.Fatalf("call %d fails: %v, %d temporary files are left", n, err, d.open)
		}
	}
	var again bytes.Buffer
	if _, err := m.MergeTo(context.Background(), &again, Overflow{}, inputs); err != nil || !bytes.Equal(again.Bytes(), want.Bytes()) {
		t.Fatalf("a merge after failed ones differs: %v", err)
	}
}

// nothing is a temporary file that only counts.
type nothing struct{ bytes *int }

func (n nothing) Write(b []byte) (int, error) { *n.bytes += len(b); return len(b), nil }
func (n nothing) Replay(func([]byte)) error   { return nil }
func (n nothing) Close()                      {}

// TestSpilledMergeIsBounded: what a merge allocates in all its life does not grow with terms and lists, of which each input has 25 times the limit.
func TestSpilledMergeIsBounded(t *testing.T) {
	const docs, words, limit = 400, 4000, 64 << 10
	r := rand.New(rand.NewPCG(8, 10))
	var inputs []Input
	for range 2 {
		var b Builder
		b.Reset(1)
		for d := range docs {
			id := fmt.Sprint(len(inputs), "-", d)
			tokens := make([]analysis.Token, words)
			for i := range tokens {
				tokens[i] = analysis.Token{Term: fmt.Sprintf("word%d", r.IntN(1<<15)), Position: i + 1}
			}
			b.Add(id, HashID(id), State{Version: 1}, []byte("{}"))
			b.Text("body", tokens)
		}
		s, _, err := b.Cut(0, docs)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, Input{Segment: s})
	}
	spilled := 0
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := new(Merger).MergeTo(context.Background(), io.Discard, Overflow{func() (Scratch, error) { return nothing{&spilled}, nil }, limit}, inputs)
	runtime.ReadMemStats(&after)
	if err != nil {
		t.Fatal(err)
	}
	// Buffers that double until they hold three times the limit, that of the sink, and what is kept of documents and blocks of terms.
	if took := after.TotalAlloc - before.TotalAlloc; took > 40*limit || spilled < 100*limit {
		t.Errorf("%d bytes allocated, %d spilled", took, spilled)
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
