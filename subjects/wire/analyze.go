package wire

import (
	"encoding/json"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// MaxAnalyzedBytes is the length of the longest text that is shown analysed, in bytes.
const MaxAnalyzedBytes = 16 << 10

// AnalyzeBody is the body of POST /analyze: a text, and one of what cuts it; "": the analyzer standard.
type AnalyzeBody struct {
	Text       string          `json:"text"`
	Field      string          `json:"field,omitempty"`      // of the collection: its analyzer
	Search     bool            `json:"search,omitempty"`     // as words of a query, not as a value of the field
	Analyzer   string          `json:"analyzer,omitempty"`   // by name
	Definition json.RawMessage `json:"definition,omitempty"` // as a schema defines one
}

// AnalyzedToken is one token of a text.
type AnalyzedToken struct {
	Token    string `json:"token"`
	Position int    `json:"position"`
	Start    int    `json:"start"` // bytes of the text that it came from
	End      int    `json:"end"`
}

// AnalyzeResponse answers POST /analyze.
type AnalyzeResponse struct {
	Tokens   []AnalyzedToken   `json:"tokens"`
	Readings [][]AnalyzedToken `json:"readings,omitempty"` // of a query, where the analyzer has synonyms: the phrases that the text stands for
}

// AnalyzedTokens gives tokens as the reply has them, never nil.
func AnalyzedTokens(tokens []analysis.Token) []AnalyzedToken {
	shown := make([]AnalyzedToken, len(tokens))
	for i, t := range tokens {
		shown[i] = AnalyzedToken{t.Term, t.Position, t.Start, t.End}
	}
	return shown
}

// DecodeAnalyze reads the body strictly. It fails with bad_request, and with too_large past [MaxAnalyzedBytes].
func DecodeAnalyze(raw []byte) (*AnalyzeBody, error) {
	b, found := new(AnalyzeBody), false
	err := decodeObject(raw, searchDepth, func(key string, r *strictjson.Reader) (err error) {
		switch key {
		case "text":
			found = true
			b.Text, err = readText(key, r)
		case "field":
			b.Field, err = readText(key, r)
		case "search":
			b.Search, err = readBool(key, r)
		case "analyzer":
			b.Analyzer, err = readText(key, r)
		case "definition":
			b.Definition, err = readRaw(r)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s: an analysis takes text and one of field, analyzer and definition, and search", fault.Quote(key))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	given := 0
	for _, is := range []bool{b.Field != "", b.Analyzer != "", b.Definition != nil} {
		if is {
			given++
		}
	}
	switch {
	case !found:
		return nil, fault.New(fault.BadRequest, `the body has no text: it is {"text":…,"analyzer":…}`)
	case given > 1:
		return nil, fault.New(fault.BadRequest, "an analysis takes one of field, analyzer and definition")
	case len(b.Text) > MaxAnalyzedBytes:
		return nil, fault.New(fault.TooLarge, "a text of %d bytes: at most %d are analysed for show", len(b.Text), MaxAnalyzedBytes)
	}
	return b, nil
}
