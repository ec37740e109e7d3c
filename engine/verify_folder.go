package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/vfs"
)

// folderVerifier holds the files of one folder against its manifest.
type folderVerifier struct {
	ctx      context.Context
	dir      string
	report   func(Finding)
	manifest *manifest
	parts    []verifiedPart // opened so far
}

// verifiedPart is a segment that a manifest names and that holds.
type verifiedPart struct {
	collection int // in the manifest's state
	name       string
	mapping    vfs.Mapping
	segment    *segment.Segment
	live       docset.Set
}

func verifyFolder(ctx context.Context, dir string, report func(Finding)) error {
	v := folderVerifier{ctx: ctx, dir: dir, report: report}
	defer v.close()
	b, err := os.ReadFile(filepath.Join(dir, manifestName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return v.withoutManifest()
	case err != nil:
		return err
	default:
		if v.manifest, err = readManifest(b); err != nil {
			v.say(manifestName, "%v", err)
			return ctx.Err()
		}
	}
	if s := &v.manifest.state; s.contentSeq > s.seq {
		v.say(manifestName, "its content is of message %d, and it is at %d", s.contentSeq, s.seq)
	}
	if err := v.names(); err != nil {
		return err
	}
	for i := range v.manifest.files {
		if err := v.file(&v.manifest.files[i]); err != nil {
			return err
		}
	}
	for i := range v.manifest.state.collections {
		if err := v.collection(i); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (v *folderVerifier) close() {
	for _, p := range v.parts {
		_ = p.mapping.Close() // nobody reads it any more
	}
}

// withoutManifest tells what a folder without a manifest is.
func (v *folderVerifier) withoutManifest() error {
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		return err
	}
	segments := 0
	for _, e := range entries {
		if _, ok := numberOf(e.Name()); ok {
			segments++
		}
	}
	switch {
	case len(entries) == 0:
		v.report(Finding{Text: "the folder is empty: an index of which nothing was written to files yet", Note: true})
	case segments > 0:
		v.say(manifestName, "there is none, and %d segments: a crash in the first flush of all leaves that, else the manifest was lost; the next start removes them and takes all from the log", segments)
	default:
		return errors.New("no folder of an index: it has neither a manifest nor segments; a member keeps its index in DATA/members/NODE/GROUP/index")
	}
	return nil
}

func (v *folderVerifier) say(file, format string, args ...any) {
	v.report(Finding{Text: file + ": " + fmt.Sprintf(format, args...)})
}

// names checks that the manifest names each file once, and notes what else is there.
func (v *folderVerifier) names() error {
	var named []uint64
	for _, f := range v.manifest.files {
		if slices.Contains(named, f.number) {
			v.say(manifestName, "names %s twice", segmentName(f.number))
		}
		named = append(named, f.number)
	}
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if n, ok := numberOf(e.Name()); ok && !slices.Contains(named, n) || strings.HasSuffix(e.Name(), tempSuffix) {
			v.report(Finding{Text: e.Name() + ": left over by a crash, no part of the index: the next start removes it", Note: true})
		}
	}
	return nil
}

// file checks one file that the manifest names, and keeps it open if it is sound.
func (v *folderVerifier) file(want *manifestFile) error {
	name := segmentName(want.number)
	path := filepath.Join(v.dir, name)
	sound := true
	fail := func(format string, args ...any) {
		sound = false
		v.say(name, format, args...)
	}
	err := readInPlace(path, func(b []byte) error {
		if int64(len(b)) != want.length {
			fail("has %d bytes, the manifest says %d", len(b), want.length)
		}
		return verifySegment(v.ctx, b, func(finding string) { fail("%s", finding) })
	})
	if errors.Is(err, fs.ErrNotExist) {
		fail("the manifest names it, it is not there")
		return nil
	}
	if err != nil || !sound {
		return err
	}
	mapping, err := vfs.MapFile(path)
	if err != nil {
		return err
	}
	seg, err := segment.Open(mapping.Bytes())
	if err != nil {
		_ = mapping.Close() // the error is told
		fail("%v", err)
		return nil
	}
	p := verifiedPart{want.collection, name, mapping, seg, docset.Full(seg.Docs())}
	v.parts = append(v.parts, p)
	v.part(&p, want)
	return nil
}

// part checks a sound segment against what the manifest says of it, and takes the deleted documents out of its living ones.
func (v *folderVerifier) part(p *verifiedPart, want *manifestFile) {
	c := v.manifest.state.collections[want.collection]
	if got := p.segment.Identity(); got != want.identity {
		v.say(p.name, "has identity %08x, the manifest says %08x", got, want.identity)
	}
	if got := p.segment.Collection(); got != uint64(c.incarnation) {
		v.say(p.name, "is of incarnation %d, the manifest says %d", got, c.incarnation)
	}
	if want.deleted != nil {
		for it := want.deleted.Iterator(); it.HasNext(); {
			if doc := it.Next(); int(doc) < p.segment.Docs() {
				p.live.Remove(doc)
			} else {
				v.say(p.name, "the manifest has document %d of %d as deleted", doc, p.segment.Docs())
			}
		}
	}
}

// collection checks that no document lives twice, and that the living ones of each slot are those that the manifest counts.
func (v *folderVerifier) collection(i int) error {
	c := v.manifest.state.collections[i]
	counted, documents := map[uint16]uint32{}, map[uint16]Digest{}
	missing := 0
	for _, f := range v.manifest.files {
		if f.collection == i {
			missing++
		}
	}
	for n := range v.parts {
		p := &v.parts[n]
		if p.collection != i {
			continue
		}
		missing--
		for doc := range uint32(p.segment.Docs()) {
			if !p.live.Has(doc) {
				continue
			}
			id, st := p.segment.ID(doc), p.segment.State(doc)
			v.elsewhere(n, string(id))
			counted[st.Slot]++
			d := documents[st.Slot]
			d.add(documentDigest(id, st.Version, st.Content))
			documents[st.Slot] = d
		}
		if err := v.ctx.Err(); err != nil {
			return err
		}
	}
	if missing > 0 {
		return nil // those files have findings of their own
	}
	c.slots.each(func(slot uint16, d Digest, docs uint32) {
		if counted[slot] != docs || documents[slot] != d {
			v.say(manifestName, "collection %s, slot %d: %d documents live in the segments, their digest is %s; the manifest says %d and %s",
				c.name, slot, counted[slot], documents[slot], docs, d)
		}
		delete(counted, slot)
	})
	for _, slot := range slices.Sorted(maps.Keys(counted)) {
		v.say(manifestName, "collection %s, slot %d: %d documents live in the segments, the manifest says none", c.name, slot, counted[slot])
	}
	return nil
}

// elsewhere reports a living document that also lives in a segment before its own.
func (v *folderVerifier) elsewhere(n int, id string) {
	hash := segment.HashID(id)
	for i := range n {
		p := &v.parts[i]
		if p.collection != v.parts[n].collection {
			continue
		}
		if doc, ok := p.segment.Find(id, hash); ok && p.live.Has(doc) {
			v.say(v.parts[n].name, "id %q also lives in %s", id, p.name)
		}
	}
}
