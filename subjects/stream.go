package subjects

import (
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// StreamLimits are what a group's stream leaves to the operator.
type StreamLimits struct {
	Replicas int   // 1, 3 or 5; 0 is 1
	MaxBytes int64 // 0: no limit of the stream's own
}

// StreamConfig is the configuration of a group's log. Nothing is ever dropped from it but a prefix behind a checkpoint: a full stream refuses new
// messages (DiscardNew), messages cannot be deleted one by one, and there is no age. What is stored is republished to the tail; the source
// must be the wildcard over all groups, since a literal one would carry only one of the stream's subjects.
func (n Names) StreamConfig(group string, limits StreamLimits) jetstream.StreamConfig {
	replicas := max(limits.Replicas, 1)
	maxBytes := limits.MaxBytes
	if maxBytes == 0 {
		maxBytes = -1
	}
	return jetstream.StreamConfig{
		Name:              n.Stream(group),
		Subjects:          []string{n.Log(group), n.LogOwn(group), n.LogQuarantine(group)},
		Retention:         jetstream.LimitsPolicy,
		Discard:           jetstream.DiscardNew,
		Storage:           jetstream.FileStorage,
		Replicas:          replicas,
		MaxBytes:          maxBytes,
		MaxConsumers:      -1,
		MaxMsgs:           -1,
		MaxMsgsPerSubject: -1,
		MaxMsgSize:        -1,
		Duplicates:        2 * time.Minute,
		DenyDelete:        true,
		AllowDirect:       true,
		RePublish:         &jetstream.RePublish{Source: n.Log(">"), Destination: n.Tail(">")},
	}
}
