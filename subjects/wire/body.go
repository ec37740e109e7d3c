package wire

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// bodyDepth is the nesting that a small request body may have; a schema is the deepest.
const bodyDepth = 16

// DecodeID reads a body of {"id":"…"}; a whole number is taken as its decimal text, like a document's. Errors are bad_request.
func DecodeID(body []byte) (string, error) {
	var id string
	found := false
	err := decodeObject(body, bodyDepth, func(key string, r *strictjson.Reader) (err error) {
		if key != "id" {
			return fault.New(fault.BadRequest, "unknown key %s: the body is {\"id\":…}", fault.Quote(key))
		}
		found = true
		id, err = readID(r)
		return err
	})
	if err == nil && !found {
		err = fault.New(fault.BadRequest, "the body is {\"id\":…}")
	}
	return id, err
}

// readID takes an id as [DecodeID] does.
func readID(r *strictjson.Reader) (string, error) {
	switch r.Kind() {
	case strictjson.String:
		return r.String()
	case strictjson.Number:
		id, err := r.Number()
		if strings.ContainsAny(id, ".eE") {
			return "", fault.New(fault.BadDocument, "the id %s is no string and no whole number", fault.Quote(id))
		}
		return id, err
	}
	return "", fault.New(fault.BadDocument, "the id is a string or a whole number")
}

// DecodeCollectionRequest reads the body of an operation on a collection. Errors are bad_request.
func DecodeCollectionRequest(body []byte) (*CollectionRequest, error) {
	req := new(CollectionRequest)
	err := decodeObject(body, bodyDepth, func(key string, r *strictjson.Reader) (err error) {
		switch key {
		case "name":
			req.Name, err = readText(key, r)
		case "schema":
			req.Schema, err = readRaw(r)
		default:
			err = fault.New(fault.BadRequest, "unknown key %s: the body is {\"name\":…,\"schema\":…}", fault.Quote(key))
		}
		return err
	})
	return req, err
}

// DecodeStatusRequest reads the body of admin.status: nothing, or {"group":"g0"}. Errors are bad_request.
func DecodeStatusRequest(body []byte) (group string, err error) {
	if len(body) == 0 {
		return "", nil
	}
	err = decodeObject(body, bodyDepth, func(key string, r *strictjson.Reader) (err error) {
		if key != "group" {
			return fault.New(fault.BadRequest, "unknown key %s: the body is {\"group\":…}", fault.Quote(key))
		}
		group, err = readText(key, r)
		return err
	})
	return group, err
}

// decodeObject reads a body that is one strict JSON object, key by key; field must take the key's value. What is no object, ends early or goes on, has a key twice in
// any object or is not UTF-8 is bad_request; nesting past depth is limit_exceeded.
func decodeObject(body []byte, depth int, field func(key string, r *strictjson.Reader) error) error {
	r := strictjson.New(string(body), depth)
	err := eachKey("the body", "a JSON object", r, field)
	if err == nil {
		err = r.End()
	}
	var broken *strictjson.Error
	switch {
	case !errors.As(err, &broken):
		return err
	case broken.TooDeep:
		return fault.New(fault.LimitExceeded, "the body is %v", err)
	}
	return fault.New(fault.BadRequest, "the body is no JSON object: %v", err)
}

// appendQuoted appends a string as JSON.
func appendQuoted(dst []byte, s string) []byte {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return append(dst, quoted...)
}
