package engine

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/schema"
)

// Snapshot is an immutable view of an index at one sequence. It may be used from any goroutine until it is closed by all its holders.
type Snapshot struct {
	state   state
	index   *Index
	holders atomic.Int64

	rootOnce sync.Once
	root     Digest
}

// CollectionState says what a snapshot knows of an incarnation.
type CollectionState uint8

// The states of an incarnation.
const (
	// Unknown: no schema of it was ever applied.
	Unknown CollectionState = iota
	// Present: it has a schema, and may have documents.
	Present
	// Dropped: it was dropped.
	Dropped
)

// CollectionInfo describes a collection in a snapshot.
type CollectionInfo struct {
	Incarnation schema.Incarnation
	Name        string
	Version     uint64         // of the schema
	Schema      *schema.Schema // shared: do not change it
	Documents   uint64         // live and owned
	Segments    int
	Bytes       int64 // of the segments
	// PostingsBytes is what the lists of documents and frequencies of text fields take of Bytes; positions and dictionaries are not in it.
	PostingsBytes int64
}

// retain counts one more holder, unless there are none any more.
func (s *Snapshot) retain() bool {
	for {
		n := s.holders.Load()
		if n <= 0 {
			return false
		}
		if s.holders.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Retain counts one more holder of a snapshot that is still held: one more Close is due.
func (s *Snapshot) Retain() *Snapshot {
	if !s.retain() {
		panic(fmt.Sprintf("engine: retain of the closed snapshot at %d", s.state.seq))
	}
	return s
}

// Close gives the snapshot back. It must be called once for each [Index.Snapshot] and each [Snapshot.Retain].
func (s *Snapshot) Close() {
	switch n := s.holders.Add(-1); {
	case n == 0:
		s.index.open.Add(-1)
		s.state.files.release()
	case n < 0:
		panic(fmt.Sprintf("engine: snapshot at %d closed too often", s.state.seq))
	}
}

// InMemory adds to held the bytes of the segments that the snapshot keeps in memory, by a name that snapshots which share a segment share: what a snapshot that is held for long takes, also
// once the documents are in files. Sources that a merge passed on count with each segment that has them: rather too much than too little.
func (s *Snapshot) InMemory(held map[any]int64) {
	for _, c := range s.state.collections {
		for _, p := range c.parts {
			if p.file == nil {
				held[p.seg] = p.seg.Size()
			}
		}
	}
}

// Seq gives the sequence of the last message applied.
func (s *Snapshot) Seq() uint64 { return s.state.seq }

// ContentSeq gives the sequence of the last message that changed documents, schemas, ownership, or the outcomes that are kept: what the digest covers.
func (s *Snapshot) ContentSeq() uint64 { return s.state.contentSeq }

// Epoch gives the epoch of the ownership that holds.
func (s *Snapshot) Epoch() uint64 { return s.state.epoch }

// Attachment gives what the caller attached to the last message that had an attachment; nil when there is none. Do not change it.
func (s *Snapshot) Attachment() []byte { return s.state.attachment }

// Owned gives the slots owned. Do not change them.
func (s *Snapshot) Owned() *SlotSet { return s.state.owned }

// Digest covers everything that the snapshot holds, in no order: documents, schemas, ownership, quarantine, kept outcomes.
func (s *Snapshot) Digest() Digest {
	s.rootOnce.Do(func() { s.root = s.state.root() })
	return s.root
}

// SlotDigests gives the digest of each slot that has live documents of a collection, owned or not.
func (s *Snapshot) SlotDigests(c schema.Incarnation) map[uint16]Digest {
	digests := map[uint16]Digest{}
	if c := s.state.find(c); c != nil {
		c.slots.each(func(slot uint16, d Digest, _ uint32) { digests[slot] = d })
	}
	return digests
}

// Slots counts the live documents, owned or not, of each slot of a collection that has any.
func (s *Snapshot) Slots(c schema.Incarnation) map[uint16]uint64 {
	counts := map[uint16]uint64{}
	if c := s.state.find(c); c != nil {
		c.slots.each(func(slot uint16, _ Digest, docs uint32) { counts[slot] = uint64(docs) })
	}
	return counts
}

// Collections describes all present collections, by incarnation.
func (s *Snapshot) Collections() []CollectionInfo {
	infos := make([]CollectionInfo, len(s.state.collections))
	for i, c := range s.state.collections {
		infos[i] = c.info()
	}
	return infos
}

// Collection describes an incarnation; the info is zero unless it is [Present].
func (s *Snapshot) Collection(c schema.Incarnation) (CollectionInfo, CollectionState) {
	if found := s.state.find(c); found != nil {
		return found.info(), Present
	}
	if s.state.isDropped(c) {
		return CollectionInfo{}, Dropped
	}
	return CollectionInfo{}, Unknown
}

func (c *collection) info() CollectionInfo {
	info := CollectionInfo{Incarnation: c.incarnation, Name: c.name, Version: c.version, Schema: c.schema, Segments: len(c.parts)}
	for _, p := range c.parts {
		info.Documents += uint64(p.docs)
		info.Bytes += p.seg.Size()
		fields := p.seg.Fields()
		for i := range fields {
			if fields[i].HasText {
				info.PostingsBytes += int64(len(fields[i].TermPostings().Docs))
			}
		}
	}
	return info
}

// Get gives a live, owned document, or false. A file that cannot be read is a panic with an error that is [ErrUnreadable].
func (s *Snapshot) Get(c schema.Incarnation, id string) (Doc, bool) {
	defer s.index.files.name(panicOnFault())
	p, d, ok := s.locate(c, id)
	if !ok {
		return Doc{}, false
	}
	st := p.seg.State(d)
	source, err := p.seg.Source(d)
	if err != nil {
		panic(fmt.Sprintf("engine: source of a verified segment: %v", err))
	}
	birth := Birth{Log: st.Log, Seq: st.Seq, Index: st.Index}
	return Doc{ID: id, Version: st.Version, Birth: birth, Slot: st.Slot, Source: append([]byte(nil), source...)}, true
}

// locate finds a live, owned document.
func (s *Snapshot) locate(c schema.Incarnation, id string) (*part, uint32, bool) {
	found := s.state.find(c)
	if found == nil {
		return nil, 0, false
	}
	hash := segment.HashID(id)
	for _, p := range found.parts {
		if doc, ok := p.seg.Find(id, hash); ok && p.visible.Has(doc) {
			return p, doc, true
		}
	}
	return nil, 0, false
}
