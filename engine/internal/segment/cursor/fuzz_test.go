package cursor

import "testing"

// FuzzCursor reads anything in any order: a cursor stays within its bytes, and gives zero once something did not fit.
func FuzzCursor(f *testing.F) {
	f.Add([]byte{7, 0x80, 1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 'a', 'b', 'c'}, []byte{0, 1, 2, 3, 4, 5, 6, 7}, 0)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, []byte{1, 1}, 0)
	f.Add([]byte{1}, []byte{6}, -1)
	f.Fuzz(func(t *testing.T, b, reads []byte, at int) {
		c := At(b, at)
		for _, r := range reads {
			failed := !c.OK()
			before, zero := c.Offset(), true
			switch r % 8 {
			case 0:
				zero = c.Byte() == 0
			case 1:
				zero = c.Uvarint() == 0
			case 2:
				zero = c.Uint32() == 0
			case 3:
				n := c.Len()
				if zero = n == 0; n > c.Left() {
					t.Fatalf("length %d with %d bytes left", n, c.Left())
				}
			case 4:
				zero = c.Fixed32() == 0
			case 5:
				zero = c.Fixed64() == 0
			case 6:
				zero = len(c.Bytes(int(r))) == 0
			case 7:
				zero = len(c.Bytes(-int(r))) == 0
			}
			if c.Offset() < before || c.OK() && (c.Offset() > len(b) || c.Left() != len(b)-c.Offset()) {
				t.Fatalf("at %d of %d, %d left, after %d", c.Offset(), len(b), c.Left(), before)
			}
			if !c.OK() && !zero || failed && c.OK() {
				t.Fatal("what does not fit gives a value")
			}
		}
	})
}
