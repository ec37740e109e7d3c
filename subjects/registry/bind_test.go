package registry_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/registry"
)

// A bucket of others is taken as it is when it does, refused by name when it does not, and never made.
func TestBindTakesWhatIsThere(t *testing.T) {
	js := natstest.Start(t).JetStream(t)
	ctx := t.Context()
	open := func(bind bool) error {
		_, err := registry.Open(ctx, js, subjects.Names{}, registry.Options{Bind: bind})
		return err
	}
	if err := open(true); !errors.Is(err, subjects.ErrAsset) || !strings.Contains(err.Error(), "no bucket JETSEEK") {
		t.Errorf("without a bucket: %v", err)
	}
	if err := open(false); err != nil {
		t.Fatal(err)
	}
	if err := open(true); err != nil {
		t.Errorf("of our own making: %v", err)
	}
	if err := js.DeleteKeyValue(ctx, "JETSEEK"); err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "JETSEEK", TTL: time.Hour}); err != nil {
		t.Fatal(err)
	}
	err := open(true)
	for _, word := range []string{"limit marker TTL must be 1h0m0s", "max age"} {
		if !errors.Is(err, subjects.ErrAsset) || !strings.Contains(err.Error(), word) {
			t.Errorf("a bucket that forgets: %v, want something about %s", err, word)
		}
	}
}
