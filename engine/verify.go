package engine

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/vfs"
)

// Finding is a line about a file or a folder.
type Finding struct {
	Text string
	// Note says that nothing is wrong: what a crash left over, which the next start removes, or an index that has no files yet.
	Note bool
}

// Verify proves a segment file, or the folder of an index that nobody has open: its manifest, every segment that this names, and that they agree. report gets what does not
// hold, a line each, which names section, field, term and offset as far as there are such, and what is to be noted. It changes nothing, and takes about as long as a
// merge of the segments, and memory of 4 bytes a document of the largest. The error is ctx's, that a file cannot be read, or that the folder is not an index's.
func Verify(ctx context.Context, path string, report func(Finding)) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = verifyFolder(ctx, path, report)
	} else if err == nil {
		err = readInPlace(path, func(b []byte) error { return verifySegment(ctx, b, func(text string) { report(Finding{Text: text}) }) })
	}
	if err != nil {
		return fmt.Errorf("verify %s: %w", path, err)
	}
	return nil
}

func verifySegment(ctx context.Context, b []byte, report func(text string)) error {
	return segment.Verify(ctx, b, func(f segment.Finding) { report(f.String()) })
}

// readInPlace gives the bytes of a file to use, which must not keep them.
func readInPlace(path string, use func(b []byte) error) (err error) {
	mapping, err := vfs.MapFile(path)
	if err != nil {
		return err
	}
	defer mapping.Close()
	defer debug.SetPanicOnFault(panicOnFault())
	defer func() {
		if r := recover(); r != nil {
			at, ok := r.(interface{ Addr() uintptr })
			if !ok || !contains(mapping.Bytes(), at.Addr()) {
				panic(r)
			}
			err = fmt.Errorf("%w: its disk fails, or the file was cut (%v)", ErrUnreadable, r)
		}
	}()
	return use(mapping.Bytes())
}
