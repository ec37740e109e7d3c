package stored

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sources are documents of many sizes, one of them larger than a block, some empty.
func sources(r *rand.Rand, n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = []byte(strings.Repeat(fmt.Sprintf(`{"n":%d}`, r.IntN(1000)), r.IntN(60)))
	}
	all[n/2] = bytes.Repeat([]byte("large "), 10000)
	return all
}

func build(all [][]byte, codec Codec) []byte {
	var w Writer
	var b []byte
	w.Reset(codec, func(part []byte) { b = append(b, part...) })
	for _, s := range all {
		w.Add(s)
	}
	w.Finish()
	return b
}

// codecs are those that there are.
func codecs() []Codec { return []Codec{Plain, Zstd} }

func checkAll(t *testing.T, b []byte, want [][]byte) {
	t.Helper()
	r, err := Open(b)
	if err != nil {
		t.Fatal(err)
	}
	checkReader(t, &r, want)
}

func checkReader(t *testing.T, r *Reader, want [][]byte) {
	t.Helper()
	if r.Docs() != len(want) {
		t.Fatalf("%d documents, want %d", r.Docs(), len(want))
	}
	for d := range want {
		got, err := r.Doc(uint32(d))
		if err != nil || !bytes.Equal(got, want[d]) {
			t.Fatalf("document %d: %v, %d bytes, want %d", d, err, len(got), len(want[d]))
		}
	}
	if _, err := r.Doc(uint32(len(want))); err == nil {
		t.Fatal("a document behind the last")
	}
	for d := uint32(0); int(d) < len(want); {
		block, err := r.Block(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := block.Each(func(doc uint32, source []byte) {
			if !bytes.Equal(source, want[doc]) {
				t.Errorf("document %d of a block: %d bytes, want %d", doc, len(source), len(want[doc]))
			}
		}); err != nil {
			t.Fatal(err)
		}
		d = block.First + uint32(block.Len())
	}
}

func TestSourcesComeBack(t *testing.T) {
	all := sources(rand.New(rand.NewPCG(1, 1)), 500)
	for _, codec := range codecs() {
		checkAll(t, build(all, codec), all)
		checkAll(t, build(all[:1], codec), all[:1])
	}
}

// TestBlocksAreCopied takes sources over as a merge does, whole blocks where it can, into plain and compressed ones.
func TestBlocksAreCopied(t *testing.T) {
	first, second := sources(rand.New(rand.NewPCG(2, 2)), 300), sources(rand.New(rand.NewPCG(3, 3)), 200)
	for _, from := range codecs() {
		for _, to := range codecs() {
			var w Writer
			var b []byte
			w.Reset(to, func(part []byte) { b = append(b, part...) })
			w.Add([]byte("before"))
			want := [][]byte{[]byte("before")}
			copied := 0
			for _, part := range [][][]byte{first, second} {
				r, err := Open(build(part, from))
				if err != nil {
					t.Fatal(err)
				}
				for d := uint32(0); int(d) < r.Docs(); {
					b, err := r.Block(d)
					if err != nil {
						t.Fatal(err)
					}
					d = b.First + uint32(b.Len())
					whole, err := w.AddBlock(&b)
					if err != nil {
						t.Fatal(err)
					}
					if whole {
						copied++
						continue
					}
					if err := b.Each(func(_ uint32, source []byte) { w.Add(source) }); err != nil {
						t.Fatal(err)
					}
				}
				want = append(want, part...)
			}
			w.Add([]byte("after"))
			w.Finish()
			checkAll(t, b, append(want, []byte("after")))
			if (copied > 0) != (from >= to) {
				t.Errorf("codec %d to %d: %d blocks copied", from, to, copied)
			}
		}
	}
}

// TestKeptBlocksArePassedOn collects sources in memory, and then those of two of which whole blocks are taken over: they lie where they lay.
func TestKeptBlocksArePassedOn(t *testing.T) {
	keep := func(all [][]byte) Reader {
		var k Keeper
		for _, s := range all {
			k.Add(s)
		}
		return k.Finish()
	}
	first, second := sources(rand.New(rand.NewPCG(4, 4)), 300), sources(rand.New(rand.NewPCG(5, 5)), 200)
	var k Keeper
	passed, again := 0, 0
	for _, part := range [][][]byte{first, second} {
		r := keep(part)
		checkReader(t, &r, part)
		for i := range r.kept {
			b, err := r.Block(r.kept[i].first)
			if err != nil {
				t.Fatal(err)
			}
			whole, err := k.AddBlock(&b)
			if err != nil {
				t.Fatal(err)
			}
			if whole {
				passed++
				if &k.kept[len(k.kept)-1].raw[0] != &r.kept[i].raw[0] {
					t.Error("a block was copied")
				}
				continue
			}
			again++
			if err := b.Each(func(_ uint32, source []byte) { k.Add(source) }); err != nil {
				t.Fatal(err)
			}
		}
	}
	merged := k.Finish()
	checkReader(t, &merged, append(first, second...))
	if passed < 4 || again != 2 {
		t.Errorf("%d blocks passed on, %d added by documents: want the last of each part", passed, again)
	}
	section, err := Open(build(first, Plain))
	if err != nil {
		t.Fatal(err)
	}
	b, err := section.Block(0)
	if err != nil {
		t.Fatal(err)
	}
	if whole, err := k.AddBlock(&b); whole || err != nil {
		t.Errorf("a block of a file was kept: err %v", err)
	}
}

// TestUnknownCodec: a block of a codec that there is none of is found before it is read, wherever it is.
func TestUnknownCodec(t *testing.T) {
	all := sources(rand.New(rand.NewPCG(6, 6)), 300)
	for _, codec := range codecs() {
		b := build(all, codec)
		r, err := Open(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.CheckCodecs(); err != nil {
			t.Error(err)
		}
		for i := range r.blocks() {
			for _, unknown := range []byte{1, 3, 255} {
				at := r.start(i)
				b[at] = unknown
				if err := r.CheckCodecs(); !errors.Is(err, ErrCorrupt) {
					t.Errorf("block %d of codec %d: %v", i, unknown, err)
				}
				b[at] = byte(codec)
			}
		}
	}
}

// FuzzReader reads anything as stored sources.
func FuzzReader(f *testing.F) {
	for _, codec := range codecs() {
		f.Add(build([][]byte{[]byte("first"), nil, []byte("third third third")}, codec))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := Open(b)
		if err != nil {
			return
		}
		for d := range min(r.Docs(), 5) {
			if b, err := r.Block(uint32(d)); err == nil {
				_, _ = b.Doc(uint32(d))
				_ = b.Each(func(uint32, []byte) {})
			}
		}
	})
}
