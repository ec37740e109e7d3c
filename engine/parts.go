package engine

import (
	"cmp"
	"maps"
	"slices"

	"github.com/jetseek/jetseek/engine/schema"
)

// Parts are the digests of the parts of a snapshot, by which members that differ find out in what: a tree of three levels, the whole, each collection's documents, and
// those of each slot. They are immutable, hold no file, and share memory with the index.
type Parts struct {
	root, rest  Digest
	collections []*collection
}

// Parts gives the digests of all parts of the snapshot.
func (s *Snapshot) Parts() *Parts {
	p := &Parts{root: s.Digest(), rest: s.state.rest()}
	for _, c := range s.state.collections {
		p.collections = append(p.collections, &collection{incarnation: c.incarnation, slots: c.slots, documents: c.documents})
	}
	return p
}

// Root is the snapshot's digest.
func (p *Parts) Root() Digest { return p.root }

// Rest covers all that is no document: schemas, dropped collections, ownership, quarantine, kept outcomes.
func (p *Parts) Rest() Digest { return p.rest }

// Documents gives the digest of the live documents of each collection that has any, owned or not, by incarnation.
func (p *Parts) Documents() []CollectionDigest {
	var all []CollectionDigest
	for _, c := range p.collections {
		if c.documents != (Digest{}) {
			all = append(all, CollectionDigest{c.incarnation, c.documents})
		}
	}
	return all
}

// Slots gives the digests of the slots of a collection that have live documents, by slot.
func (p *Parts) Slots(c schema.Incarnation) []SlotDigest {
	var all []SlotDigest
	i, ok := slices.BinarySearchFunc(p.collections, c, func(c *collection, want schema.Incarnation) int { return cmp.Compare(c.incarnation, want) })
	if ok {
		p.collections[i].slots.each(func(slot uint16, d Digest, docs uint32) { all = append(all, SlotDigest{slot, docs, d}) })
	}
	return all
}

// CollectionDigest is the digest of the documents of a collection.
type CollectionDigest struct {
	Collection schema.Incarnation
	Digest     Digest
}

// SlotDigest is the digest of the documents of a slot.
type SlotDigest struct {
	Slot      uint16
	Documents uint32
	Digest    Digest
}

// DifferingSlots gives the slots that two members do not hold alike, of one collection; both lists are by slot.
func DifferingSlots(a, b []SlotDigest) *SlotSet {
	differ := &SlotSet{}
	theirs := make(map[uint16]SlotDigest, len(b))
	for _, d := range b {
		theirs[d.Slot] = d
	}
	for _, d := range a {
		if theirs[d.Slot] != d {
			differ.Add(d.Slot)
		}
		delete(theirs, d.Slot)
	}
	for slot := range theirs {
		differ.Add(slot)
	}
	return differ
}

// Selection is some slots of some collections.
type Selection map[schema.Incarnation]*SlotSet

// Has tells whether a slot of a collection is selected.
func (s Selection) Has(c schema.Incarnation, slot uint16) bool {
	slots := s[c]
	return slots != nil && slots.Has(slot)
}

// Slots counts the slots selected, of all collections.
func (s Selection) Slots() int {
	n := 0
	for _, slots := range s {
		n += slots.Count()
	}
	return n
}

// Equal tells whether both select the same.
func (s Selection) Equal(o Selection) bool {
	return maps.EqualFunc(s, o, (*SlotSet).Equal)
}

// Agree tells whether two snapshots hold the same of a selection, by its digests.
func (p *Parts) Agree(o *Parts, only Selection) bool {
	for c := range only {
		if DifferingSlots(p.Slots(c), o.Slots(c)).meets(only[c]) {
			return false
		}
	}
	return true
}
