package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/feed"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/resume"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// source is a file that is indexed, and how far it is done. Standard input and pipes cannot be read again: of them nothing is remembered.
type source struct {
	name    string
	from    int // first line that is wanted; 0: go on where an earlier run came to
	file    io.ReadCloser
	size    int64 // bytes; 0: not known
	docs    *feed.Reader
	state   *resume.State // nil: nothing is remembered
	trail   *resume.Trail
	seen    int    // documents from the beginning of the file to where it is indexed
	run     string // names the writing of the whole file, over all breaks
	resumed bool   // it begins behind a place that was remembered
	held    bool   // the outcome of a document is not known: the place remembered stays before it
}

// openSource opens a file, at the place where an earlier run was interrupted.
func openSource(c *cli.Context, link remote.Link, name string, from int) (*source, error) {
	file, size, err := openFile(c, name)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, from: from, file: file, size: size}
	if err := s.begin(c, link); err != nil {
		file.Close()
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return s, nil
}

func (s *source) begin(c *cli.Context, link remote.Link) error {
	s.run = rand.Text()
	f, ok := s.file.(*os.File)
	if !ok || s.size == 0 {
		return s.readTrail()
	}
	state, err := openState(c, s.name)
	if err != nil {
		say(c, "%v; this run cannot be gone on with by itself", err)
		return s.readTrail()
	}
	s.state = state
	if c.Bool("fresh") {
		if err := state.Remove(); err != nil {
			return err
		}
	}
	place, ok := state.Load()
	switch {
	case !ok:
		state.Run = s.run
	case s.from > 0:
	case place.Documents > 0 && isEmpty(c, link):
		say(c, "collection %s has no document: %s begins anew", c.String("collection"), s.name)
		state.Run = s.run // what was written before is not there: it is not a repeat
	default:
		if s.resumed, err = s.skip(place); err != nil || s.resumed {
			s.run = state.Run
			return err
		}
		say(c, "%s has changed before the place that an earlier run came to: it begins anew", s.name)
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	if err := s.readTrail(); err != nil {
		return err
	}
	if s.run = state.Run; s.from == 0 {
		s.keep(c) // before the first batch leaves: if that breaks, the next run means the same
	}
	return nil
}

func (s *source) readTrail() (err error) {
	s.seen, s.trail = 0, resume.NewTrail(s.file)
	s.docs, err = feed.New(s.trail)
	return err
}

// skip reads the documents before a place, and tells whether they are those that were indexed.
func (s *source) skip(place resume.Place) (bool, error) {
	if err := s.readTrail(); err != nil {
		return false, err
	}
	for s.seen < place.Documents {
		d, err := s.docs.Next()
		if err != nil || d.End > place.End {
			return false, nil // it is read again from the beginning, and the fault told then
		}
		s.seen++
		s.trail.Advance(d.End)
	}
	return s.trail.Place(s.seen) == place, nil
}

// openState names the state of a file for the collection and the cluster of the command line.
func openState(c *cli.Context, name string) (*resume.State, error) {
	path, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	folder := c.String("state-dir")
	if folder == "" {
		if folder, err = resume.Folder(os.Getenv); err != nil {
			return nil, err
		}
	}
	return resume.Open(folder, resume.Key{File: path, Collection: c.String("collection"), Target: targetOf(c)}), nil
}

// targetOf names the cluster as the flags do, for which of several NATS servers answers may change; it may hold a password.
func targetOf(c *cli.Context) string {
	if url := c.String("url"); url != "" {
		return url
	}
	if c.String("nats") == "" && c.String("context") == "" {
		return defaultURL
	}
	return fmt.Sprintf("%q", []string{c.String("nats"), c.String("context"), c.String("prefix")})
}

// isEmpty tells whether the collection is without any document: then what was indexed is not there any more, as after the cluster or the collection was made anew.
func isEmpty(c *cli.Context, link remote.Link) bool {
	answer, err := ask(c, link, remote.Call{Op: ops.CollectionsShow, Params: map[string]string{"collection": c.String("collection")}})
	var e *wire.Error
	if errors.As(err, &e) {
		return e.Code == fault.NoCollection
	}
	body, err := remote.Decode[wire.CollectionBody](answer)
	return err == nil && body.Documents == 0
}

// greet says where a file is gone on with, once its next batch is known.
func (s *source) greet(c *cli.Context, batch *feed.Batch) {
	if s.resumed {
		s.resumed = false
		say(c, "going on at line %d of %s (--fresh begins anew)", batch.Documents[0].Line, s.name)
	}
}

// requestID takes the trail behind a batch and names it: by the run, and by the file's bytes up to its end and where it begins, so that the batch is done once however
// often it is sent, and one of a file that was changed meanwhile is another.
func (s *source) requestID(batch *feed.Batch) string {
	s.trail.Advance(batch.Documents[len(batch.Documents)-1].End)
	place := s.trail.Place(s.seen)
	sum := sha256.Sum256(fmt.Appendf(nil, "%s %d %d %s", s.run, place.Documents, place.End, place.SHA256))
	return hex.EncodeToString(sum[:16])
}

// reached says that a batch was written, or left out.
func (s *source) reached(c *cli.Context, batch *feed.Batch, reply *wire.BulkReply) {
	s.seen += len(batch.Documents)
	if s.state == nil {
		return
	}
	if s.held = s.held || reply != nil && isOpen(reply); s.held {
		return
	}
	s.keep(c)
}

// keep remembers the place reached.
func (s *source) keep(c *cli.Context) {
	if err := s.state.Save(s.trail.Place(s.seen)); err != nil {
		say(c, "%v; this run cannot be gone on with by itself", err)
		_ = s.state.Remove() // else a run long after this one might go on from the place before
		s.state = nil
	}
}

// isOpen tells whether a reply leaves open what becomes of a document, or refuses it for a reason that passes.
func isOpen(reply *wire.BulkReply) bool {
	for _, e := range reply.Errors {
		if e.Durable == wire.DurableUnknown || passes(e.Code) {
			return true
		}
	}
	return false
}

// passes tells whether an error is one of this moment.
func passes(code fault.Code) bool {
	return code == fault.Unavailable || code == fault.Overloaded || code == fault.Deadline
}

// broken is the error of a run that ended at a batch: how to go on.
func (s *source) broken(batch *feed.Batch, cause error) error {
	first := batch.Documents[0].Line
	switch {
	case s.seen == 0:
		return fmt.Errorf("%s: %w", s.name, cause)
	case s.state == nil:
		return fmt.Errorf("%s, from line %d on: %w; all before is written: the same command with --from-line %d goes on", s.name, first, cause, first)
	case s.from > 0:
		return fmt.Errorf("%s, from line %d on: %w; the same command without --from-line goes on there", s.name, first, cause)
	}
	return fmt.Errorf("%s, from line %d on: %w; the same command goes on there", s.name, first, cause)
}

// done forgets the place, unless there is something to go on with.
func (s *source) done(c *cli.Context) {
	switch {
	case s.state == nil:
	case s.resumed:
		say(c, "an earlier run wrote all of %s", s.name)
		fallthrough
	case !s.held:
		if err := s.state.Remove(); err != nil {
			say(c, "%v", err)
		}
	default:
		say(c, "%s: it is not known of all documents whether they were written; the same command tries them again", s.name)
	}
}
