package coordinator

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/wire"
)

// A delete whose condition does not hold leaves the document where it is: it is visible as a decision, and verifies nothing. Under a request id the first decision stands, and says that it was the first.
func TestConflictVerifiesNothing(t *testing.T) {
	c := newCluster(t, 1)
	by := c.coordinator()
	c.create(by, "c")
	c.mustIndex(by, "c", `{"id":"a"}`)
	remove := func(id, request string, ifVersion int64) *wire.WriteReply {
		p := params(waitApplied)
		p.requestID, p.ifVersion = request, ifVersion
		reply, err := by.remove(t.Context(), "c", id, p)
		if err != nil {
			t.Fatal(err)
		}
		return reply
	}
	for _, try := range []struct {
		id, request       string
		ifVersion         int64
		outcome, message  string
		verified, visible bool
	}{
		{"a", "", 7, "version_conflict", `if_version is 7, and the version of "a" is 1`, false, true},
		{"b", "", 7, "version_conflict", `if_version is 7, and the version of "b" is 0`, false, true},
		{"a", "r", 7, "version_conflict", `if_version is 7, and the version of "a" is 1`, false, true},
		{"a", "r", 1, "version_conflict", `the first write under this request id found "a" at version 1`, false, true},
		{"a", "s", 1, "deleted", "", true, true},
		{"a", "s", 1, "deleted", "", true, true},
		{"a", "", 0, "not_found", "", true, true},
	} {
		got := remove(try.id, try.request, try.ifVersion)
		message := ""
		if got.Error != nil {
			message = got.Error.Message
		}
		if got.Outcome != try.outcome || got.Verified == nil || *got.Verified != try.verified || got.Visible != try.visible || !strings.HasPrefix(message, try.message) || (message == "") != (try.message == "") {
			t.Errorf("%+v: %+v verified %v, %q", try, got, got.Verified, message)
		}
	}
}
