package witness

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// allReaders is whom reads are said to be of.
const allReaders = 1 << 20

// registersTimeout bounds the search for one document.
const registersTimeout = 20 * time.Second

// entry is how a document stands after a write; version 0: absent.
type entry struct {
	write          int // which
	version, value uint64
}

// register is a document with its past, as far back as a read may still see: what stood when the newest of the writes took effect that are visible.
type register []entry

// Inputs of the model: a write by its number, the moment at which it had become visible, and a read.
type (
	writeInput struct {
		number    int
		kind      Kind
		value     uint64
		ifVersion int64
	}
	visibleInput struct{ write int }
	readInput    struct{}
)

// output is what was answered. An outcome of "", and a version of 0 beside a value, say nothing.
type output struct {
	outcome        string
	version, value uint64
}

// step gives the register after an operation, and whether the answer is right.
func step(state, in, out any) (bool, any) {
	r, o := state.(register), out.(output)
	switch i := in.(type) {
	case visibleInput:
		if n := slices.IndexFunc(r, func(e entry) bool { return e.write == i.write }); n > 0 {
			r = r[n:]
		}
		return true, r
	case readInput:
		return slices.ContainsFunc(r, func(e entry) bool { return e.value == o.value && (o.version == 0 || o.version == e.version) }), r
	case writeInput:
		next, outcome, version := decide(r[len(r)-1], i)
		return o.outcome == "" || o.outcome == outcome && o.version == version, append(r[:len(r):len(r)], next)
	}
	return false, r
}

// decide gives what a write makes of the document, and what it answers.
func decide(now entry, i writeInput) (next entry, outcome string, version uint64) {
	next = entry{i.number, now.version, now.value}
	switch {
	case i.ifVersion >= 0 && uint64(i.ifVersion) != now.version:
		return next, "version_conflict", now.version
	case i.kind == Put && now.version == 0:
		return entry{i.number, 1, i.value}, "created", 1
	case i.kind == Put:
		return entry{i.number, now.version + 1, i.value}, "updated", now.version + 1
	case now.version == 0:
		return next, "not_found", 0
	}
	return entry{write: i.number}, "deleted", now.version
}

// CheckRegisters takes each document for a register. Writes must be linearizable: the log orders them, and it does so between their start and end. A read promises
// less: while a write is not visible yet one read may see it and a later one at another member may not. So a read may give any state from the newest write
// on that was visible when it began. limit bounds the operations of a document; those beyond it are not judged, and counted.
func CheckRegisters(h History, owner map[string]string, limit int) (found []Violation, skipped int) {
	v := &violations{checker: "registers"}
	model := porcupine.Model{
		Init: func() any { return register{{write: -1}} }, Step: step,
		Equal: func(a, b any) bool { return slices.Equal(a.(register), b.(register)) },
	}
	histories := registers(h, owner)
	for _, id := range slices.Sorted(maps.Keys(histories)) {
		operations := histories[id]
		if len(operations) > limit {
			skipped++
			continue
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

// registers gives each document's operations. Times are doubled, so that the moment at which a write is visible falls between its end and the reads that begin
// then.
func registers(h History, owner map[string]string) map[string][]porcupine.Operation {
	all := make(map[string][]porcupine.Operation)
	visible := make(map[string][]time.Duration) // ends of visible writes
	for i := range h {
		e := &h[i]
		if !e.isWrite() || e.Result == Failed {
			continue
		}
		o := porcupine.Operation{ClientId: e.Client, Input: writeInput{i, e.Kind, e.Value, e.IfVersion}, Call: 2 * int64(e.Start), Output: output{}, Return: math.MaxInt64}
		if e.Result == OK {
			o.Return, o.Output = 2*int64(e.End), output{outcome: e.Outcome, version: e.Version}
		}
		all[e.ID] = append(all[e.ID], o)
		if e.Result == OK && e.Visible {
			visible[e.ID] = append(visible[e.ID], e.End)
			all[e.ID] = append(all[e.ID], porcupine.Operation{ClientId: e.Client, Input: visibleInput{i}, Call: o.Return + 1, Output: output{}, Return: o.Return + 1})
		}
	}
	for _, ends := range visible {
		slices.Sort(ends)
	}
	for s, r := range firstSights(h, owner, visible) {
		all[s.id] = append(all[s.id], porcupine.Operation{
			ClientId: allReaders, Input: readInput{}, Call: 2 * int64(r.start), Output: output{version: s.version, value: s.value}, Return: 2 * int64(r.end),
		})
	}
	for _, operations := range all {
		slices.SortStableFunc(operations, func(a, b porcupine.Operation) int { return cmp.Compare(a.Call, b.Call) })
	}
	return all
}

// sight is what a read saw of a document, and how many of its writes were visible when it began.
type sight struct {
	id             string
	value, version uint64
	visible        int
}

// firstSights gives, of the reads that saw the same behind the same visible writes, the one that ended first: it says all that they say.
func firstSights(h History, owner map[string]string, visible map[string][]time.Duration) map[sight]read {
	first := make(map[sight]read)
	h.reads(owner, func(r read) {
		s := sight{id: r.id, value: r.value, version: r.version}
		s.visible, _ = slices.BinarySearch(visible[r.id], r.start)
		if other, ok := first[s]; !ok || r.end < other.end {
			first[s] = r
		}
	})
	return first
}

func describe(operations []porcupine.Operation) string {
	var text string
	for _, o := range operations {
		end := "never"
		if o.Return != math.MaxInt64 {
			end = fmt.Sprintf("%.3f s", time.Duration(o.Return/2).Seconds())
		}
		text += fmt.Sprintf("  [%.3f s, %s] client %d %T%+v -> %+v\n", time.Duration(o.Call/2).Seconds(), end, o.ClientId, o.Input, o.Input, o.Output)
	}
	return text
}
