package wire

import (
	"encoding/json"
	"errors"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// searchDepth is the nesting that the body of a search may have. A query of the greatest depth that package query takes needs less.
const searchDepth = 256

// member is one key of a JSON object and its value as it was sent.
type member struct {
	key   string
	value json.RawMessage
}

// strictMembers splits a body into the members of its one JSON object, in order; values alias raw. What is no object, has trailing bytes, or has a key
// twice in any object is bad_request; nesting past the limit is limit_exceeded.
func strictMembers(raw []byte) ([]member, error) {
	r := strictjson.New(string(raw), searchDepth)
	var members []member
	err := readObject(r, func(key string, r *strictjson.Reader) error {
		r.Kind()
		start := r.Offset()
		if err := r.Skip(); err != nil {
			return err
		}
		members = append(members, member{key, raw[start:r.Offset():r.Offset()]})
		return nil
	})
	var broken *strictjson.Error
	switch {
	case err == nil:
		return members, nil
	case errors.As(err, &broken) && broken.TooDeep:
		return nil, fault.New(fault.LimitExceeded, "the body is %v", err)
	}
	return nil, fault.New(fault.BadRequest, "the body is no JSON object: %v", err)
}
