// Package outcome holds the verdicts on operations of the log, which follow from the log before them alone and are the same for every
// member. It imports nothing of the project.
package outcome

// Code is the verdict on one operation. The numbers are part of the wire format; the list is append-only.
type Code uint8

// The verdicts.
const (
	Created Code = iota + 1
	Updated
	Deleted
	NotFound        // a delete of an absent id
	VersionConflict // if_version does not hold
	WrongOwner      // the group does not own the id's slot at this point of the log
	Rejected        // the operation cannot be applied: a body that does not decode under the schema, or one that made the engine panic
	NoCollection    // the collection's incarnation was dropped before
	KeyConflict     // a request key repeated with another id or kind
	Done            // schema, drop, ownership: nothing more to say
)

var names = [...]string{Created: "created", Updated: "updated", Deleted: "deleted", NotFound: "not_found", VersionConflict: "version_conflict",
	WrongOwner: "wrong_owner", Rejected: "rejected", NoCollection: "no_collection", KeyConflict: "key_conflict", Done: "done"}

// String gives the name that the API shows, or "" for an unknown code.
func (c Code) String() string {
	if int(c) < len(names) {
		return names[c]
	}
	return ""
}

// Outcome is a verdict with the version that a write reply shows: the new one after a put, the deleted one after a delete, the one that stands
// after a conflict (0 if absent), else 0. Repeated: it was decided before, of an operation with the same request key, and nothing was done now.
type Outcome struct {
	Code     Code
	Version  uint64
	Repeated bool
}
