package schema

import (
	"strconv"
	"unicode/utf8"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// CheckID tells whether an id can name a document: 1 to [MaxIDBytes] bytes of valid UTF-8. It fails with bad_document.
func CheckID(id string) error {
	switch {
	case id == "":
		return fault.New(fault.BadDocument, "an id must not be empty")
	case len(id) > MaxIDBytes:
		return fault.New(fault.BadDocument, "an id holds at most %d bytes, not %d", MaxIDBytes, len(id))
	case !utf8.ValidString(id):
		return fault.New(fault.BadDocument, "an id must be valid UTF-8")
	}
	return nil
}

// readID takes the id that comes: a string, or an integer, which keeps its digits.
func readID(r *strictjson.Reader, key string) (id string, err error) {
	switch kind := r.Kind(); kind {
	case strictjson.String:
		id, err = r.String()
	case strictjson.Number:
		if id, err = r.Number(); err == nil && !IsWhole(id) {
			return "", fault.New(fault.BadDocument, "%q is a string or an integer, not the number %s", key, fault.Quote(id))
		}
	case strictjson.None:
		return "", r.Skip()
	default:
		return "", fault.New(fault.BadDocument, "%q is a string or an integer, not %s", key, kind)
	}
	if err != nil {
		return "", err
	}
	return id, CheckID(id)
}

// BulkLine is one line of a bulk.
type BulkLine struct {
	Delete    bool
	ID        string // "" when a document gives none
	IfVersion int64  // -1: no condition
	Body      []byte // the document as sent; nil when Delete
}

// Keys of a bulk's lines that are no fields.
const (
	deleteKey    = "_delete"     // of a line that deletes
	ifVersionKey = "_if_version" // its condition; it stays in the source
)

// ParseBulkLine reads a line of a bulk that is not blank: a document, or {"_delete":"ID"}; both may have the condition "_if_version". The document's fields are
// checked by [Decoder.DecodeLine]. It fails with bad_document, and with bad_request for a condition that is no version.
func ParseBulkLine(line []byte) (BulkLine, error) {
	parsed := BulkLine{IfVersion: -1, Body: line}
	r := strictjson.New(string(line), MaxDepth)
	if kind := r.Kind(); kind != strictjson.Object && kind != strictjson.None {
		return BulkLine{}, fault.New(fault.BadDocument, "a document is a JSON object, not %s", kind)
	}
	err := r.Enter()
	var keys, deleteKeys int
	for err == nil {
		var key string
		var ok bool
		if key, ok, err = r.Key(); !ok {
			break
		}
		keys++
		switch key {
		case idKey:
			parsed.ID, err = readID(r, key)
		case deleteKey:
			deleteKeys++
			parsed.Delete, parsed.Body = true, nil
			parsed.ID, err = readID(r, key)
		case ifVersionKey:
			deleteKeys++
			parsed.IfVersion, err = readVersion(r)
		default:
			err = r.Skip()
		}
	}
	if err == nil {
		err = r.End()
	}
	if err == nil && parsed.Delete && keys != deleteKeys {
		err = errDeleteAndMore()
	}
	if err != nil {
		return BulkLine{}, badDocument(err)
	}
	return parsed, nil
}

func errDeleteAndMore() error {
	return fault.New(fault.BadDocument, "a line with _delete holds nothing else but _if_version")
}

// readVersion takes the version of a condition.
func readVersion(r *strictjson.Reader) (int64, error) {
	if kind := r.Kind(); kind != strictjson.Number && kind != strictjson.None {
		return 0, fault.New(fault.BadRequest, "_if_version is a whole number from 0, not %s", kind)
	}
	token, err := r.Number()
	if err != nil {
		return 0, err
	}
	version, err := strconv.ParseInt(token, 10, 64)
	if err != nil || version < 0 {
		return 0, fault.New(fault.BadRequest, "_if_version is a whole number from 0, not %s", fault.Quote(token))
	}
	return version, nil
}
