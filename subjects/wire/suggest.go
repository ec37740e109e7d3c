package wire

import (
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

const (
	// MaxSuggestions is how many terms a suggestion has at most: completions, or for each word of a text.
	MaxSuggestions = 1000
	// MaxSuggestBytes is the length of the longest prefix or text, in bytes.
	MaxSuggestBytes = 4 << 10
	// MaxCorrectedWords is how many different words of a text are looked up.
	MaxCorrectedWords = 32
	// DefaultCompletions and DefaultCorrections are the sizes of a body that names none.
	DefaultCompletions = 10
	DefaultCorrections = 5
)

// SuggestBody is the body of POST /suggest: a field, and either a prefix, whose terms are wanted, or a text, whose words are corrected.
type SuggestBody struct {
	Field     string            `json:"field"`
	Prefix    *string           `json:"prefix,omitempty"` // "" is one: the field's most frequent terms
	Text      *string           `json:"text,omitempty"`
	Size      int               `json:"size,omitempty"`       // terms at most, of a text for each word; 0: 10, of a text 5
	Always    bool              `json:"always,omitempty"`     // of a text: show what is near words that documents hold, too
	MaxEdits  int               `json:"max_edits,omitempty"`  // of a text: 1 or 2; 0: 1 for words up to 5 characters, else 2
	MinSeq    map[string]uint64 `json:"min_seq,omitempty"`    // answer from snapshots at or past these, by group
	TimeoutMs int64             `json:"timeout_ms,omitempty"` // the whole budget; 0: 1000
	Partial   string            `json:"partial,omitempty"`    // allow or fail; "": allow
}

// SuggestResponse answers POST /suggest: Completions for a prefix; Corrected and Words for a text.
type SuggestResponse struct {
	TookMs      float64         `json:"took_ms"`
	Completions []Completion    `json:"completions,omitzero"` // the most documents first, then by bytes
	Corrected   *string         `json:"corrected,omitempty"`  // the text, with the first suggestion in place of each word that no document holds
	Words       []CorrectedWord `json:"words,omitzero"`       // of the text, in order
	Exact       bool            `json:"exact"`                // as if one index held all documents
	ExactNote   string          `json:"exact_note"`
	Partial     bool            `json:"partial"` // a group is missing
	Shards      Shards          `json:"shards"`
	Coverage    Coverage        `json:"coverage"`
}

// Completion is a term that begins with the prefix.
type Completion struct {
	Term string `json:"term"`
	DF   uint64 `json:"df"` // live documents that hold it
}

// CorrectedWord is a word of a text and what it may have been meant to be: the nearest first, then the most documents, then by bytes.
type CorrectedWord struct {
	Word        string       `json:"word"`  // as the field's analyzer writes it
	Start       int          `json:"start"` // bytes of the text
	End         int          `json:"end"`
	DF          uint64       `json:"df"`          // live documents that hold it
	Suggestions []Correction `json:"suggestions"` // none for a word that documents hold, unless always is set
}

// Correction is a term near a word.
type Correction struct {
	Term  string `json:"term"`
	Edits int    `json:"edits"`
	DF    uint64 `json:"df"` // live documents that hold it
}

// DecodeSuggest reads the body strictly and puts the defaults in. It fails with bad_request; with too_large and limit_exceeded past [MaxSuggestBytes] and [MaxSuggestions].
func DecodeSuggest(raw []byte) (*SuggestBody, error) {
	b := &SuggestBody{TimeoutMs: DefaultTimeoutMs, Partial: "allow"}
	sized := false
	err := decodeObject(raw, searchDepth, func(key string, r *strictjson.Reader) (err error) {
		switch key {
		case "field":
			b.Field, err = readText(key, r)
		case "prefix":
			b.Prefix = new(string)
			*b.Prefix, err = readText(key, r)
		case "text":
			b.Text = new(string)
			*b.Text, err = readText(key, r)
		case "size":
			sized = true
			b.Size, err = readInt(key, r)
		case "always":
			b.Always, err = readBool(key, r)
		case "max_edits":
			b.MaxEdits, err = readInt(key, r)
			if err == nil && (b.MaxEdits < 1 || b.MaxEdits > query.MaxEdits) {
				err = fault.New(fault.BadRequest, "max_edits is 1 or %d", query.MaxEdits)
			}
		case "min_seq":
			b.MinSeq, err = readMinSeq(key, r)
		case "timeout_ms":
			b.TimeoutMs, err = readTimeout(key, r)
		case "partial":
			b.Partial, err = readWord(fault.BadRequest, key, r, "allow", "fail")
		default:
			err = fault.New(fault.BadRequest, "unknown key %s: a suggestion takes field, prefix or text, size, always, max_edits, min_seq, timeout_ms and partial", fault.Quote(key))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	if !sized {
		if b.Size = DefaultCompletions; b.Text != nil {
			b.Size = DefaultCorrections
		}
	}
	return b, b.check()
}

func (b *SuggestBody) check() error {
	typed := b.Prefix
	if typed == nil {
		typed = b.Text
	}
	switch {
	case b.Field == "":
		return fault.New(fault.BadRequest, `the body names no field: it is {"field":…,"prefix":…} or {"field":…,"text":…}`)
	case (b.Prefix == nil) == (b.Text == nil):
		return fault.New(fault.BadRequest, "a suggestion takes a prefix, to be completed, or a text, to be corrected: one of them")
	case b.Prefix != nil && (b.Always || b.MaxEdits > 0):
		return fault.New(fault.BadRequest, "always and max_edits are for a text, not for a prefix")
	case b.Size < 1:
		return fault.New(fault.BadRequest, "size %d is not above 0", b.Size)
	case b.Size > MaxSuggestions:
		return fault.New(fault.LimitExceeded, "size %d: at most %d terms are suggested", b.Size, MaxSuggestions)
	case len(*typed) > MaxSuggestBytes:
		return fault.New(fault.TooLarge, "a prefix or text of %d bytes: at most %d are taken", len(*typed), MaxSuggestBytes)
	}
	return nil
}

// Search gives what a search says in the same words: which snapshots are wanted, in what time, and whether a group may be missing.
func (b *SuggestBody) Search() *SearchBody {
	s := defaultSearch()
	s.MinSeq, s.TimeoutMs, s.Partial = b.MinSeq, b.TimeoutMs, b.Partial
	return s
}

// CompleteRequest asks a member for the terms that begin with a prefix.
type CompleteRequest struct {
	Head
	Question query.CompletionQuestion
}

// CompleteReply answers a [CompleteRequest].
type CompleteReply struct {
	Frame
	query.Completions
}

// AppendCompleteRequest appends the binary form to dst.
func AppendCompleteRequest(dst []byte, q *CompleteRequest) []byte {
	dst = appendHead(append(dst, binaryV1, kindCompleteRequest), &q.Head)
	dst = appendFlag(appendStr(dst, q.Question.Field), q.Question.Exact)
	return appendUvarint(appendStr(dst, q.Question.Prefix), uint64(q.Question.Most))
}

// DecodeCompleteRequest reads the binary form.
func DecodeCompleteRequest(b []byte) (*CompleteRequest, error) {
	r := open(b, kindCompleteRequest)
	q := &CompleteRequest{Head: readHead(r)}
	q.Question = query.CompletionQuestion{Field: r.str(MaxNameBytes), Exact: r.flag(), Prefix: r.str(query.MaxBytes), Most: int(r.uvarint32())}
	if q.Question.Most < 1 || q.Question.Most > query.MaxCompletions {
		r.fail("%d completions", q.Question.Most)
	}
	return finish(q, "complete request", r)
}

// AppendCompleteReply appends the binary form to dst.
func AppendCompleteReply(dst []byte, p *CompleteReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindCompleteReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	dst = appendUvarint(appendUvarint(dst, p.Rest), uint64(len(p.Terms)))
	for _, t := range p.Terms {
		dst = appendUvarint(appendStr(dst, t.Term), t.DF)
	}
	return dst
}

// DecodeCompleteReply reads the binary form; terms out of order are a fault.
func DecodeCompleteReply(b []byte) (*CompleteReply, error) {
	r := open(b, kindCompleteReply)
	p := &CompleteReply{Frame: readFrame(r)}
	if p.Err == nil {
		p.Rest = r.uvarint()
		for i := range r.count(2) {
			p.Terms = append(p.Terms, query.TermCount{Term: r.str(schema.MaxExactBytes), DF: r.uvarint()})
			if i > 0 && query.CompareCounts(p.Terms[i-1], p.Terms[i]) >= 0 {
				r.fail("term %d is out of order", i)
			}
			if r.err != nil {
				break
			}
		}
	}
	return finish(p, "complete reply", r)
}
