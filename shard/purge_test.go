package shard

import (
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/subjects"
)

// Members go on with a log whose beginning was purged when they have applied what went, also when they start again; one that has not says what it lacks.
func TestPurgedLog(t *testing.T) {
	for name, purge := range map[string][]jetstream.StreamPurgeOpt{
		"up to a message": {jetstream.WithPurgeSequence(31)},
		"whole":           nil,
	} {
		t.Run(name, func(t *testing.T) {
			th := newTheatre(t)
			m := th.start("n1")
			th.serving(m)
			seq := th.fill(m, 50)
			if !m.awaitApplied(t.Context(), seq(50)) {
				t.Fatal("not applied")
			}
			js := th.server.JetStream(t)
			stream, err := js.Stream(t.Context(), subjects.Names{}.Stream("g0"))
			if err != nil {
				t.Fatal(err)
			}
			if err := stream.Purge(t.Context(), purge...); err != nil {
				t.Fatal(err)
			}
			seq = th.fill(m, 10)
			if !m.awaitApplied(t.Context(), seq(10)) {
				t.Fatal("the member that had applied what was purged does not go on")
			}
			m.end()
			again := th.start("n1")
			th.serving(again)
			if got := again.appliedSeq(); got < seq(10) {
				t.Errorf("it is at %d and was at %d", got, seq(10))
			}
			fresh := th.start("n2")
			th.failsWith(fresh, "log_hole{1..", "copy of the data folder")
		})
	}
}
