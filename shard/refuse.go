package shard

import (
	"errors"
	"fmt"

	"github.com/jetseek/jetseek/subjects/wire"
)

var (
	// errNoKey says that the log is signed, and the member has no key to verify it with: what it took for genuine could be anything.
	errNoKey = errors.New("the log is signed and this member has no key: give it the others' --cluster-key")
	// errOtherRecord says that a record was written for another log.
	errOtherRecord = errors.New("the record is of another log")
)

// genuine tells whether a record is to be applied. One that is of another log, or that does not verify, is passed over by all members alike: the answer follows from
// the log and the keys. A log counts as signed from its first record that verifies on; before it there was no key, and records without a signature stand.
func (m *translator) genuine(raw message) error {
	rec := raw.record
	if rec.Log != m.log {
		return fmt.Errorf("%w: %s", errOtherRecord, rec.Log)
	}
	switch {
	case m.opts.Keys == nil && (rec.KeyID != 0 || m.signed):
		return errNoKey
	case m.opts.Keys == nil, rec.KeyID == 0 && !m.signed:
		return nil
	}
	if err := m.opts.Keys.Verify(raw.data, rec); err != nil {
		return err
	}
	m.signed = true
	return nil
}

// passOver counts a record that is not genuine, and gives the places of its operations: all are rejected.
func (m *translator) passOver(raw message, why error) []int {
	m.refused.Add(1)
	m.opts.Log.Error("a record of the log is not genuine: passed over", "member", m.id, "seq", raw.seq, "error", why)
	index := make([]int, len(raw.record.Ops))
	for i := range index {
		index[i] = passedOver
	}
	return index
}

// isRefusal tells whether an error of genuine lets the member go on behind the record.
func isRefusal(err error) bool {
	return errors.Is(err, errOtherRecord) || errors.Is(err, wire.ErrUnverified)
}
