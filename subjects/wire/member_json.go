package wire

import (
	"encoding/json"
	"strconv"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// The JSON forms of requests to a member and of its replies, for people: nats req jetseek.group.g0.any.search '{"collection":"default","query":"gc","limit":3}'.
// The member looks the collection up itself. Replies are read by no program of ours.

// MemberSearchBody is the JSON form of a [SearchRequest]: "collection" and the keys of a search, of which the member heeds query, filters, sort, limit
// and what parses them.
type MemberSearchBody struct {
	Collection string
	Search     *SearchBody
}

// MemberDocsBody is the JSON form of a [GetRequest], {"collection","id"}, and of a [DocsRequest], {"collection","ids"}.
type MemberDocsBody struct {
	Collection string
	IDs        []string
}

// MemberStatsBody is the JSON form of a [StatsRequest]: {"collection","fields":["body"],"terms":[{"field":"body","term":"gc"}]}.
type MemberStatsBody struct {
	Collection string
	Fields     []string
	Terms      []bm25.FieldTerm
}

// DecodeMemberSearch reads the form strictly, like [DecodeSearch].
func DecodeMemberSearch(raw []byte) (*MemberSearchBody, error) {
	d := searchDecoder{body: defaultSearch()}
	collection, err := decodeMember(raw, searchDepth, d.set)
	if err != nil {
		return nil, err
	}
	s, err := d.finish()
	return &MemberSearchBody{collection, s}, err
}

// DecodeMemberDocs reads the form strictly; errors are bad_request.
func DecodeMemberDocs(raw []byte) (*MemberDocsBody, error) {
	b := new(MemberDocsBody)
	var err error
	b.Collection, err = decodeMember(raw, bodyDepth, func(key string, r *strictjson.Reader) error {
		switch key {
		case "id":
			id, err := readText(key, r)
			b.IDs = append(b.IDs, id)
			return err
		case "ids":
			ids, err := readTexts(key, r)
			b.IDs = append(b.IDs, ids...)
			return err
		}
		return fault.New(fault.BadRequest, "unknown key %s in a request for documents", fault.Quote(key))
	})
	return b, err
}

// DecodeMemberStats reads the form strictly; errors are bad_request.
func DecodeMemberStats(raw []byte) (*MemberStatsBody, error) {
	b := new(MemberStatsBody)
	var err error
	b.Collection, err = decodeMember(raw, bodyDepth, func(key string, r *strictjson.Reader) (err error) {
		switch key {
		case "fields":
			b.Fields, err = readTexts(key, r)
		case "terms":
			b.Terms, err = readList(key, `a list of {"field","term"}`, r, readTerm)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s in a request for statistics", fault.Quote(key))
		}
		return err
	})
	return b, err
}

func readTerm(key string, r *strictjson.Reader) (t bm25.FieldTerm, err error) {
	err = eachKey(key, `a list of {"field","term"}`, r, func(name string, r *strictjson.Reader) (err error) {
		switch name {
		case "field":
			t.Field, err = readText(key+"."+name, r)
		case "term":
			t.Term, err = readText(key+"."+name, r)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s in a term", fault.Quote(name))
		}
		return err
	})
	return t, err
}

// decodeMember reads a body that names a collection beside the fields of its kind.
func decodeMember(raw []byte, depth int, field func(key string, r *strictjson.Reader) error) (collection string, err error) {
	err = decodeObject(raw, depth, func(key string, r *strictjson.Reader) (err error) {
		if key != "collection" {
			return field(key, r)
		}
		collection, err = readText(key, r)
		return err
	})
	if err == nil && collection == "" {
		err = fault.New(fault.BadRequest, "the body names no collection")
	}
	return collection, err
}

// frameJSON is what a person wants to know of a frame.
type frameJSON struct {
	Seq         uint64 `json:"seq"`
	Epoch       uint64 `json:"epoch"`
	Incarnation string `json:"incarnation"`
}

func (f *Frame) json() frameJSON {
	return frameJSON{f.Seq, f.Epoch, strconv.FormatUint(f.Incarnation, 16)}
}

type candidateJSON struct {
	ID    string  `json:"id"`
	Score float64 `json:"score"`
	Keys  []any   `json:"keys,omitempty"`
}

type docJSON struct {
	ID      string          `json:"id"`
	Found   bool            `json:"found"`
	Version uint64          `json:"version,omitempty"`
	Source  json.RawMessage `json:"source,omitempty"`
}

func (d *Doc) json() docJSON { return docJSON{d.ID, d.Found, d.Version, d.Source} }

// MarshalJSON gives the reply for people, or the body of its error.
func (p *SearchReply) MarshalJSON() ([]byte, error) {
	if p.Err != nil {
		return p.Err.MarshalJSON()
	}
	hits := make([]candidateJSON, len(p.Candidates))
	for i := range p.Candidates {
		c := &p.Candidates[i]
		hits[i] = candidateJSON{ID: c.ID, Score: bm25.Shown(c.Score)}
		for _, k := range c.Keys {
			hits[i].Keys = append(hits[i].Keys, keyValue(k))
		}
	}
	return json.Marshal(struct {
		frameJSON
		Total uint64          `json:"total"`
		Hits  []candidateJSON `json:"hits"`
	}{p.json(), p.Total, hits})
}

// MarshalJSON gives the reply for people, or the body of its error.
func (p *StatsReply) MarshalJSON() ([]byte, error) {
	if p.Err != nil {
		return p.Err.MarshalJSON()
	}
	type fieldJSON struct {
		Docs     uint64 `json:"docs"`
		TotalLen uint64 `json:"total_length"`
	}
	fields := make([]fieldJSON, len(p.Stats.Fields))
	for i, f := range p.Stats.Fields {
		fields[i] = fieldJSON(f)
	}
	return json.Marshal(struct {
		frameJSON
		Fields []fieldJSON `json:"fields"`
		DF     []uint64    `json:"df"`
	}{p.json(), fields, append([]uint64{}, p.Stats.DF...)})
}

// MarshalJSON gives the reply for people, or the body of its error.
func (p *DocsReply) MarshalJSON() ([]byte, error) {
	if p.Err != nil {
		return p.Err.MarshalJSON()
	}
	docs := make([]docJSON, len(p.Docs))
	for i := range p.Docs {
		docs[i] = p.Docs[i].json()
	}
	return json.Marshal(struct {
		frameJSON
		Docs []docJSON `json:"docs"`
	}{p.json(), docs})
}

// MarshalJSON gives the reply for people, or the body of its error.
func (p *GetReply) MarshalJSON() ([]byte, error) {
	if p.Err != nil {
		return p.Err.MarshalJSON()
	}
	return json.Marshal(struct {
		frameJSON
		docJSON
	}{p.Frame.json(), p.Doc.json()})
}

// MarshalJSON gives the reply for people, or the body of its error.
func (p *PingReply) MarshalJSON() ([]byte, error) {
	if p.Err != nil {
		return p.Err.MarshalJSON()
	}
	return json.Marshal(struct {
		frameJSON
		State      string `json:"state"`
		Applied    uint64 `json:"applied"`
		ContentSeq uint64 `json:"content_seq"`
		Documents  uint64 `json:"documents"`
		Digest     Digest `json:"digest"`
	}{p.json(), p.State, p.Applied, p.ContentSeq, p.Documents, p.Digest})
}

// keyValue gives a sort key's value as JSON has it; dates are nanoseconds.
func keyValue(k query.Key) any {
	switch k.Kind {
	case query.KeyInt:
		return k.Int
	case query.KeyFloat:
		return k.Float
	case query.KeyString:
		return k.Str
	}
	return nil
}
