package engine

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/vfs"
)

// Verify proves a segment file, or the folder of an index that nobody has open: its manifest, every segment that this names, and that they agree. report gets what does not
// hold, a line each, which names section, field, term and offset as far as there are such. It changes nothing, and takes about as long as a merge of the
// segments, and memory of 4 bytes a document of the largest. The error is ctx's, or that a file cannot be read.
func Verify(ctx context.Context, path string, report func(finding string)) error {
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		err = verifyFolder(ctx, path, report)
	} else if err == nil {
		err = readInPlace(path, func(b []byte) error { return verifySegment(ctx, b, report) })
	}
	if err != nil {
		return fmt.Errorf("verify %s: %w", path, err)
	}
	return nil
}

func verifySegment(ctx context.Context, b []byte, report func(finding string)) error {
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
