package coordinator

import (
	"encoding/json"

	"github.com/jetseek/jetseek/subjects/wire"
)

// profiles gives what the members did, by group. One that does not decode is left out: it is no part of the answer.
func (a *answered) profiles() map[string]wire.GroupProfile {
	groups := map[string]wire.GroupProfile{}
	for _, part := range a.parts {
		var p wire.GroupProfile
		if part.result != nil && part.result.Profile != nil && json.Unmarshal(part.result.Profile, &p) == nil {
			groups[part.group.Name] = p
		}
	}
	return groups
}
