package engine_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/vfs"
)

// reference is what an index in memory makes of a history: outcomes and digest of each message.
type reference struct {
	messages []engine.Message
	outcomes [][]outcome.Outcome
	digests  map[uint64]engine.Digest // by sequence
	model    *model
}

func newReference(t *testing.T, messages []engine.Message) *reference {
	t.Helper()
	r := &reference{messages: messages, digests: map[uint64]engine.Digest{}, model: newModel()}
	x, err := engine.Open(engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r.digests[0] = digestOf(x)
	for i := range messages {
		messages[i].Attachment = fmt.Appendf(nil, "at %d", messages[i].Seq)
		out, err := x.Apply(messages[i : i+1])
		if err != nil {
			t.Fatal(err)
		}
		r.outcomes = append(r.outcomes, out[0])
		r.model.apply(messages[i])
		r.digests[messages[i].Seq] = digestOf(x)
	}
	return r
}

func digestOf(x *engine.Index) engine.Digest {
	s := x.Snapshot()
	defer s.Close()
	return s.Digest()
}

// check compares an index that was just opened with the reference at its sequence.
func (r *reference) check(t *testing.T, x *engine.Index) {
	t.Helper()
	s := x.Snapshot()
	defer s.Close()
	want := fmt.Sprintf("at %d", s.Seq())
	if s.Seq() == 0 {
		want = ""
	}
	if digest, ok := r.digests[s.Seq()]; !ok || s.Digest() != digest || string(s.Attachment()) != want {
		t.Fatalf("at %d: digest %s, want %s; attachment %q", s.Seq(), s.Digest(), digest, s.Attachment())
	}
}

// replay applies what an index has not, and compares outcomes, documents, statistics and answers.
func (r *reference) replay(t *testing.T, x *engine.Index, g generator) {
	t.Helper()
	r.check(t, x)
	s := x.Snapshot()
	from := slices.IndexFunc(r.messages, func(m engine.Message) bool { return m.Seq > s.Seq() })
	s.Close()
	if from >= 0 {
		out, err := x.Apply(r.messages[from:])
		if err != nil || !reflect.DeepEqual(out, r.outcomes[from:]) {
			t.Fatalf("replay from %d: %v\n got %v\nwant %v", from, err, out, r.outcomes[from:])
		}
	}
	r.check(t, x)
	under := &indexUnderTest{Index: x, name: "replayed"}
	under.check(t, r.model)
	for range 5 {
		q := g.request(r.model, schema.Incarnation(1+g.IntN(3)))
		under.search(t, q, r.model.search(q))
	}
}

func openIn(t *testing.T, folder vfs.Folder) *engine.Index {
	t.Helper()
	x, err := engine.Open(engine.Options{Folder: folder})
	if err != nil {
		t.Fatal(err)
	}
	return x
}

// live runs a history in a folder, with flushes and merges; trouble is what to do with an error of these.
func (r *reference) live(t *testing.T, x *engine.Index, seed uint64, trouble func(error)) {
	t.Helper()
	g := rand.New(rand.NewPCG(seed, 1))
	try := func(err error) {
		if err != nil {
			trouble(err)
		}
	}
	merge := func() {
		for did := true; did; {
			var err error
			did, err = x.Merge(context.Background())
			try(err)
		}
	}
	for i := 0; i < len(r.messages); {
		n := min(1+g.IntN(6), len(r.messages)-i)
		out, err := x.Apply(r.messages[i : i+n])
		if err != nil || !reflect.DeepEqual(out, r.outcomes[i:i+n]) {
			t.Fatalf("messages %d to %d: %v\n got %v\nwant %v", i, i+n, err, out, r.outcomes[i:i+n])
		}
		i += n
		switch g.IntN(3) {
		case 0:
			try(x.Flush(context.Background()))
		case 1:
			merge()
		}
	}
	merge()
	try(x.Flush(context.Background()))
}

// overflowing is an index whose merges put into temporary files what is longer than a few bytes.
func overflowing(folder vfs.Folder) engine.Options {
	return engine.Options{Folder: folder}.Overflowing(100)
}

// TestDurable: what was flushed is found again, with each crash at each moment, and the rest of the log makes the same of it; no file is left over, also none of the
// temporary ones of merges.
func TestDurable(t *testing.T) {
	for seed := range uint64(2) {
		g := generator{rand.New(rand.NewPCG(seed, 77))}
		r := newReference(t, g.history(70))
		folder, temporary := vfs.NewMemory(), 0
		type image struct {
			call  vfs.Call
			left  *vfs.Memory
			which string
		}
		var images []image
		folder.Fault = func(c vfs.Call) error {
			images = append(images, image{c, folder.Crash(), "crashed"}, image{c, folder.Copy(), "killed"})
			if c.Op == "open" {
				temporary++
			}
			return nil
		}
		x, err := engine.Open(overflowing(folder))
		if err != nil {
			t.Fatal(err)
		}
		r.live(t, x, seed, func(err error) { t.Fatal(err) })
		folder.Fault = nil
		x.Close()
		images = append(images, image{left: folder.Crash(), which: "at the end"})
		latest, played, moments := uint64(0), 0, engine.Sample{}
		for _, im := range images {
			if !moments.Takes(im.which + im.call.Op) {
				continue
			}
			played++
			x := openIn(t, im.left)
			s := x.Snapshot()
			if im.which == "crashed" && s.Seq() < latest {
				t.Fatalf("%s before %+v: the manifest went back from %d to %d", im.which, im.call, latest, s.Seq())
			} else if im.which == "crashed" {
				latest = s.Seq()
			}
			s.Close()
			r.check(t, x)
			if played%5 == 1 || im.which == "at the end" {
				r.replay(t, x, g)
			}
			if err := x.Flush(context.Background()); err != nil {
				t.Fatal(err)
			}
			info := 0
			s = x.Snapshot()
			for _, c := range s.Collections() {
				info += c.Segments
			}
			if s.Seq() > 0 {
				info++ // the manifest
			}
			s.Close()
			x.Close()
			if names, _ := im.left.List(); len(names) != info {
				t.Fatalf("%s before %+v: %d files expected, %v", im.which, im.call, info, names)
			}
		}
		if len(images) < 150 || temporary < 5 {
			t.Errorf("only %d moments, %d temporary files", len(images), temporary)
		}
	}
}

var errDisk = errors.New("the disk fails")

// TestEveryCallFails: whatever call fails, once or, every second one, for a while, the index answers as before, a later flush works, and the folder opens.
func TestEveryCallFails(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(5, 77))}
	r := newReference(t, g.history(24))
	folder := vfs.NewMemory()
	var calls []string
	folder.Fault = func(c vfs.Call) error {
		calls = append(calls, c.Op)
		return nil
	}
	x, err := engine.Open(overflowing(folder))
	if err != nil {
		t.Fatal(err)
	}
	r.live(t, x, 5, func(err error) { t.Fatal(err) })
	x.Close()
	faults, played := engine.Sample{}, 0
	defer func() { t.Logf("%d calls, %d faults", len(calls), played) }()
	for i, op := range calls {
		n := i + 1
		for _, length := range []int{1, 9}[:1+n%2] {
			if !faults.Takes(fmt.Sprint(op, length)) {
				continue
			}
			played++
			folder, failed := vfs.NewMemory(), 0
			folder.Fault = func(c vfs.Call) error {
				if c.N >= n && c.N < n+length {
					failed++
					return errDisk
				}
				return nil
			}
			x, err := engine.Open(overflowing(folder))
			if err != nil {
				if !errors.Is(err, errDisk) {
					t.Fatalf("call %d: open: %v", n, err)
				}
				continue
			}
			r.live(t, x, 5, func(err error) {
				if !errors.Is(err, errDisk) {
					t.Fatalf("call %d: %v", n, err)
				}
				r.check(t, x)
			})
			(&indexUnderTest{Index: x, name: fmt.Sprintf("call %d", n)}).check(t, r.model)
			left := openIn(t, folder.Crash())
			r.replay(t, left, g)
			left.Close()
			folder.Fault = nil
			if err := x.Flush(context.Background()); err != nil {
				t.Fatalf("call %d: later flush: %v", n, err)
			}
			x.Close()
			again := openIn(t, folder.Crash())
			if s := again.Snapshot(); s.Seq() != r.messages[len(r.messages)-1].Seq {
				t.Fatalf("call %d: flushed up to %d", n, s.Seq())
			} else {
				s.Close()
			}
			r.replay(t, again, g)
			again.Close()
		}
	}
}

