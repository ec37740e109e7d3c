package subjects_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects"
)

// A stream as the server gives it back passes; each setting that a log cannot do without is named when it is another.
func TestCheckStreamNamesWhatIsWrong(t *testing.T) {
	js := natstest.Start(t).JetStream(t)
	var n subjects.Names
	for word, change := range map[string]func(*jetstream.StreamConfig){
		"":                   func(*jetstream.StreamConfig) {},
		"-":                  func(c *jetstream.StreamConfig) { c.MaxBytes, c.Duplicates, c.Description = 1<<30, time.Hour, "ours" },
		"subjects":           func(c *jetstream.StreamConfig) { c.Subjects = c.Subjects[:1] },
		"retention":          func(c *jetstream.StreamConfig) { c.Retention = jetstream.InterestPolicy },
		"discard":            func(c *jetstream.StreamConfig) { c.Discard = jetstream.DiscardOld },
		"storage":            func(c *jetstream.StreamConfig) { c.Storage = jetstream.MemoryStorage },
		"max messages must":  func(c *jetstream.StreamConfig) { c.MaxMsgs = 1000 },
		"messages a subject": func(c *jetstream.StreamConfig) { c.MaxMsgsPerSubject = 1 },
		"max message size":   func(c *jetstream.StreamConfig) { c.MaxMsgSize = 1000 },
		"max age":            func(c *jetstream.StreamConfig) { c.MaxAge = time.Hour },
		"deny delete":        func(c *jetstream.StreamConfig) { c.DenyDelete = false },
		"direct reads":       func(c *jetstream.StreamConfig) { c.AllowDirect = false },
		"republish":          func(c *jetstream.StreamConfig) { c.RePublish = nil },
		"2 minutes":          func(c *jetstream.StreamConfig) { c.Duplicates = time.Minute },
		"left out":           func(c *jetstream.StreamConfig) { c.NoAck, c.RePublish = true, nil },
		"roll-ups":           func(c *jetstream.StreamConfig) { c.AllowRollup = true },
		"transform": func(c *jetstream.StreamConfig) {
			c.SubjectTransform = &jetstream.SubjectTransformConfig{Source: n.Log("g0"), Destination: "elsewhere"}
		},
		"max consumers":  func(c *jetstream.StreamConfig) { c.MaxConsumers = 1 },
		"first sequence": func(c *jetstream.StreamConfig) { c.FirstSeq = 100 },
	} {
		config := n.StreamConfig("g0", subjects.StreamLimits{})
		change(&config)
		stream, err := js.CreateStream(t.Context(), config)
		if err != nil {
			t.Fatalf("%s: %v", word, err)
		}
		got := n.CheckStream("g0", stream.CachedInfo().Config)
		if len(word) < 2 {
			if got != nil {
				t.Errorf("%q: %v", word, got)
			}
		} else if !errors.Is(got, subjects.ErrAsset) || !strings.Contains(got.Error(), word) || !strings.Contains(got.Error(), "JETSEEK_g0") {
			t.Errorf("%s: %v", word, got)
		}
		if err := js.DeleteStream(t.Context(), "JETSEEK_g0"); err != nil {
			t.Fatal(err)
		}
	}
}
