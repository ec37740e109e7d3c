package sim

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// registersTimeout bounds the search for one document.
const registersTimeout = 20 * time.Second

// register is a document: absent when its version is 0.
type register struct {
	version, value uint64
}

// input is what was asked of a register, output what was answered. An outcome of "" says nothing.
type input struct {
	kind      Kind
	value     uint64
	ifVersion int64
}

type output struct {
	outcome        string
	version, value uint64
}

// step gives the register after an operation, and whether the answer is right.
func step(state, in, out any) (bool, any) {
	now, i, o := state.(register), in.(input), out.(output)
	conflict := i.ifVersion >= 0 && uint64(i.ifVersion) != now.version
	next, outcome, version := now, "", now.version
	switch {
	case !(i.kind == Put || i.kind == Delete):
		return o.value == now.value && (o.version == 0 || o.version == now.version), now
	case conflict:
		outcome = "version_conflict"
	case i.kind == Put && now.version == 0:
		next, outcome, version = register{1, i.value}, "created", 1
	case i.kind == Put:
		next, outcome, version = register{now.version + 1, i.value}, "updated", now.version+1
	case now.version == 0:
		outcome = "not_found"
	default:
		next, outcome = register{}, "deleted"
	}
	if o.outcome == "" {
		return true, next
	}
	return o.outcome == outcome && o.version == version, next
}

// CheckRegisters takes each document for a register. Writes must be linearizable: the log orders them, and it does so between their start and end. A read promises
// less: it may see a write that is not visible yet while a later read at another member does not. So a read may take effect at any moment from the end of
// the last write that was visible when it began, and a write that was acknowledged before it was visible at any moment from its start. limit bounds the operations of a document; those beyond it are not judged, and counted.
func CheckRegisters(h History, owner map[string]string, limit int) (found []Violation, skipped int) {
	v := &violations{checker: "registers"}
	histories := registers(h, owner)
	for _, id := range slices.Sorted(maps.Keys(histories)) {
		operations := histories[id]
		if len(operations) > limit {
			skipped++
			continue
		}
		model := porcupine.Model{
			Init: func() any { return register{} }, Step: step,
			DescribeOperation: func(in, out any) string { return fmt.Sprintf("%+v -> %+v", in, out) },
		}
		switch porcupine.CheckOperationsTimeout(model, operations, registersTimeout) {
		case porcupine.Illegal:
			v.add("document %s is no register:\n%s", id, describe(operations))
		case porcupine.Unknown:
			skipped++
		}
	}
	return v.found, skipped
}

// registers gives each document's operations.
func registers(h History, owner map[string]string) map[string][]porcupine.Operation {
	all := make(map[string][]porcupine.Operation)
	visible := make(map[string][]time.Duration) // ends of visible writes
	for i := range h {
		e := &h[i]
		if !e.isWrite() || e.Result == Failed {
			continue
		}
		o := porcupine.Operation{ClientId: e.Client, Input: input{e.Kind, e.Value, e.IfVersion}, Call: int64(e.Start), Output: output{}, Return: math.MaxInt64}
		if e.Result == OK {
			o.Output = output{outcome: e.Outcome, version: e.Version}
			if e.Visible {
				o.Return = int64(e.End)
				visible[e.ID] = append(visible[e.ID], e.End)
			}
		}
		all[e.ID] = append(all[e.ID], o)
	}
	for _, ends := range visible {
		slices.Sort(ends)
	}
	// Of reads that saw the same since the same moment the one that ended first says all.
	type sight struct {
		id             string
		value, version uint64
		since          time.Duration
	}
	first := make(map[sight]time.Duration)
	h.reads(owner, func(r read) {
		ends := visible[r.id]
		n, _ := slices.BinarySearch(ends, r.start)
		s := sight{id: r.id, value: r.value, version: r.version, since: -1}
		if n > 0 {
			s.since = ends[n-1]
		}
		if end, ok := first[s]; !ok || r.end < end {
			first[s] = r.end
		}
	})
	for s, end := range first {
		all[s.id] = append(all[s.id], porcupine.Operation{
			ClientId: clients, Input: input{kind: Get}, Call: int64(s.since) + 1, Output: output{version: s.version, value: s.value}, Return: int64(end),
		})
	}
	for _, operations := range all {
		slices.SortFunc(operations, func(a, b porcupine.Operation) int { return int(a.Call - b.Call) })
	}
	return all
}

func describe(operations []porcupine.Operation) string {
	var text string
	for _, o := range operations {
		end := "never"
		if o.Return != math.MaxInt64 {
			end = fmt.Sprintf("%.3f s", time.Duration(o.Return).Seconds())
		}
		text += fmt.Sprintf("  [%.3f s, %s] client %d %+v -> %+v\n", time.Duration(o.Call).Seconds(), end, o.ClientId, o.Input, o.Output)
	}
	return text
}
