package engine

import (
	"fmt"

	"github.com/jetseek/jetseek/engine/vfs"
)

// Options configure an index. Apart from Only they change no outcome, no answer and no digest.
type Options struct {
	// InlineMergeBytes is the size of segments up to which Apply merges on its own, in bytes of the result without the documents' sources, which are not copied; more is left
	// to Index.Merge. 0: 2 MiB.
	InlineMergeBytes int64
	// MaxSegmentBytes is the size beyond which segments are not merged any more, in memory without the sources. 0: 5 GiB, the most.
	MaxSegmentBytes int64
	// Folder is where the index keeps its files, for it alone; nil: everything stays in memory and ends with the process.
	Folder vfs.Folder
	// Only makes the index hold the documents of these slots alone: what others hold of them is proved and mended by it ([Index.Mend]). All else of the state is as ever, but
	// for kept outcomes of other slots' documents. Nil: all slots.
	Only Selection
	// Resources are shared with the other indexes of the process; nil: those of an index with a folder are its own.
	Resources *Resources

	// BeforeOp is called before a put or delete is applied that is not set aside; nil: it is not. It is for tests, in which it panics or ends the process.
	BeforeOp func(*Op)

	overflowBytes int // 0: the constant of that name
}

func (o Options) withDefaults() (Options, error) {
	if o.InlineMergeBytes == 0 {
		o.InlineMergeBytes = 2 << 20
	}
	if o.MaxSegmentBytes == 0 {
		o.MaxSegmentBytes = 5 << 30
	}
	if o.overflowBytes == 0 {
		o.overflowBytes = overflowBytes
	}
	if o.InlineMergeBytes < 0 || o.MaxSegmentBytes < o.InlineMergeBytes || o.MaxSegmentBytes > 5<<30 {
		return o, fmt.Errorf("merge sizes of %d and %d bytes: want 0 < inline <= segment <= 5 GiB", o.InlineMergeBytes, o.MaxSegmentBytes)
	}
	if o.Resources == nil && o.Folder != nil {
		var err error
		if o.Resources, err = NewResources(0, nil); err != nil {
			return o, err
		}
	}
	return o, nil
}
