package witness

import (
	"maps"
	"slices"
	"time"
)

// CheckCoverage finds answers of searches that are neither whole nor labelled, that are not the truth at the sequences which they name, or that are older than what
// was visible when they began.
func CheckCoverage(h History, log *Log) []Violation {
	v := &violations{checker: "coverage"}
	groups := slices.Sorted(maps.Keys(log.Groups))
	visible := visibleAt(h)
	for i := range h {
		e := &h[i]
		if e.Kind != Search || e.Result != OK {
			continue
		}
		v.labelled(e, groups)
		v.truth(e, log)
		for _, group := range groups {
			if seq, ok := e.Answer.Seq[group]; ok && seq < visible.before(group, e.Start) {
				v.add("group %s answered at %d, and %d was visible before: %s", group, seq, visible.before(group, e.Start), e)
			}
		}
	}
	return v.found
}

// labelled checks that an answer says what it lacks.
func (v *violations) labelled(e *Event, groups []string) {
	a := e.Answer
	named := slices.Sorted(maps.Keys(a.Seq))
	missing := slices.DeleteFunc(slices.Clone(groups), func(g string) bool { return slices.Contains(named, g) })
	switch {
	case len(missing) > 0 && (!a.Partial || a.Exact):
		v.add("groups %v are missing and the answer says partial %t, exact %t: %s", missing, a.Partial, a.Exact, e)
	case len(missing) > 0 && a.Relation == "eq":
		v.add("groups %v are missing and the total is said to be exact: %s", missing, e)
	case !slices.Equal(missing, slices.Sorted(slices.Values(a.Missing))):
		v.add("groups %v are missing and the answer names %v: %s", missing, a.Missing, e)
	}
}

// truth compares the documents with the log's at the same sequences. Documents deleted since may be left out, when the answer says so.
func (v *violations) truth(e *Event, log *Log) {
	want := make(map[string]uint64)
	for group, seq := range e.Answer.Seq {
		if g := log.Groups[group]; g != nil {
			maps.Copy(want, g.LiveAt(seq))
		}
	}
	if e.Answer.Total != uint64(len(want)) {
		v.add("the total is %d, and the log has %d at %v: %s", e.Answer.Total, len(want), e.Answer.Seq, e)
	}
	for _, d := range e.Answer.Documents {
		if want[d.ID] != d.Value {
			v.add("document %s has value %d, and the log has %d at %v: %s", d.ID, d.Value, want[d.ID], e.Answer.Seq, e)
		}
		delete(want, d.ID)
	}
	for id, value := range want {
		group := log.Owner[id]
		if !e.Answer.Left || !log.Groups[group].deletedAfter(id, e.Answer.Seq[group]) {
			v.add("document %s of value %d is not in the answer at %v: %s", id, value, e.Answer.Seq, e)
		}
	}
}

// visibility is, for each group, the sequences that became visible, by time.
type visibility map[string][]moment

type moment struct {
	at  time.Duration
	seq uint64 // the highest so far
}

func visibleAt(h History) visibility {
	all := make(visibility)
	for i := range h {
		if e := &h[i]; e.isWrite() && e.Result == OK && e.Visible && e.Seq != 0 {
			all[e.Group] = append(all[e.Group], moment{e.End, e.Seq})
		}
	}
	for _, moments := range all {
		slices.SortFunc(moments, func(a, b moment) int { return int(a.at - b.at) })
		for i := 1; i < len(moments); i++ {
			moments[i].seq = max(moments[i].seq, moments[i-1].seq)
		}
	}
	return all
}

// before gives the highest sequence of a group that was visible before a moment.
func (m visibility) before(group string, at time.Duration) uint64 {
	moments := m[group]
	n, _ := slices.BinarySearchFunc(moments, at, func(m moment, at time.Duration) int { return int(m.at - at) })
	if n == 0 {
		return 0
	}
	return moments[n-1].seq
}
