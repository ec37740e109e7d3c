package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/feed"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

func indexCommand() *cli.Command {
	flags := clientFlags(collectionFlag(),
		&cli.BoolFlag{Name: "fresh", Usage: "begin at the first line, whatever an earlier run came to"},
		&cli.IntFlag{Name: "from-line", Usage: "begin at `LINE` of the first file, whatever an earlier run came to"},
		&cli.StringFlag{Name: "state-dir", EnvVars: []string{variable("state-dir")}, Usage: "remember in `FOLDER` how far files are done (default: $XDG_STATE_HOME/jetseek/index, or ~/.local/state/jetseek/index)"})
	command := clientCommand("index", "write the documents of files, - for standard input", arguments{"FILE…", 1, many}, flags, index)
	command.Description = `A file holds one JSON document a line, a JSON array of documents, or whole documents one after the other.
A line {"_delete":"ID"} deletes.

When it breaks, the same command goes on behind the last batch whose outcome is known, for as long as the file before that place is the same, byte for
byte; it reads that part again, and sends none of it. A batch that was under way is sent again, under the same request id: what of it was written is not
written twice. Of standard input and pipes nothing is remembered: a broken run prints the --from-line to go on with. If documents were deleted, or the collection was made anew and is not empty, since the break, use --fresh.

The id of a document is its "id"; to index a file again, after it was done, only writes such documents over. A document without an id gets a new
one then; while a run is gone on with it keeps the one it got.`
	return command
}

// batchBudget is what a batch may take when --timeout does not say; it waits until all members have applied it.
const batchBudget = time.Minute

// tally is what became of the documents of all files.
type tally struct {
	Indexed  int      `json:"indexed"`
	Deleted  int      `json:"deleted"`
	NotFound int      `json:"not_found"`
	Failed   int      `json:"failed"`
	Behind   []string `json:"behind"` // members that had not applied the last batch
}

func index(c *cli.Context, link remote.Link) error {
	if c.Int("from-line") < 0 {
		return usageError{fmt.Errorf("--from-line %d: lines count from 1", c.Int("from-line"))}
	}
	began := time.Now()
	total := tally{Behind: []string{}}
	for i, name := range c.Args().Slice() {
		from := 0
		if i == 0 {
			from = c.Int("from-line")
		}
		if err := indexFile(c, link, name, from, &total); err != nil {
			return err
		}
	}
	if err := total.print(c, time.Since(began)); err != nil {
		return err
	}
	if total.Failed > 0 {
		return fmt.Errorf("%s refused, for the reasons above; what is mended can be indexed again", documents(total.Failed))
	}
	return nil
}

func (t *tally) print(c *cli.Context, took time.Duration) error {
	if c.Bool("json") {
		return printValue(c.App.Writer, t)
	}
	text := fmt.Sprintf("%d indexed", t.Indexed)
	if t.Deleted+t.NotFound > 0 {
		text += fmt.Sprintf(", %d deleted, %d to delete were not there", t.Deleted, t.NotFound)
	}
	text += fmt.Sprintf(" in %s", short(took))
	if len(t.Behind) > 0 {
		text += fmt.Sprintf("; %v are away and will follow", t.Behind)
	}
	_, err := fmt.Fprintln(c.App.Writer, text)
	return err
}

