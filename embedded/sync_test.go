package embedded

import "testing"

// The embedded server syncs every message before it acknowledges it: what is acknowledged outlives a loss of power.
func TestEmbeddedServerSyncsAlways(t *testing.T) {
	db := open(t, Options{})
	config := db.nats.srv.JetStreamConfig()
	if config == nil || !config.SyncAlways {
		t.Fatalf("JetStream runs with %+v", config)
	}
}