// TestOpenFails: each call of Open fails once; nothing is lost by that.
func TestOpenFails(t *testing.T) {
	r, folder := flushedFolder(t)
	for n := 1; ; n++ {
		at, failed := folder.Crash(), false
		at.Fault = func(c vfs.Call) error {
			if failed = c.N == n; failed {
				return errDisk
			}
			return nil
		}
		x, err := engine.Open(engine.Options{Folder: at})
		if err == nil {
			x.Close()
			if n < 3 {
				t.Fatalf("call %d did not fail", n)
			}
			return
		}
		if !errors.Is(err, errDisk) {
			t.Fatalf("call %d: %v", n, err)
		}
		at.Fault = nil
		x = openIn(t, at)
		r.check(t, x)
		x.Close()
	}
}

// flushedFolder gives a small index in files.
func flushedFolder(t testing.TB) (*reference, *vfs.Memory) {
	g := generator{rand.New(rand.NewPCG(9, 77))}
	tt, ok := t.(*testing.T)
	if !ok {
		tt = &testing.T{}
	}
	r := newReference(tt, g.history(25))
	folder := vfs.NewMemory()
	x := openIn(tt, folder)
	r.live(tt, x, 9, func(err error) { tt.Fatal(err) })
	x.Close()
	return r, folder
}

