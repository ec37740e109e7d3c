package segment_test

import (
	"math/big"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/segment"
)

// TestIDHead: an id's head is the number that its first eight bytes spell, also of ids that are shorter, or the last in the segment.
func TestIDHead(t *testing.T) {
	ids := []string{"12345678", "a", "a\x00", "abcdefgh", "abcdefghi", "zzzzzzzzzzzz", "\xff\xff\xff\xff\xff\xff\xff\xff\xff", "abc"}
	var b segment.Builder
	b.Reset(1)
	for _, id := range ids {
		b.Add(id, segment.HashID(id), segment.State{Version: 1}, []byte("{}"))
	}
	s, _, err := b.Cut(0, b.Docs())
	if err != nil {
		t.Fatal(err)
	}
	for doc, id := range ids {
		spelt := new(big.Int).SetBytes([]byte((id + "\x00\x00\x00\x00\x00\x00\x00\x00")[:8])).Uint64()
		if got := s.IDHead(uint32(doc)); got != spelt || string(s.ID(uint32(doc))) != id {
			t.Errorf("%q: head %#x, want %#x", id, got, spelt)
		}
	}
}
