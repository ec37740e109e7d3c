package engine

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
)

// openFiles reads the manifest and opens the segments that it names, all of whose bytes are verified. A folder without a manifest is an empty index. What
// crashes left over is removed.
func openFiles(options *Options) (_ *files, _ state, err error) {
	folder := options.Folder
	f := &files{folder: folder, resources: options.Resources, overflowBytes: options.overflowBytes, open: map[*segmentFile]bool{}}
	names, err := folder.List()
	if err != nil {
		return nil, state{}, fmt.Errorf("list the folder: %w", err)
	}
	m := &manifest{state: state{owned: &SlotSet{}}}
	b, err := folder.Read(manifestName, manifestBytes)
	if err == nil {
		m, err = readManifest(b)
	} else if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if errors.Is(err, errManifest) {
		err = fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if err != nil {
		return nil, state{}, err
	}
	next := uint64(1)
	for _, name := range names {
		if n, ok := numberOf(name); ok {
			next = max(next, n+1)
		}
	}
	var named []uint64
	for _, file := range m.files {
		next, named = max(next, file.number+1), append(named, file.number)
	}
	f.next.Store(next)
	if err := f.clean(names, named); err != nil {
		return nil, state{}, err
	}
	opened, err := f.openParts(m)
	defer func() {
		for _, file := range opened {
			if err != nil {
				file.keep.Store(true)
			}
			file.release()
		}
	}()
	if err != nil {
		return nil, state{}, err
	}
	m.state.files = newFileSet(opened)
	f.durable = newFileSet(opened)
	f.seq.Store(m.state.seq)
	return f, m.state, nil
}

// openParts opens the files of a manifest, and puts them into its collections. The caller holds the files, also after an error.
func (f *files) openParts(m *manifest) (opened []*segmentFile, err error) {
	for _, want := range m.files {
		file, seg, err := f.openSegment(want.number, want.length, segment.Open)
		if err != nil {
			return opened, err
		}
		opened = append(opened, file)
		c := m.state.collections[want.collection]
		if file.identity != want.identity || seg.Collection() != uint64(c.incarnation) {
			return opened, fmt.Errorf("%w: segment %s is not the one that the manifest names", ErrUnreadable, segmentName(want.number))
		}
		live := docset.Full(seg.Docs())
		if want.deleted != nil {
			if want.deleted.GetCardinality() > 0 && int64(want.deleted.Maximum()) >= int64(seg.Docs()) {
				return opened, fmt.Errorf("%w: deleted documents of segment %s", ErrUnreadable, segmentName(want.number))
			}
			for it := want.deleted.Iterator(); it.HasNext(); {
				live.Remove(it.Next())
			}
		}
		p, err := f.openPart(seg, live, m.state.owned)
		if err != nil {
			return opened, err
		}
		p.file = file
		c.parts = append(c.parts, p)
	}
	return opened, m.check()
}

// openPart makes a part, for which the lengths of documents are read.
func (f *files) openPart(seg *segment.Segment, live docset.Set, owned *SlotSet) (p *part, err error) {
	defer f.catch(panicOnFault(), &err)
	return newPart(0, seg, live, owned), nil
}

// check compares the documents that live in the segments with those that the slots count.
func (m *manifest) check() error {
	for _, c := range m.state.collections {
		alive, counted := 0, 0
		for _, p := range c.parts {
			alive += p.alive
		}
		c.slots.each(func(_ uint16, _ Digest, docs uint32) { counted += int(docs) })
		if alive != counted {
			return fmt.Errorf("%w: collection %s has %d documents and should have %d", ErrUnreadable, c.name, alive, counted)
		}
	}
	return nil
}
