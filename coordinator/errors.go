package coordinator

import (
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Reasons of unavailable that coordinators give, for programs.
const (
	reasonNoNATS       = "no_nats"           // this coordinator has no connection to NATS
	reasonNoMap        = "no_map"            // no collection was created yet, so no group owns anything
	reasonNoMember     = "no_serving_member" // no member of the group serves
	reasonTooFewGroups = "too_few_groups"    // fewer groups serve than --expect-groups says
	reasonStopping     = "shutting_down"     // this coordinator is stopping
	reasonLogRefused   = "log_refused"       // the log did not take the write
	reasonLogFull      = "log_full"          // the log has no room for the write
	reasonLogSettings  = "log_settings"      // the log's stream is not kept as it must be
	reasonLogRewritten = "log_rewritten"     // the log has lost messages that it had acknowledged
	reasonOtherKeys    = "other_keys"        // members of the group have other cluster keys than this coordinator, or one of them has none
	reasonMoved        = "moved"             // the document's slot moves and its new owner is not known yet
	reasonPartial      = "partial"           // a group is missing and the request said partial=fail
)

func unavailable(reason, format string, args ...any) *wire.Error {
	e := wire.FromError(fault.New(fault.Unavailable, format, args...))
	e.Reason = reason
	return e
}

// notDurable marks an error of a write that is certainly not stored.
func notDurable(e *wire.Error) *wire.Error { return withDurable(e, wire.NotDurable) }

func withDurable(e *wire.Error, d wire.Durability) *wire.Error {
	copied := *e
	copied.Durable = d
	return &copied
}

func tooLarge(limit int) *wire.Error {
	return wire.FromError(fault.New(fault.TooLarge, "the document does not fit a log message: the limit is %d bytes with its id and overhead", limit))
}
