package engine

import (
	"github.com/jetseek/jetseek/engine/schema"
)

// OpKind is what an operation does to an index. Kinds of the log that do not change documents, schemas or ownership never reach the engine.
type OpKind uint8

// The operations an index applies.
const (
	OpPut OpKind = iota + 1
	OpDelete
	OpSchema
	OpDropCollection
	OpOwn
)

// Op is one operation of the log as the engine sees it.
type Op struct {
	Kind       OpKind
	Collection schema.Incarnation
	ID         string
	Slot       uint16
	IfVersion  int64          // -1: no condition; 0: only if absent
	Key        string         // put, delete: names the request, so that a repeat is done once; "": none
	Body       []byte         // put: the source, digit for digit
	Version    uint64         // schema: its version; the highest wins
	Name       string         // schema: the collection's name
	Schema     *schema.Schema // schema
	Epoch      uint64         // own
	Slots      *SlotSet       // own: the slots this group owns from here on; nil: none
	Place      uint32         // in its record: with the message's sequence it names the operation in the quarantine
	Aside      string         // put, delete: not "": it is set aside, for this reason, and not looked at
	Again      *Place         // put, delete: not nil: it is the one that was set aside at this place, tried again
}

// Message is one message of a log. Ops may be empty: the sequence moves all the same.
type Message struct {
	Log [16]byte // the log's uuid, for births
	Seq uint64
	Ops []Op
	// Attachment is what the caller wants to find again with the index as it is after the message ([Snapshot.Attachment]); nil: it stays as it was. The index keeps
	// it.
	Attachment []byte
}

// Birth names the operation that created a document.
type Birth struct {
	Log   [16]byte
	Seq   uint64
	Index uint32
}

// Doc is a document as a member holds it. Its bytes are the caller's.
type Doc struct {
	ID      string
	Version uint64 // counts its writes since it was created: 1, 2, 3
	Birth   Birth
	Slot    uint16
	Source  []byte
}
