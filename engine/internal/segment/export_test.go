package segment

import (
	"bytes"
	"context"
)

// Edited is edited for tests of packages that search segments.
func Edited(good, edits []byte) ([]byte, bool) { return edited(good, edits) }

// Flushed gives a segment as a flush writes it to a file.
func Flushed(s *Segment) []byte {
	var file bytes.Buffer
	if _, err := new(Merger).FlushTo(context.Background(), &file, Overflow{}, []Input{{Segment: s}}); err != nil {
		panic(err)
	}
	return file.Bytes()
}
