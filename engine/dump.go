package engine

import (
	"fmt"
	"io"

	"github.com/jetseek/jetseek/engine/internal/segment"
)

// DumpOptions narrow what [DumpSegment] prints. The zero value prints everything, long pieces cut.
type DumpOptions struct {
	Section int    // only sections of this kind, as the comment of engine/internal/segment numbers them; 0: all
	Field   string // only sections of this field; "": all
	Term    string // only what belongs to this analysed term or exact value; "": all
	Full    bool   // long pieces whole
}

// DumpSegment prints a segment file as lines of offset, length, bytes in hexadecimal, and meaning; what does not decode is a line that says CORRUPT. It holds one
// line at a time in memory, whatever the size of the file. The error is that the file cannot be read, has no frame of a segment, or has nothing of what the options ask
// for.
func DumpSegment(w io.Writer, path string, o DumpOptions) error {
	err := readInPlace(path, func(b []byte) error { return segment.Dump(w, b, segment.DumpOptions(o)) })
	if err != nil {
		return fmt.Errorf("dump %s: %w", path, err)
	}
	return nil
}
