package rank

import "github.com/jetseek/jetseek/subjects/wire"

// Total gives a total as the request's track_total asks for it: the exact sum of the groups' totals with eq up to track, track with gte beyond, and an
// estimate for [wire.TrackEstimate]. With whole false a group is missing from the sum, which is then a lower bound.
func Total(sum uint64, track int64, whole bool) wire.Total {
	switch {
	case track == wire.TrackEstimate:
		return wire.Total{Value: sum, Relation: "estimate"}
	case sum > uint64(track):
		return wire.Total{Value: uint64(track), Relation: "gte"}
	case !whole:
		return wire.Total{Value: sum, Relation: "gte"}
	}
	return wire.Total{Value: sum, Relation: "eq"}
}
