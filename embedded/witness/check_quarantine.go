package witness

import (
	"maps"
	"slices"

	"github.com/jetseek/jetseek/subjects/wire"
)

// CheckQuarantine holds what members had set aside in the end, and what came of trying it again, against the log; poison tells of which values no member could apply the put, nil: of none.
func CheckQuarantine(tried []Requeued, left []wire.QuarantinedBody, log *Log, poison func(value uint64) bool) []Violation {
	v := &violations{checker: "quarantine"}
	type key struct {
		group string
		at    wire.Place
	}
	answered := make(map[key]Requeued)
	for _, r := range tried {
		answered[key{r.Group, r.Place}] = r
	}
	for _, group := range slices.Sorted(maps.Keys(log.Groups)) {
		g := log.Groups[group]
		for _, o := range g.asides.ever {
			if o.Value == 0 || poison == nil || !poison(o.Value) {
				v.add("operation %s of %s on %s was set aside, and could be applied", o.Place, group, o.ID)
			}
			r, ok := answered[key{group, o.Place}]
			delete(answered, key{group, o.Place})
			if !ok {
				v.add("operation %s of %s on %s was set aside in the log, and by no member", o.Place, group, o.ID)
				continue
			}
			i := slices.IndexFunc(g.Writes, func(w LogWrite) bool { return w.Again && w.Seq == r.Reply.Seq && w.ID == o.ID })
			if i < 0 {
				v.add("operation %s of %s on %s was tried again, and that does not stand in the log: %+v", o.Place, group, o.ID, r.Reply)
				continue
			}
			if got, want := sameIfLate(r.Reply.Outcome), g.Writes[i].Outcome; got != want {
				v.add("operation %s of %s on %s was tried again with outcome %s, and the log has %s", o.Place, group, o.ID, got, want)
			}
		}
		for _, o := range g.asides.now {
			v.add("operation %s of %s on %s is still set aside in the end", o.Place, group, o.ID)
		}
	}
	for k := range answered {
		v.add("operation %s of %s is set aside by a member alone", k.at, k.group)
	}
	for _, o := range left {
		v.add("operation %d/%d of %s on %s is still listed in the end", o.Seq, o.Operation, o.Group, o.ID)
	}
	return v.found
}

// sameIfLate gives one word to what comes too late, whether a condition says so or the quarantine: a reply cannot always tell them apart.
func sameIfLate(outcome string) string {
	if outcome == "superseded" {
		return "version_conflict"
	}
	return outcome
}
