package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/placement"
)

// View is what the bucket held at one moment. It and all that it points to are immutable.
type View struct {
	Synced      bool           // everything that was there when following began is in it
	Map         *placement.Map // nil before it is born
	MapRevision uint64
	Collections []*Collection // by name
	Members     []*Member     // live ones, by group and node
}

// Collection gives a collection by name.
func (v *View) Collection(name string) (*Collection, bool) {
	return find(v.Collections, func(c *Collection) int { return strings.Compare(c.Name, name) })
}

// Incarnation gives a collection by its incarnation.
func (v *View) Incarnation(i schema.Incarnation) (*Collection, bool) {
	for _, c := range v.Collections {
		if schema.Incarnation(c.Incarnation) == i {
			return c, true
		}
	}
	return nil, false
}

// Member gives a live member by id.
func (v *View) Member(id string) (*Member, bool) {
	group, node, ok := subjects.SplitMember(id)
	if !ok {
		return nil, false
	}
	return find(v.Members, func(m *Member) int { return compareMember(m, group, node) })
}

// MembersOf gives the live members of a group.
func (v *View) MembersOf(group string) []*Member {
	from, _ := slices.BinarySearchFunc(v.Members, group, func(m *Member, group string) int { return placement.CompareGroups(m.Group, group) })
	to := from
	for to < len(v.Members) && v.Members[to].Group == group {
		to++
	}
	return v.Members[from:to:to]
}

func compareMember(m *Member, group, node string) int {
	return cmp.Or(placement.CompareGroups(m.Group, group), strings.Compare(m.Node, node))
}

func find[T any](list []*T, compare func(*T) int) (*T, bool) {
	at, ok := slices.BinarySearchFunc(list, struct{}{}, func(t *T, _ struct{}) int { return compare(t) })
	if !ok {
		return nil, false
	}
	return list[at], true
}

// entry is the newest that is known of a key; record is nil when it is gone.
type entry struct {
	revision uint64
	record   any // *placement.Map, *Collection or *Member
}

// makeView makes the view of a set of entries.
func makeView(entries map[string]entry, synced bool) *View {
	v := &View{Synced: synced}
	for _, e := range entries { // the order does not show: there is one map, and the lists are sorted
		switch r := e.record.(type) {
		case *placement.Map:
			v.Map, v.MapRevision = r, e.revision
		case *Collection:
			v.Collections = append(v.Collections, r)
		case *Member:
			v.Members = append(v.Members, r)
		}
	}
	slices.SortFunc(v.Collections, func(a, b *Collection) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(v.Members, func(a, b *Member) int { return compareMember(a, b.Group, b.Node) })
	return v
}
