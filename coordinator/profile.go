package coordinator

import (
	"encoding/json"

	"github.com/jetseek/jetseek/subjects/wire"
)

// profile tells what this coordinator and the members did. What a member says that does not decode is left out: it is no part of the answer.
func (a *answered) profile() *wire.SearchProfile {
	p := &wire.SearchProfile{
		Path: a.path, Rounds: a.rounds, StatsMs: milliseconds(a.statsTook), SearchMs: milliseconds(a.searchTook), DocsMs: milliseconds(a.docsTook), Groups: map[string]wire.GroupProfile{},
	}
	for _, part := range a.parts {
		var group wire.GroupProfile
		if part.result != nil && part.result.Profile != nil && json.Unmarshal(part.result.Profile, &group) == nil {
			p.Groups[part.group.Name] = group
		}
	}
	return p
}
