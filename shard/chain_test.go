package shard

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/jetseek/jetseek/subjects/wire"
)

// The values are those of Python's hashlib, over chain + struct.pack('<Q', seq) + sha256(payload).
func TestChainOverTwoMessages(t *testing.T) {
	one, two := sha256.Sum256([]byte("one")), sha256.Sum256([]byte("two"))
	p := place{log: wire.UUID{1}}.next(one).next(two)
	if got, want := hex.EncodeToString(p.payload[:]), "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"; got != want {
		t.Errorf("payload %s, want %s", got, want)
	}
	if got, want := hex.EncodeToString(p.chain[:]), "7df49ccd92684cf6c23ad78ec7f9bb3a0260868a4bf65084ed01bfe1e4a1f361"; got != want || p.seq != 2 {
		t.Errorf("chain %s at %d, want %s at 2", got, p.seq, want)
	}
	if q := (place{log: wire.UUID{1}}).next(two).next(one); q.chain == p.chain {
		t.Error("the order of messages does not matter to the chain")
	}
}

func FuzzPlace(f *testing.F) {
	good := place{log: wire.UUID{7}}.next(sha256.Sum256(nil)).Append(nil)
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add([]byte(placeMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePlace(b)
		if err != nil {
			if !errors.Is(err, errNoPlace) {
				t.Fatalf("error %v", err)
			}
			return
		}
		if again := p.Append(nil); !bytes.Equal(again, b) {
			t.Fatalf("%x became %x", b, again)
		}
	})
}
