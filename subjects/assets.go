package subjects

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// ErrAsset says that a stream or bucket that others have made is missing, or would not do. Waiting does not mend it.
var ErrAsset = errors.New("the NATS server lacks what jetseek needs")

// Setting is one setting of a stream or bucket: what it must be, and what it is. Both are comparable and of one type.
type Setting struct {
	Name      string
	Want, Got any
}

// CheckAsset gives an [ErrAsset] that names an asset's settings that are not what they must be, or nil.
func CheckAsset(asset string, settings []Setting) error {
	var wrong []string
	for _, s := range settings {
		if s.Want != s.Got {
			wrong = append(wrong, fmt.Sprintf("%s must be %v and is %v", s.Name, s.Want, s.Got))
		}
	}
	if len(wrong) == 0 {
		return nil
	}
	return fmt.Errorf("%w: %s was made by others: %s", ErrAsset, asset, strings.Join(wrong, "; "))
}

// CheckStream tells whether a stream that others have made can be a group's log. Replicas, the limit on bytes, and longer memory for duplicates are
// its maker's to choose.
func (n Names) CheckStream(group string, got jetstream.StreamConfig) error {
	want := n.StreamConfig(group, StreamLimits{})
	return CheckAsset("stream "+want.Name, []Setting{
		{"subjects", strings.Join(want.Subjects, ","), strings.Join(got.Subjects, ",")},
		{"retention", want.Retention, got.Retention},
		{"discard", want.Discard, got.Discard},
		{"storage", want.Storage, got.Storage},
		{"max messages", want.MaxMsgs, got.MaxMsgs},
		{"max messages a subject", want.MaxMsgsPerSubject, got.MaxMsgsPerSubject},
		{"max message size", want.MaxMsgSize, got.MaxMsgSize},
		{"max age", time.Duration(0), got.MaxAge},
		{"deny delete", want.DenyDelete, got.DenyDelete},
		{"direct reads", want.AllowDirect, got.AllowDirect},
		{"republish", republish(want.RePublish), republish(got.RePublish)},
		{"a window for duplicates of 2 minutes", true, got.Duplicates >= want.Duplicates},
		{"persist mode", want.PersistMode, got.PersistMode},
		{"messages that expire", false, got.AllowMsgTTL},
		{"sealed", false, got.Sealed},
		{"acknowledgements left out", false, got.NoAck},
		{"roll-ups", false, got.AllowRollup}, // a header of one message would remove all before it
		{"a subject transform", false, got.SubjectTransform != nil && *got.SubjectTransform != jetstream.SubjectTransformConfig{}},
		{"max consumers", want.MaxConsumers, got.MaxConsumers},
		{"first sequence 1", true, got.FirstSeq <= 1}, // of a log's first generation
		{"a mirror or with sources", false, got.Mirror != nil || len(got.Sources) > 0},
	})
}

func republish(r *jetstream.RePublish) string {
	if r == nil {
		return "nothing"
	}
	if r.HeadersOnly {
		return "headers only"
	}
	return r.Source + " to " + r.Destination
}
