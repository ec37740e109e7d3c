package showcase

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/godocs"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
)

const (
	// Collection holds the documents.
	Collection = "default"

	// markCollection and markID hold the mark that is written last: while it is missing, an index is not complete.
	markCollection = "jetseek-demo"
	markID         = "godocs"

	// A batch ends at either limit; a message of NATS takes 1 MiB.
	batchDocs  = 500
	batchBytes = 700 << 10

	// batchTimeout is the budget of one batch, which waits until all members have applied it.
	batchTimeout = time.Minute
)

// schema is the collection's: words are looked for in names and comments, the rest is exact. A name counts twice, since who types "ReadAll" means it.
const schema = `{"fields":{
	"name":{"type":"text","boost":2},
	"doc":{"type":"text"},
	"signature":{"type":"text"},
	"symbol":{"type":"keyword"},
	"kind":{"type":"keyword"},
	"package":{"type":"keyword"},
	"words":{"type":"long"},
	"since":{"type":"long"}},
	"default_fields":["name","doc"]}`

// markSchema is the mark's: it is read by id only.
const markSchema = `{"dynamic":false}`

// Document is one document as it is stored.
type Document struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Symbol    string `json:"symbol"`
	Kind      string `json:"kind"`
	Package   string `json:"package"`
	Signature string `json:"signature"`
	Doc       string `json:"doc,omitempty"`
	Words     int    `json:"words"`
	Since     *int   `json:"since,omitempty"` // N of Go 1.N
}

// Mark says what a complete index holds.
type Mark struct {
	Go        string `json:"go"`     // version of the tree that was read, as in go1.26.8
	Target    string `json:"target"` // as in linux/amd64
	Documents int    `json:"documents"`
}

// ThisMachine is the mark of an index that is made here and now.
func ThisMachine(documents int) Mark {
	return Mark{Go: runtime.Version(), Target: runtime.GOOS + "/" + runtime.GOARCH, Documents: documents}
}

// Indexed gives the mark of the complete index that is there already, or nil.
func Indexed(ctx context.Context, c *client.Client) (*Mark, error) {
	doc, err := c.Get(ctx, markCollection, markID)
	if isMissing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("look for an index: %w", err)
	}
	var mark Mark
	if err := json.Unmarshal(doc.Source, &mark); err != nil {
		return nil, fmt.Errorf("read the mark of the index: %w", err)
	}
	if _, err := c.Collection(ctx, Collection); err != nil {
		if isMissing(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("look for an index: %w", err)
	}
	return &mark, nil
}

// Drop removes the index, mark first, so that a break leaves none that looks complete.
func Drop(ctx context.Context, c *client.Client) error {
	for _, name := range []string{markCollection, Collection} {
		if _, err := c.DropCollection(ctx, name); err != nil && !isMissing(err) {
			return fmt.Errorf("drop collection %s: %w", name, err)
		}
	}
	return nil
}

// Index writes all documents, then the mark. It returns when every search sees them. Documents that are there already are written again, so it
// completes what a break has left. done is told how many are in, after each batch.
func Index(ctx context.Context, c *client.Client, docs []godocs.Document, done func(documents int)) error {
	if _, err := c.CreateCollection(ctx, Collection, json.RawMessage(schema)); err != nil {
		return fmt.Errorf("create collection %s: %w", Collection, err)
	}
	for from := 0; from < len(docs); {
		lines, n, err := batch(docs[from:])
		if err != nil {
			return err
		}
		if err := send(ctx, c, lines); err != nil {
			return fmt.Errorf("write documents %d to %d: %w", from+1, from+n, err)
		}
		from += n
		done(from)
	}
	return writeMark(ctx, c, ThisMachine(len(docs)))
}

func writeMark(ctx context.Context, c *client.Client, m Mark) error {
	mark, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := c.CreateCollection(ctx, markCollection, json.RawMessage(markSchema)); err != nil {
		return fmt.Errorf("create collection %s: %w", markCollection, err)
	}
	if _, err := c.Index(ctx, markCollection, mark, client.WriteOptions{ID: markID}); err != nil {
		return fmt.Errorf("mark the index as complete: %w", err)
	}
	return nil
}

// batch renders as many documents as one request takes, at least one.
func batch(docs []godocs.Document) (lines []byte, n int, err error) {
	for ; n < len(docs) && n < batchDocs; n++ {
		line, err := json.Marshal(stored(&docs[n]))
		if err != nil {
			return nil, 0, fmt.Errorf("render document %s: %w", docs[n].ID, err)
		}
		if n > 0 && len(lines)+len(line)+1 > batchBytes {
			break
		}
		lines = append(append(lines, line...), '\n')
	}
	return lines, n, nil
}

func stored(d *godocs.Document) Document {
	out := Document{ID: d.ID, Name: d.Name, Symbol: d.Symbol, Kind: d.Kind, Package: d.Package, Signature: d.Signature, Doc: d.Doc, Words: d.Words}
	if d.Since >= 0 {
		out.Since = &d.Since
	}
	return out
}

func send(ctx context.Context, c *client.Client, lines []byte) error {
	reply, err := c.Bulk(ctx, Collection, lines, client.WriteOptions{Timeout: batchTimeout})
	switch {
	case err != nil:
		return err
	case reply.Failed > 0 && len(reply.Errors) > 0:
		e := reply.Errors[0]
		return fmt.Errorf("%d were refused; the first, %s: %s: %s", reply.Failed, e.ID, e.Code, e.Message)
	case !reply.Visible:
		return fmt.Errorf("they are stored, but not all members have applied them within %s", batchTimeout)
	}
	return nil
}

// isMissing tells of what is simply not there.
func isMissing(err error) bool {
	code := fault.CodeOf(err)
	return code == fault.NotFound || code == fault.NoCollection
}
