package registry

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// MemberTTL is how long a member's record lives after it was last put.
	MemberTTL = 10 * time.Second
	// MemberRenewal is how often a member puts its record.
	MemberRenewal = 3 * time.Second

	// markerTTL is how long the bucket remembers that a key has expired.
	markerTTL = time.Hour

	mapKey            = "map"
	collectionsPrefix = "collections."
	membersPrefix     = "members."
	cursorSecretKey   = "cursor_secret"
)

// Collection is the cluster's record of a collection.
type Collection struct {
	Name        string          `json:"name"`
	Incarnation Incarnation     `json:"incarnation"`
	Version     uint64          `json:"version"`  // of the schema, from 1
	Schema      json.RawMessage `json:"schema"`   // canonical
	Declared    json.RawMessage `json:"declared"` // the schema as it was declared last, canonical: without the fields that documents added
	Revision    uint64          `json:"-"`        // of the record in the bucket
}

// Incarnation is a [schema.Incarnation] that is 16 hex digits in JSON, since JavaScript and jq round large numbers.
type Incarnation schema.Incarnation

// MarshalText gives 16 hex digits.
func (i Incarnation) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%016x", uint64(i)), nil }

// UnmarshalText takes 16 hex digits.
func (i *Incarnation) UnmarshalText(b []byte) error {
	v, err := strconv.ParseUint(string(b), 16, 64)
	if err != nil || len(b) != 16 {
		return fmt.Errorf("incarnation %q: 16 hex digits", b)
	}
	*i = Incarnation(v)
	return nil
}

// Member is a member's record of itself.
type Member struct {
	Group       string    `json:"group"`
	Node        string    `json:"node"`
	Incarnation uint64    `json:"incarnation,string"` // of the process
	Log         wire.UUID `json:"log"`                // of the log that it replays
	Generation  uint32    `json:"generation"`         // of the log's stream
	State       string    `json:"state"`              // joining, serving, fenced, stalled, draining, failed
	Reason      string    `json:"reason,omitempty"`   // why it is not serving, or what is wrong with its disk
	Applied     uint64    `json:"applied"`
	Software    string    `json:"software,omitempty"`    // version of the program
	Key         string    `json:"key,omitempty"`         // id of the cluster key that signs its records; "" without one
	Refused     uint64    `json:"refused,omitempty"`     // records of the log that it has passed over since its start
	Outlived    uint64    `json:"outlived,omitempty"`    // times since its start that an auditor found it would serve a deleted document: must stay 0
	Stuck       string    `json:"stuck,omitempty"`       // the operation that it cannot apply, as [wire.Place] has it
	Quarantined int       `json:"quarantined,omitempty"` // operations that are set aside
	Revision    uint64    `json:"-"`                     // of the record in the bucket
}

// ID gives "g0/n1".
func (m *Member) ID() string { return subjects.MemberID(m.Group, m.Node) }

func collectionKey(name string) string { return collectionsPrefix + name }

func memberKey(group, node string) string { return membersPrefix + group + "." + node }

func parseCollection(key string, value []byte, revision uint64) (*Collection, error) {
	c := &Collection{Revision: revision}
	if err := json.Unmarshal(value, c); err != nil {
		return nil, fmt.Errorf("record %s: %w", key, err)
	}
	if collectionKey(c.Name) != key || c.Incarnation == 0 || c.Version == 0 {
		return nil, fmt.Errorf("record %s: collection %q of incarnation %d, version %d", key, c.Name, c.Incarnation, c.Version)
	}
	return c, nil
}

func parseMember(key string, value []byte, revision uint64) (*Member, error) {
	m := &Member{Revision: revision}
	if err := json.Unmarshal(value, m); err != nil {
		return nil, fmt.Errorf("record %s: %w", key, err)
	}
	if memberKey(m.Group, m.Node) != key || strings.Count(key, ".") != 2 {
		return nil, fmt.Errorf("record %s: member %s", key, m.ID())
	}
	return m, nil
}
