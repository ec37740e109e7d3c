package wire

import (
	"slices"
	"strings"

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
	return projectObject(nil, r, "", fields)
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
		if !whole && !inside {
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
	case whole || r.Kind() != strictjson.Object && r.Kind() != strictjson.Array:
		raw, err := r.Raw()
		return append(dst, raw...), err
	case r.Kind() == strictjson.Object:
		return projectObject(dst, r, path+".", fields)
	}
	if err := r.Enter(); err != nil {
		return nil, err
	}
	dst = append(dst, '[')
	for n := 0; ; n++ {
		more, err := r.More()
		if err != nil {
			return nil, err
		}
		if !more {
			return append(dst, ']'), nil
		}
		if n > 0 {
			dst = append(dst, ',')
		}
		if dst, err = projectValue(dst, r, path, false, fields); err != nil {
			return nil, err
		}
	}
}

// match tells whether a path is named as a whole, or leads to one that is.
func match(path string, fields []string) (whole, inside bool) {
	whole = slices.Contains(fields, path)
	inside = slices.ContainsFunc(fields, func(f string) bool { return strings.HasPrefix(f, path) && len(f) > len(path) && f[len(path)] == '.' })
	return whole, inside
}
