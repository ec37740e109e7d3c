package engine

import (
	"bytes"
	"encoding/binary"
	"errors"
	"reflect"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/schema"
)

// manifestState is a state with all that a manifest has, in files that are not there.
func manifestState(t testing.TB) *state {
	t.Helper()
	x, err := Open(Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &schema.Schema{Fields: []schema.Field{{Name: "a", Type: schema.Text, Analyzer: "standard", Boost: 1}}}
	ops := []Op{{Kind: OpOwn, Epoch: 3, Slots: AllSlots()}, {Kind: OpDropCollection, Collection: 4}, {Kind: OpDropCollection, Collection: 9}}
	for c := schema.Incarnation(1); c <= 2; c++ {
		ops = append(ops, Op{Kind: OpSchema, Collection: c, Version: 1, Name: "name", Schema: s})
		for n := range 40 {
			id := string(rune('a' + n))
			ops = append(ops, Op{Kind: OpPut, Collection: c, ID: id, Slot: uint16(400 * n), IfVersion: -1, Body: []byte(`{"a":"b c"}`)})
		}
	}
	ops = append(ops, Op{Kind: OpDelete, Collection: 1, ID: "c", Slot: 800, IfVersion: -1})
	outcomes, err := x.Apply([]Message{{Seq: 7, Ops: ops, Attachment: []byte("lease table")}, {Seq: 8}})
	if err != nil || outcomes[0][len(ops)-1].Code != outcome.Deleted {
		t.Fatal(err, outcomes)
	}
	st := x.current.Load().state
	st.quarantine.add(Quarantined{Place: Place{7, 2}, Kind: OpPut, Collection: 4, ID: "x", Slot: 9, Reason: "panic: poison", Superseded: true})
	for i, c := range st.collections {
		for j, p := range c.parts {
			p.file = &segmentFile{number: uint64(16*i + j), length: int64(len(p.seg.Bytes())), identity: p.seg.Identity()}
		}
	}
	return &st
}

// TestManifestComesBack: what is read is what was written.
func TestManifestComesBack(t *testing.T) {
	s := manifestState(t)
	b, err := appendManifest(nil, s)
	if err != nil {
		t.Fatal(err)
	}
	m, err := readManifest(b)
	if err != nil {
		t.Fatal(err)
	}
	got := &m.state
	if got.seq != 8 || got.contentSeq != 7 || got.epoch != 3 || !got.owned.Equal(AllSlots()) || string(got.attachment) != "lease table" || !reflect.DeepEqual(got.quarantine, s.quarantine) ||
		len(got.dropped) != 2 || got.dropped[1] != 9 || got.root() != s.root() {
		t.Errorf("read %+v", got)
	}
	for i, c := range s.collections {
		if g := got.collections[i]; g.name != "name" || g.version != 1 || !bytes.Equal(g.canonical, c.canonical) || g.documents != c.documents {
			t.Errorf("collection %d: %+v", i, g)
		}
		docs := uint32(0)
		got.collections[i].slots.each(func(_ uint16, _ Digest, n uint32) { docs += n })
		if want := uint32(40 - (1 - i)); docs != want {
			t.Errorf("collection %d: %d documents in slots, want %d", i, docs, want)
		}
	}
	if len(m.files) != 2 || m.files[1].number != 16 || m.files[1].collection != 1 || m.files[1].length != s.collections[1].parts[0].file.length {
		t.Errorf("files %+v", m.files)
	}
}

// TestDeletedDocumentsInARoaringBitmap: the bitmap holds what does not live, whatever the size.
func TestDeletedDocumentsInARoaringBitmap(t *testing.T) {
	var b segment.Builder
	b.Reset(1)
	const docs = 100_003
	for n := range docs {
		b.Add(string(binary.LittleEndian.AppendUint32(nil, uint32(n))), uint64(n)*0x9e3779b97f4a7c15, segment.State{Version: 1}, nil)
	}
	seg, _, err := b.Cut(0, docs)
	if err != nil {
		t.Fatal(err)
	}
	p := newPart(0, seg, nil, AllSlots())
	want := roaring.New()
	for n := uint32(0); n < docs; n += 1 + n%89 {
		p.kill(n)
		want.Add(n)
	}
	p.kill(docs - 1)
	want.Add(docs - 1)
	written, err := p.deleted().ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	got, err := readDeleted(written)
	if err != nil || !got.Equals(want) {
		t.Fatalf("%d deleted documents, want %d: %v", got.GetCardinality(), want.GetCardinality(), err)
	}
	if p.alive != docs-int(want.GetCardinality()) || docset.Set(p.live).Count() != p.alive {
		t.Errorf("%d live", p.alive)
	}
}

// sealed gives a manifest with some bytes changed and the checksum made right, so that a reader must stand what the bytes say. Edits are triples: where, in two bytes, and
// what the byte becomes.
func sealed(good, edits []byte) []byte {
	b := bytes.Clone(good)
	for ; len(edits) >= 3; edits = edits[3:] {
		b[(int(edits[0])|int(edits[1])<<8)%(len(b)-4)] = edits[2]
	}
	binary.LittleEndian.PutUint32(b[len(b)-4:], checksum(b[:len(b)-4]))
	return b
}

// TestEveryByteOfAManifestMayLie changes each byte: an error that can be told, or a manifest, never a panic.
func TestEveryByteOfAManifestMayLie(t *testing.T) {
	good, err := appendManifest(nil, manifestState(t))
	if err != nil {
		t.Fatal(err)
	}
	const dense = 400 // the fields in front; behind them many entries are alike
	places := Sample{}
	for at := range len(good) - 4 {
		if at >= dense && !places.Takes("place") {
			continue
		}
		for _, v := range []byte{0, 0x7f, good[at] + 1} {
			_, _ = readManifest(sealed(good, []byte{byte(at), byte(at >> 8), v}))
		}
		flipped := bytes.Clone(good)
		flipped[at] ^= 1 << (at % 8)
		if _, err := readManifest(flipped); !errors.Is(err, errManifest) && at != 4 && at != 5 {
			t.Fatalf("byte %d: %v", at, err)
		}
		if _, err := readManifest(good[:at]); !errors.Is(err, errManifest) {
			t.Fatalf("cut to %d bytes: %v", at, err)
		}
	}
}

// FuzzManifest reads manifests with any bytes changed, and bitmaps of any bytes.
func FuzzManifest(f *testing.F) {
	good, err := appendManifest(nil, manifestState(f))
	if err != nil {
		f.Fatal(err)
	}
	some := roaring.BitmapOf(1, 2, 3, 70_000)
	some.AddRange(100, 9000)
	bitmap, err := some.ToBytes()
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte{40, 1, 255, 30, 0, 7})
	f.Add(bitmap)
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = readManifest(sealed(good, b))
		_, _ = readManifest(b)
		m, err := readDeleted(b)
		if err != nil {
			return
		}
		last := int64(-1)
		for it, n := m.Iterator(), 0; it.HasNext() && n < 1000; n++ {
			if d := int64(it.Next()); d <= last || d > int64(m.Maximum()) {
				t.Fatalf("document %d behind %d, of at most %d", d, last, m.Maximum())
			} else {
				last = d
			}
		}
	})
}
