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
