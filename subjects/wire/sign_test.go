package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"testing"
)

func keysOf(t *testing.T, secrets ...string) *Keys {
	t.Helper()
	ks, err := ParseKeys([]byte(strings.Join(secrets, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return ks
}

var (
	oldSecret = strings.Repeat("0a", 32)
	newSecret = strings.Repeat("b1", 32)
)

// A signed record has the layout that doc.go gives, verifies under a ring that knows its key, and under no other; any changed bit is noticed.
func TestSignedRecord(t *testing.T) {
	record := &Record{Header: Header{Log: UUID{1}, Reply: "_INBOX.x"}, Ops: []Op{{Kind: KindPut, ID: "a", IfVersion: NoCondition, Body: []byte(`{}`)}}}
	signed := keysOf(t, newSecret, oldSecret).Sign(AppendRecord(nil, record))
	body := signed[:len(signed)-36]
	secret, _ := hex.DecodeString(newSecret)
	mac := hmac.New(sha256.New, secret)
	mac.Write(body)
	if got := signed[len(body) : len(signed)-4]; !hmac.Equal(got, mac.Sum(nil)) {
		t.Errorf("MAC %x, want %x", got, mac.Sum(nil))
	}
	if got, want := binary.LittleEndian.Uint32(signed[len(signed)-4:]), crc32.Checksum(signed[:len(signed)-4], crc32.MakeTable(crc32.Castagnoli)); got != want {
		t.Errorf("checksum %08x, want %08x", got, want)
	}
	rec, err := DecodeRecord(signed)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ring *Keys
		ok   bool
	}{"the signer": {keysOf(t, newSecret), true}, "it is second": {keysOf(t, oldSecret, newSecret), true}, "another": {keysOf(t, oldSecret), false}} {
		if err := c.ring.Verify(signed, rec); (err == nil) != c.ok || err != nil && !errors.Is(err, ErrUnverified) {
			t.Errorf("%s: %v", name, err)
		}
	}
	ring := keysOf(t, newSecret)
	for i := range body {
		forged := append([]byte(nil), signed...)
		forged[i] ^= 1
		binary.LittleEndian.PutUint32(forged[len(forged)-4:], crc32.Checksum(forged[:len(forged)-4], crc32.MakeTable(crc32.Castagnoli)))
		rec, err := DecodeRecord(forged)
		if err == nil && ring.Verify(forged, rec) == nil {
			t.Fatalf("a changed byte %d was not noticed", i)
		}
	}
	plain := AppendRecord(nil, record)
	if rec, _ := DecodeRecord(plain); !errors.Is(ring.Verify(plain, rec), ErrUnverified) {
		t.Error("a record without a signature verifies")
	}
}

func TestKeysAreNotShown(t *testing.T) {
	ring := keysOf(t, "# of this year", newSecret, "", oldSecret)
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if s := fmt.Sprintf(verb, ring); strings.Contains(s, "b1b1") || strings.Contains(s, "177") || !strings.Contains(s, ring.ID()) {
			t.Errorf("%s shows %s", verb, s)
		}
	}
	for _, bad := range []string{"", "# nothing", "abc", newSecret + "\n" + newSecret, newSecret[1:], strings.Repeat("zz", 32)} {
		if _, err := ParseKeys([]byte(bad)); err == nil || strings.Contains(err.Error(), "b1b1") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Keys suit those of another process when they verify what it signs, and both sign or none.
func TestKeysThatSuit(t *testing.T) {
	one, two, both := keysOf(t, oldSecret), keysOf(t, newSecret), keysOf(t, newSecret, oldSecret)
	for name, c := range map[string]struct {
		mine *Keys
		id   string
		ok   bool
	}{
		"neither signs":          {nil, "", true},
		"it alone signs":         {nil, one.ID(), false},
		"this alone signs":       {one, "", false},
		"the same":               {one, one.ID(), true},
		"it has not changed yet": {both, one.ID(), true},
		"another":                {two, one.ID(), false},
		"none that there is":     {one, "x", false},
	} {
		if err := c.mine.Suits(c.id); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}
