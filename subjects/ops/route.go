package ops

import "github.com/jetseek/jetseek/subjects/wire"

// Route is one way over HTTP to an operation.
type Route struct {
	Method string
	Path   string // {collection} stands for a name
	About  string // "": as the operation
	Params []Param
	Body   BodyUse
	Status []int // of successes
	Own    bool  // the bridge makes its own answer of the operation's reply
}

// BodyUse says what becomes of the body of an HTTP request.
type BodyUse uint8

// What becomes of a body.
const (
	NoBody       BodyUse = iota // refused; the fields that parameters give are the body of the call
	SearchBody                  // passed on as it is
	RequestBody                 // passed on as it is: the operation's Request
	DocumentBody                // passed on as it is
	LinesBody                   // NDJSON, passed on as it is
	SchemaBody                  // becomes the field "schema"; nothing counts as {}
)

// MaxBytes is the size of the largest body that is read at all.
func (b BodyUse) MaxBytes() int64 {
	switch b {
	case SearchBody, RequestBody, SchemaBody:
		return 1 << 20
	case DocumentBody:
		return wire.MaxDocumentBytes
	case LinesBody:
		return wire.MaxBulkBytes
	}
	return 0
}

// GoesInParts tells whether a body that is larger than a NATS message goes all the same: split, or through the object store.
func (b BodyUse) GoesInParts() bool { return b == DocumentBody || b == LinesBody }

// MediaType names the body's form; "" without a body.
func (b BodyUse) MediaType() string {
	switch b {
	case NoBody:
		return ""
	case LinesBody:
		return "application/x-ndjson"
	}
	return "application/json"
}

// Param is one parameter: how its text is read, and where it goes.
type Param struct {
	Name     string // in the query string or the path
	Kind     Kind
	To       Place
	Key      string // of the header or field
	InPath   bool
	Required bool
	Least    int64    // of Whole
	Choices  []string // of Text; nil: any
	About    string
}

// Kind is how a parameter's text becomes a value.
type Kind uint8

// Kinds of parameters.
const (
	Text        Kind = iota // as it is
	Token                   // text that a header can carry byte for byte: printable, without blanks at its ends, up to 256 bytes
	Whole                   // an int64
	Number                  // a JSON number
	Flag                    // true or false
	WholeOrFlag             // either
	List                    // comma-separated texts; empty: none
	Repeated                // a list whose items are given one by one
	Sequences               // g0:17,g1:3
	Object                  // a field's name, as {"field":NAME}
	Nearest                 // FIELD:v1,v2,… as {"field":…,"vector":[…]}
	JSON                    // JSON as it is
)

// Place is where a parameter goes in the NATS request.
type Place uint8

// Places of parameters.
const (
	Field      Place = iota // a member of the JSON body
	Header                  // a header
	IDHeader                // the header for ids, which can hold any
	Collection              // the subject
)

// DefaultCollection is the one that a request over HTTP means which names none.
const DefaultCollection = "default"
