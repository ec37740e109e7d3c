package wire

import (
	"errors"

	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// projectDepth is the nesting that a stored document may have.
const projectDepth = 64

// Project gives a document's source with only the fields named, dotted paths into objects, in the source's order; what stays keeps its bytes. Nil fields give
// the whole source, an empty list {}. A path that names an object keeps all of it; {"a.b":1} and {"a":{"b":1}} are one field.
func Project(source []byte, fields []string) ([]byte, error) {
	if fields == nil {
		return source, nil
	}
	r := strictjson.New(string(source), projectDepth)
	if r.Kind() != strictjson.Object {
		return nil, errors.New("the source is no JSON object")
	}
	dst, err := projectObject(nil, r, "", fields)
	if err != nil {
		return nil, err
	}
	return dst, r.End()
}

// projectObject appends the object that comes, without the keys that no path leads to.
func projectObject(dst []byte, r *strictjson.Reader, prefix string, fields []string) ([]byte, error) {
	if err := r.Enter(); err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	first := true
	for {
		key, ok, err := r.Key()
		if err != nil {
			return nil, err
		}
		if !ok {
			return append(dst, '}'), nil
		}
		path := prefix + key
		whole, inside := match(path, fields)
		if !whole && !(inside && isContainer(r)) {
			if err := r.Skip(); err != nil {
				return nil, err
			}
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(appendQuoted(dst, key), ':')
		if dst, err = projectValue(dst, r, path, whole, fields); err != nil {
			return nil, err
		}
	}
}

// projectValue appends the value that comes: all of it, or what the paths keep of the objects in it.
func projectValue(dst []byte, r *strictjson.Reader, path string, whole bool, fields []string) ([]byte, error) {
	switch {
	case whole:
		raw, err := r.Raw()
		return append(dst, raw...), err
	case r.Kind() == strictjson.Object:
		return projectObject(dst, r, path+".", fields)
	}
	return projectArray(dst, r, path, fields)
}

// projectArray appends the array that comes, with what the paths keep of the objects in it and nothing else.
func projectArray(dst []byte, r *strictjson.Reader, path string, fields []string) ([]byte, error) {
	if err := r.Enter(); err != nil {
		return nil, err
	}
	dst = append(dst, '[')
	first := true
	for {
		more, err := r.More()
		if err != nil {
			return nil, err
		}
		if !more {
			return append(dst, ']'), nil
		}
		if !isContainer(r) {
			if err := r.Skip(); err != nil {
				return nil, err
			}
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if dst, err = projectValue(dst, r, path, false, fields); err != nil {
			return nil, err
		}
	}
}

func isContainer(r *strictjson.Reader) bool {
	kind := r.Kind()
	return kind == strictjson.Object || kind == strictjson.Array
}

// match tells whether a path is named, by itself or as a part of what is named, and whether something inside it is.
func match(path string, fields []string) (whole, inside bool) {
	for _, f := range fields {
		whole = whole || path == f || isInside(path, f)
		inside = inside || isInside(f, path)
	}
	return whole, inside
}

// isInside tells whether a path leads further than another one.
func isInside(path, other string) bool {
	return len(path) > len(other) && path[len(other)] == '.' && path[:len(other)] == other
}
