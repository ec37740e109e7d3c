package stored

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/segment/labels"
)

func TestVerifyVisitsEverySource(t *testing.T) {
	all := sources(rand.New(rand.NewPCG(11, 11)), 300)
	for _, codec := range codecs() {
		r, err := Open(build(all, codec))
		if err != nil {
			t.Fatal(err)
		}
		next := 0
		r.Verify(func(_ int, doc uint32, source []byte) {
			if int(doc) != next || !bytes.Equal(source, all[doc]) {
				t.Errorf("source %d: %d with %d bytes", next, doc, len(source))
			}
			next++
		}, func(off int, format string, args ...any) {
			t.Errorf("codec %d at %d: "+format, append([]any{codec, off}, args...)...)
		})
		if next != len(all) {
			t.Errorf("%d sources visited, want %d", next, len(all))
		}
	}
}

// FuzzVerify checks and dumps anything as stored sources: what has no finding gives every source.
func FuzzVerify(f *testing.F) {
	for _, codec := range codecs() {
		f.Add(build([][]byte{[]byte("first"), nil, []byte("third third third")}, codec))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var out bytes.Buffer
		Dump(labels.New(&out, false), b, 0)
		r, err := Open(b)
		if err != nil {
			return
		}
		found, visited := 0, 0
		r.Verify(func(int, uint32, []byte) { visited++ }, func(int, string, ...any) { found++ })
		if found > 0 {
			return
		}
		if visited != r.Docs() {
			t.Fatalf("%d sources of %d visited without a finding", visited, r.Docs())
		}
		for d := range min(visited, 100) {
			if _, err := r.Doc(uint32(d)); err != nil {
				t.Fatalf("verified, but: %v", err)
			}
		}
	})
}