// indexFile writes the documents of one file from a line on, batch after batch: one at a time, since the same id may come again.
func indexFile(c *cli.Context, link remote.Link, name string, from int, total *tally) error {
	s, err := openSource(c, link, name, from)
	if err != nil {
		return err
	}
	defer s.file.Close()
	bar := newProgress(c.App.ErrWriter, s.size)
	defer bar.end()
	batches := feed.NewBatcher(s.docs)
	for {
		batch, err := batches.Next()
		if feed.IsEnd(err) {
			s.done(c)
			return nil
		}
		if err != nil {
			return fmt.Errorf("read %s: %w; the documents before it are written", name, err)
		}
		var reply *wire.BulkReply
		id := s.requestID(batch)
		if wanted := after(batch, from); len(wanted.Documents) > 0 {
			s.greet(c, wanted)
			left := len(batch.Documents) - len(wanted.Documents) // as blank lines, so that the others keep their numbers, and with them their request keys
			if reply, err = indexBatch(c, link, append(bytes.Repeat([]byte("\n"), left), wanted.Lines()...), id); err != nil {
				return s.broken(wanted, err)
			}
			total.take(c, name, batch, reply, bar)
		}
		s.reached(c, batch, reply)
		bar.at(batch.Documents[len(batch.Documents)-1].End)
	}
}

// after leaves out the documents of a batch before a line.
func after(batch *feed.Batch, line int) *feed.Batch {
	docs := batch.Documents
	for len(docs) > 0 && docs[0].Line < line {
		docs = docs[1:]
	}
	return &feed.Batch{Documents: docs, Bytes: batch.Bytes}
}

const (
	// mostTries and tryPause are of a batch of which not all is known to be written, or refused for good; the pause doubles.
	mostTries = 7
	tryPause  = 200 * time.Millisecond
	// mostFaults is how many refused documents are named.
	mostFaults = 20
)

// indexBatch writes the lines of a batch. What fails for a reason that passes is tried again, under the same request id: nothing of it is done twice.
func indexBatch(c *cli.Context, link remote.Link, lines []byte, requestID string) (*wire.BulkReply, error) {
	call := remote.Call{Op: ops.Bulk, Collection: c.String("collection"), Body: lines,
		Params: map[string]string{"timeout_ms": fmt.Sprint(batchBudget.Milliseconds()), "request_id": requestID}, Budget: batchBudget + time.Second}
	pause, began := tryPause, time.Now()
	for try := 1; ; try++ {
		answer, err := ask(c, link, call)
		var reply *wire.BulkReply
		if err == nil {
			reply, err = remote.Decode[wire.BulkReply](answer)
		}
		var e *wire.Error
		again := errors.As(err, &e) && passes(e.Code) || err == nil && isOpen(reply)
		if err != nil && c.Context.Err() != nil {
			return nil, fmt.Errorf("interrupted")
		}
		if !again || try == mostTries || time.Since(began) > batchBudget {
			return reply, err
		}
		if err := sleep(c.Context, pause); err != nil {
			return nil, fmt.Errorf("interrupted")
		}
		pause *= 2
	}
}

// take adds up a reply, and names refused documents by file and line.
func (t *tally) take(c *cli.Context, name string, batch *feed.Batch, reply *wire.BulkReply, bar *progress) {
	t.Indexed, t.Deleted, t.NotFound = t.Indexed+reply.Indexed, t.Deleted+reply.Deleted, t.NotFound+reply.NotFound
	t.Behind = reply.Behind
	for _, e := range reply.Errors {
		line := 0
		if e.Line >= 1 && e.Line <= len(batch.Documents) {
			line = batch.Documents[e.Line-1].Line
		}
		t.Failed++
		switch {
		case t.Failed <= mostFaults:
			bar.clear()
			say(c, "%s:%d: %s%s: %s", name, line, idWord(e.ID), e.Code, layout.Plain(e.Message))
		case t.Failed == mostFaults+1:
			bar.clear()
			say(c, "more are refused; they are counted, not named")
		}
	}
	t.Failed += reply.Failed - len(reply.Errors)
}

func idWord(id string) string {
	if id == "" {
		return ""
	}
	return fault.Quote(id) + ": "
}

// openFile opens a file and gives its size, 0 when it is not known.
func openFile(c *cli.Context, name string) (io.ReadCloser, int64, error) {
	if name == "-" {
		return io.NopCloser(c.App.Reader), 0, nil
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return f, 0, nil // a pipe: it is read all the same
	}
	return f, info.Size(), nil
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	return wait(ctx, t.C)
}
