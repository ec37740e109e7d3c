package wire

import (
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
	"github.com/jetseek/jetseek/engine/snippet"
)

// snippetJSON is the key "snippet" of a search:
//
//	{"fields":["body"],"size":160,"number":3,"tags":["<em>","</em>"],"no_match":0}
//
// All but fields may be left out, and a list of fields alone stands for an object that has no more. [snippet.Options] says what they mean.
type snippetJSON struct {
	Fields  []string `json:"fields"`
	Size    int      `json:"size"`
	Number  int      `json:"number"`
	Tags    []string `json:"tags"`
	NoMatch int      `json:"no_match"`
}

func snippetOf(o *snippet.Options) *snippetJSON {
	if o == nil {
		return nil
	}
	return &snippetJSON{append([]string{}, o.Fields...), o.Size, o.Number, []string{o.Open, o.Close}, o.NoMatch}
}

// readSnippet takes a list of fields or an object, after defaults.
func readSnippet(key string, r *strictjson.Reader) (*snippet.Options, error) {
	o := snippet.NewOptions()
	var err error
	switch r.Kind() {
	case strictjson.Array:
		o.Fields, err = readTexts(key, r)
		return o, err
	case strictjson.Object, strictjson.None:
	default:
		return nil, wrongType(key, "a list of fields or an object")
	}
	err = eachKey(key, "an object", r, func(name string, r *strictjson.Reader) (err error) {
		path := key + "." + name
		switch name {
		case "fields":
			o.Fields, err = readTexts(path, r)
		case "size":
			o.Size, err = readInt(path, r)
		case "number":
			o.Number, err = readInt(path, r)
		case "tags":
			err = readTags(path, r, o)
		case "no_match":
			o.NoMatch, err = readInt(path, r)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s in a search", fault.Quote(path))
		}
		return err
	})
	if err == nil && o.Fields == nil {
		err = fault.New(fault.BadRequest, "%s names no fields", key)
	}
	return o, err
}

func readTags(key string, r *strictjson.Reader, o *snippet.Options) error {
	tags, err := readTexts(key, r)
	if err != nil {
		return err
	}
	if len(tags) != 2 {
		return wrongType(key, "a list of two strings, what stands before and behind a mark")
	}
	o.Open, o.Close = tags[0], tags[1]
	return nil
}
