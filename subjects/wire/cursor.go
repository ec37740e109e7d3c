package wire

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

const (
	// CursorStart is the cursor of the first page of a walk.
	CursorStart = "*"
	// MaxWalkBytes bounds the body of a search whose pages are walked through: it stands in every cursor.
	MaxWalkBytes = 256 << 10
	// CursorSecretBytes is the length of the secret that cursors are sealed with.
	CursorSecretBytes = 32

	cursorMACBytes = 16
)

// ErrForgedCursor is the error for a token that was not sealed with the secret, or not as it is.
var ErrForgedCursor = errors.New("this cursor was not made by this cluster, or not as it is")

// Cursor is where a walk stands: all that is needed to give the page behind. It says what was asked, not what may be seen: that is checked for every page.
type Cursor struct {
	Collection schema.Incarnation
	Name       string     // of the collection
	Groups     []GroupSeq // the snapshots, by name
	HeldMs     int64      // when members were last told to keep these, ms since 1970 by the coordinator's clock
	Total      Total
	Body       []byte          // of the first page's request; at most [MaxWalkBytes]
	After      query.Candidate // the last place of the page before
}

// GroupSeq is a place in a group's log.
type GroupSeq struct {
	Group string
	Seq   uint64
}

// Seq gives the snapshot of a group; false for one that had none when the walk began.
func (c *Cursor) Seq(group string) (uint64, bool) {
	i := slices.IndexFunc(c.Groups, func(g GroupSeq) bool { return g.Group == group })
	if i < 0 {
		return 0, false
	}
	return c.Groups[i].Seq, true
}

// SealCursor makes the token that users get: base64url of 16 bytes of HMAC-SHA256 under the secret, then the cursor.
func SealCursor(secret []byte, c *Cursor) string {
	body := AppendCursor(nil, c)
	return base64.RawURLEncoding.EncodeToString(append(cursorMAC(secret, body), body...))
}

// OpenCursor reads a token that [SealCursor] has made; any other is [ErrForgedCursor].
func OpenCursor(secret []byte, token string) (*Cursor, error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) < cursorMACBytes || !hmac.Equal(b[:cursorMACBytes], cursorMAC(secret, b[cursorMACBytes:])) {
		return nil, ErrForgedCursor
	}
	return DecodeCursor(b[cursorMACBytes:])
}

func cursorMAC(secret, body []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(body)
	return h.Sum(nil)[:cursorMACBytes]
}

// relations are what a total may be; their numbers stand in cursors.
func relations() []string { return []string{"eq", "gte", "estimate"} }

// AppendCursor appends the binary form to dst.
func AppendCursor(dst []byte, c *Cursor) []byte {
	dst = appendU64(append(dst, binaryV1), uint64(c.Collection))
	dst = appendUvarint(appendStr(dst, c.Name), uint64(len(c.Groups)))
	for _, g := range c.Groups {
		dst = appendUvarint(appendStr(dst, g.Group), g.Seq)
	}
	dst = appendUvarint(appendUvarint(dst, uint64(c.HeldMs)), c.Total.Value)
	dst = append(dst, uint8(slices.Index(relations(), c.Total.Relation)))
	return appendCandidates(appendStr(dst, c.Body), []query.Candidate{c.After})
}

// DecodeCursor reads the binary form.
func DecodeCursor(b []byte) (*Cursor, error) {
	r := &reader{b: b}
	if form := r.u8(); form != binaryV1 {
		r.fail("first byte %#x", form)
	}
	c := &Cursor{Collection: schema.Incarnation(r.u64()), Name: r.str(MaxNameBytes)}
	for range r.count(2) {
		c.Groups = append(c.Groups, GroupSeq{r.str(MaxNameBytes), r.uvarint()})
	}
	c.HeldMs, c.Total.Value = int64(r.uvarint()), r.uvarint()
	if relation := int(r.u8()); relation < len(relations()) {
		c.Total.Relation = relations()[relation]
	} else {
		r.fail("relation %d of a total", relation)
	}
	c.Body = r.bytes(MaxWalkBytes)
	list := readCandidates(r)
	if r.err == nil && len(list) != 1 {
		r.fail("%d places", len(list))
	}
	if err := r.end(); err != nil {
		return nil, fmt.Errorf("cursor: %w", err)
	}
	c.After = list[0]
	return c, nil
}
