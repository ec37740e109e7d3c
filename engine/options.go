package engine

import "fmt"

// Options configure an index. They change no outcome, no answer and no digest.
type Options struct {
	// InlineMergeBytes is the size of segments up to which Apply merges on its own, in bytes of the result; more is left to Index.Merge. 0: 2 MiB.
	InlineMergeBytes int64
	// MaxSegmentBytes is the size beyond which segments are not merged any more. 0: 2 GiB.
	MaxSegmentBytes int64
}

func (o Options) withDefaults() (Options, error) {
	if o.InlineMergeBytes == 0 {
		o.InlineMergeBytes = 2 << 20
	}
	if o.MaxSegmentBytes == 0 {
		o.MaxSegmentBytes = 2 << 30
	}
	if o.InlineMergeBytes < 0 || o.MaxSegmentBytes < o.InlineMergeBytes || o.MaxSegmentBytes > 2<<30 {
		return o, fmt.Errorf("merge sizes of %d and %d bytes: want 0 < inline <= segment <= 2 GiB", o.InlineMergeBytes, o.MaxSegmentBytes)
	}
	return o, nil
}
