package wire

import (
	"encoding/json"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// ExplainBody is the body of POST /explain: the keys of a search that say what is asked, and the document.
type ExplainBody struct {
	Query           json.RawMessage `json:"query,omitempty"`            // a string in query syntax, or the JSON form; nil: everything
	DefaultOperator string          `json:"default_operator,omitempty"` // or, and; "": or
	Lenient         bool            `json:"lenient,omitempty"`
	MinScore        *float64        `json:"min_score,omitempty"` // of the search: a document below it does not match
	ID              string          `json:"id"`
}

// ExplainResponse answers POST /explain. The explanation's value is the score, which is 0 for a document that does not match.
type ExplainResponse struct {
	ID          string           `json:"id"`
	Matched     bool             `json:"matched"`
	Score       float64          `json:"score"`
	Explanation bm25.Explanation `json:"explanation"`
}

// DecodeExplain reads the body strictly; errors are those of [DecodeSearch] and [DecodeID].
func DecodeExplain(raw []byte) (*ExplainBody, error) {
	b, found := new(ExplainBody), false
	err := decodeObject(raw, searchDepth, func(key string, r *strictjson.Reader) (err error) {
		switch key {
		case "query":
			b.Query, err = readQuery(key, r)
		case "default_operator":
			b.DefaultOperator, err = readWord(fault.BadRequest, key, r, "or", "and")
		case "lenient":
			b.Lenient, err = readBool(key, r)
		case "min_score":
			b.MinScore = new(float64)
			*b.MinScore, err = readFloat(key, r)
		case "id":
			found = true
			b.ID, err = readID(r)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s: an explanation takes query, default_operator, lenient, min_score and id", fault.Quote(key))
		}
		return err
	})
	if err == nil && !found {
		err = fault.New(fault.BadRequest, "the body names no id: it is {\"query\":…,\"id\":…}")
	}
	return b, err
}

// Search gives the search whose scores are explained.
func (b *ExplainBody) Search() *SearchBody {
	s := defaultSearch()
	s.Query, s.Lenient, s.MinScore = b.Query, b.Lenient, b.MinScore
	if b.DefaultOperator != "" {
		s.DefaultOperator = b.DefaultOperator
	}
	return s
}

// ExplainRequest asks for the parts of one document's score under statistics that the coordinator gathered: Stats answers the question Fields and Terms.
type ExplainRequest struct {
	Head
	ID     string
	Query  query.Node // resolved
	Fields []string
	Terms  []bm25.FieldTerm
	Stats  bm25.Stats
}

// ExplainReply answers an [ExplainRequest].
type ExplainReply struct {
	Frame
	Found       bool // else the document is not there, or was deleted since the snapshot
	Matched     bool
	Explanation []byte // a [bm25.Explanation] as JSON; empty unless found
}

// AppendExplainRequest appends the binary form to dst.
func AppendExplainRequest(dst []byte, q *ExplainRequest) []byte {
	dst = appendHead(append(dst, binaryV1, kindExplainRequest), &q.Head)
	dst = query.AppendNode(appendStr(dst, q.ID), q.Query)
	return appendStats(appendQuestion(dst, q.Fields, q.Terms), &q.Stats)
}

// DecodeExplainRequest reads the binary form.
func DecodeExplainRequest(b []byte) (*ExplainRequest, error) {
	r := open(b, kindExplainRequest)
	q := &ExplainRequest{Head: readHead(r), ID: r.str(MaxIDBytes)}
	q.Query = readNode(r)
	q.Fields, q.Terms = readQuestion(r)
	q.Stats = readStats(r)
	return finish(q, "explain request", r)
}

// AppendExplainReply appends the binary form to dst.
func AppendExplainReply(dst []byte, p *ExplainReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindExplainReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	return appendStr(appendFlag(appendFlag(dst, p.Found), p.Matched), p.Explanation)
}

// DecodeExplainReply reads the binary form; the explanation aliases the message.
func DecodeExplainReply(b []byte) (*ExplainReply, error) {
	r := open(b, kindExplainReply)
	p := &ExplainReply{Frame: readFrame(r)}
	if p.Err == nil {
		p.Found, p.Matched = r.flag(), r.flag()
		p.Explanation = r.bytes(len(r.b))
	}
	return finish(p, "explain reply", r)
}