// TestFlippedBytesOfFiles: a changed byte of any file is an error that says so.
func TestFlippedBytesOfFiles(t *testing.T) {
	_, folder := flushedFolder(t)
	names, _ := folder.List()
	flips := 0
	defer func() { t.Logf("%d bits", flips) }()
	for _, name := range names {
		for at := 0; at < folder.Size(name); at += 13 {
			flips++
			changed := folder.Crash()
			changed.Flip(name, at, 1<<(at%8))
			x, err := engine.Open(engine.Options{Folder: changed})
			if err == nil {
				x.Close()
			}
			if !errors.Is(err, engine.ErrUnreadable) {
				t.Fatalf("byte %d of %s: %v", at, name, err)
			}
		}
	}
}

// TestAbsentAndForeignFiles: files that are not there, or those of another, are errors that name them.
func TestAbsentAndForeignFiles(t *testing.T) {
	_, folder := flushedFolder(t)
	names, _ := folder.List()
	for _, name := range names {
		if !strings.HasSuffix(name, ".segment") {
			continue
		}
		gone := folder.Crash()
		if err := gone.Remove(name); err != nil {
			t.Fatal(err)
		}
		if _, err := engine.Open(engine.Options{Folder: gone}); !errors.Is(err, engine.ErrUnreadable) || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

// TestCutFile: a file that is cut while it is mapped makes errors of searches and panics with errors of reads, and does not end the process.
func TestCutFile(t *testing.T) {
	dir := t.TempDir()
	folder, err := vfs.Disk(dir)
	if err != nil {
		t.Fatal(err)
	}
	g := generator{rand.New(rand.NewPCG(11, 77))}
	r := newReference(t, g.history(60))
	x := openIn(t, folder)
	r.live(t, x, 11, func(err error) { t.Fatal(err) })
	s := x.Snapshot()
	defer x.Close()
	defer s.Close()
	files, _ := filepath.Glob(filepath.Join(dir, "*.segment"))
	for _, name := range files {
		if err := os.Truncate(name, 0); err != nil {
			t.Fatal(err)
		}
	}
	named := func(err error) bool {
		var coded *fault.Error
		return errors.Is(err, engine.ErrUnreadable) && errors.As(err, &coded) && coded.Code == fault.Unavailable && strings.Contains(err.Error(), ".segment")
	}
	_, err = s.Search(context.Background(), engine.SearchRequest{Collection: 1, Query: &query.TextTerm{Field: "title", Term: "a", Leaf: -1}, Sort: []query.SortKey{{By: query.ByID}}, Limit: 10})
	if !named(err) {
		t.Errorf("search: %v", err)
	}
	func() {
		defer func() {
			if err, ok := recover().(error); !ok || !named(err) {
				t.Errorf("get: %v", err)
			}
		}()
		for n := range 60 {
			s.Get(1, fmt.Sprintf("id%d", n))
		}
	}()
	if _, err := x.Apply([]engine.Message{{Seq: 1 << 40, Ops: []engine.Op{{Kind: engine.OpDelete, Collection: 1, ID: "id1", Slot: slotOf("id1"), IfVersion: -1}}}}); !named(err) {
		t.Errorf("apply: %v", err)
	}
}
