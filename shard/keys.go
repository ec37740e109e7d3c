package shard

import (
	"errors"
	"fmt"

	"github.com/jetseek/jetseek/subjects/registry"
)

// errOtherKeys says that others sign what they write with keys that this member does not have.
var errOtherKeys = errors.New("other_keys")

// sharesKeys compares the member's keys with those of the others that serve, before it writes anything: members whose keys differ pass over each other's records, also the leases that deletes
// wait for.
func (m *Member) sharesKeys(others []*registry.Member) error {
	for _, o := range others {
		if State(o.State) != Serving {
			continue
		}
		switch err := m.opts.Keys.Suits(o.Key); {
		case err == nil:
		case m.opts.Keys == nil:
			return errNoKey
		case o.Key == "":
			return fmt.Errorf("member %s serves without a cluster key, and would fail at the first signed record: end it first, then start it with the key", o.ID()) // waited for
		default:
			return fmt.Errorf("%w: member %s: %w; start this member with the others' --cluster-key, it keeps its data", errOtherKeys, o.ID(), err)
		}
	}
	return nil
}

// isOfKeys tells whether an error says that the member has not the keys of its group.
func isOfKeys(err error) bool { return errors.Is(err, errNoKey) || errors.Is(err, errOtherKeys) }
