package segment

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// FuzzFrame opens, verifies and dumps anything at all.
func FuzzFrame(f *testing.F) {
	good := buildSegment(f, randomDocuments(rand.New(rand.NewPCG(41, 41)), 0, 3)).Bytes()
	f.Add(good)
	f.Add(tinySegment())
	f.Add(good[:len(good)/2])
	f.Add([]byte(headerMagic + "\x01\x00\x00\x00" + "\x00" + "\x01\x00\x00\x00" + "\x00\x00\x00\x00" + footerMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		readAll(b)
		var out bytes.Buffer
		err := Dump(&out, b, DumpOptions{})
		if found := verify(t, b); len(found) == 0 && err != nil {
			t.Fatalf("verified, but: %v", err)
		}
	})
}
