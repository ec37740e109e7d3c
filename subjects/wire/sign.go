package wire

import (
	"bufio"
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

const (
	// maxKeys bounds the keys of a file; more than two are there only for records that were signed long ago.
	maxKeys = 16
	// keyBytes is the length of a key.
	keyBytes = 32
)

// ErrUnverified is the error for a record whose MAC is missing, wrong, or of a key that is not known.
var ErrUnverified = errors.New("the record is not signed by a cluster key")

// Keys are the cluster's keys: the first signs, all verify. Nil: records are not signed. They are never shown: printing Keys gives their ids.
type Keys struct{ keys []key }

type key struct {
	id     uint32
	secret []byte
}

// ParseKeys reads a key file: one key a line, 64 hex digits; blank lines and lines that begin with # are skipped.
func ParseKeys(file []byte) (*Keys, error) {
	ks := new(Keys)
	lines := bufio.NewScanner(bytes.NewReader(file))
	for n := 1; lines.Scan(); n++ {
		text := strings.TrimSpace(lines.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		secret, err := hex.DecodeString(text)
		if err != nil || len(secret) != keyBytes {
			return nil, fmt.Errorf("cluster key, line %d: want %d hex digits, as `openssl rand -hex %d` prints them", n, 2*keyBytes, keyBytes)
		}
		k := key{id: keyID(secret), secret: secret}
		if ks.find(k.id) != nil {
			return nil, fmt.Errorf("cluster key, line %d: it stands there twice", n)
		}
		ks.keys = append(ks.keys, k)
	}
	switch {
	case lines.Err() != nil:
		return nil, errors.New("cluster key: a line is too long")
	case len(ks.keys) == 0:
		return nil, errors.New("cluster key: the file holds no key")
	case len(ks.keys) > maxKeys:
		return nil, fmt.Errorf("cluster key: %d keys, at most %d", len(ks.keys), maxKeys)
	}
	return ks, nil
}

// name is how people and records of members know a key.
func (k key) name() string { return fmt.Sprintf("%08x", k.id) }

// keyID names a key without telling it; 0 names none.
func keyID(secret []byte) uint32 {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("jetseek cluster key id"))
	return max(binary.LittleEndian.Uint32(mac.Sum(nil)), 1)
}

func (ks *Keys) find(id uint32) *key {
	for i := range ks.keys {
		if ks.keys[i].id == id {
			return &ks.keys[i]
		}
	}
	return nil
}

// ID names the key that signs, in hex; "" without keys.
func (ks *Keys) ID() string {
	if ks == nil {
		return ""
	}
	return ks.keys[0].name()
}

// Suits tells whether records that another process signs with the key of an id, "" for none, are verified with these keys. It is an error as well when only one of the two signs.
func (ks *Keys) Suits(id string) error {
	switch {
	case ks == nil && id == "":
		return nil
	case ks == nil:
		return fmt.Errorf("it signs with the key %s, and this process has no cluster key", id)
	case id == "":
		return errors.New("it has no cluster key, and this process signs")
	}
	for _, k := range ks.keys {
		if k.name() == id {
			return nil
		}
	}
	return fmt.Errorf("it signs with the key %s, which is not among the %s", id, ks)
}

// String gives the ids of the keys.
func (ks *Keys) String() string {
	if ks == nil {
		return "no cluster key"
	}
	ids := make([]string, len(ks.keys))
	for i, k := range ks.keys {
		ids[i] = k.name()
	}
	return "cluster keys " + strings.Join(ids, ", ")
}

// GoString is [Keys.String]: no verb of package fmt shows a secret.
func (ks *Keys) GoString() string { return ks.String() }

// Sign gives an encoded record with a MAC of the first key; without keys, as it is. It may change the bytes of record and what its capacity holds behind them.
func (ks *Keys) Sign(record []byte) []byte {
	if ks == nil {
		return record
	}
	body := record[:len(record)-crcBytes]
	binary.LittleEndian.PutUint32(body[keyOffset:], ks.keys[0].id)
	body = ks.keys[0].append(body, body)
	return binary.LittleEndian.AppendUint32(body, checksum(body))
}

func (k *key) append(dst, signed []byte) []byte {
	mac := hmac.New(sha256.New, k.secret)
	mac.Write(signed)
	return mac.Sum(dst)
}

// Verify tells whether rec, decoded from record, has the MAC of a known key; else the error wraps [ErrUnverified].
func (ks *Keys) Verify(record []byte, rec *Record) error {
	if rec.KeyID == 0 {
		return fmt.Errorf("%w: it has no signature", ErrUnverified)
	}
	k := ks.find(rec.KeyID)
	if k == nil {
		return fmt.Errorf("%w: the key %08x is not among the %s", ErrUnverified, rec.KeyID, ks)
	}
	if !hmac.Equal(k.append(nil, SignedPart(record)), rec.MAC) {
		return fmt.Errorf("%w: its signature under key %08x is wrong", ErrUnverified, rec.KeyID)
	}
	return nil
}
