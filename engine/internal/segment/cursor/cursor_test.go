package cursor

import (
	"encoding/binary"
	"slices"
	"testing"
)

func TestCursorReadsInOrder(t *testing.T) {
	b := []byte{7}
	b = binary.AppendUvarint(b, 1<<40)
	b = binary.AppendUvarint(b, 300)
	b = binary.LittleEndian.AppendUint32(b, 5)
	b = binary.LittleEndian.AppendUint64(b, 6)
	b = append(b, 2, 'h', 'i')
	c := New(b)
	if c.Byte() != 7 || c.Uvarint() != 1<<40 || c.Uint32() != 300 || c.Fixed32() != 5 || c.Fixed64() != 6 {
		t.Error("numbers differ")
	}
	if got := c.Bytes(c.Len()); string(got) != "hi" || cap(got) != 2 || !c.OK() || c.Left() != 0 || c.Offset() != len(b) {
		t.Errorf("bytes %q, ok %v, left %d", got, c.OK(), c.Left())
	}
}

// TestCursorStopsAtTheFirstMisfit: what does not fit gives zero, and so does all that follows.
func TestCursorStopsAtTheFirstMisfit(t *testing.T) {
	for name, read := range map[string]func(c *Cursor) bool{
		"bytes":             func(c *Cursor) bool { return c.Bytes(4) == nil },
		"negative":          func(c *Cursor) bool { return c.Bytes(-1) == nil },
		"fixed 32":          func(c *Cursor) bool { return c.Fixed32() == 0 },
		"fixed 64":          func(c *Cursor) bool { return c.Fixed64() == 0 },
		"unfinished varint": func(c *Cursor) bool { return c.Uvarint() == 0 },
		"length":            func(c *Cursor) bool { c.b = []byte{9, 1}; return c.Len() == 0 },
		"32 bits":           func(c *Cursor) bool { c.b = binary.AppendUvarint(nil, 1<<32); return c.Uint32() == 0 },
		"failed by caller":  func(c *Cursor) bool { c.Fail(); return true },
	} {
		c := New([]byte{0x80, 0x80, 0x80})
		if !read(&c) || c.OK() || c.Left() != 0 || c.Byte() != 0 || c.Uvarint() != 0 {
			t.Errorf("%s: the cursor goes on", name)
		}
	}
	if c := At([]byte{1}, 2); c.OK() || c.Byte() != 0 {
		t.Error("a cursor outside of its bytes reads")
	}
	if c := At([]byte{1, 2}, 1); !slices.Equal(c.Bytes(1), []byte{2}) {
		t.Error("a cursor does not start at its offset")
	}
}

// TestUvarintGivesWhatACursorGives: of any bytes, from any offset.
func TestUvarintGivesWhatACursorGives(t *testing.T) {
	var b []byte
	for _, v := range []uint64{0, 1, 127, 128, 300, 1<<14 - 1, 1 << 14, 1 << 40, 1<<64 - 1} {
		b = binary.AppendUvarint(b, v)
	}
	b = append(b, slices.Repeat([]byte{0x80}, 12)...)
	for at := range len(b) + 3 {
		c := At(b, at)
		want := c.Uvarint()
		got, end := Uvarint(b, at)
		if got != want || end <= len(b) != c.OK() || c.OK() && end != c.Offset() {
			t.Errorf("at %d: %d up to %d, a cursor gives %d up to %d, ok %v", at, got, end, want, c.Offset(), c.OK())
		}
	}
}
