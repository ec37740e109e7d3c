package bridge

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// describe makes the OpenAPI 3.1 description of the table of operations.
func describe(table []ops.Op) map[string]any {
	schemas := schemaSet{}
	failure := schemas.of(reflect.TypeFor[wire.ErrorBody]())
	paths := map[string]map[string]any{}
	for i := range table {
		op := &table[i]
		for j := range op.Routes {
			r := &op.Routes[j]
			if paths[r.Path] == nil {
				paths[r.Path] = map[string]any{}
			}
			paths[r.Path][strings.ToLower(r.Method)] = describeRoute(op, r, schemas, failure)
		}
	}
	return map[string]any{
		"openapi":    "3.1.0",
		"info":       map[string]any{"title": "jetseek", "version": "1", "description": "Distributed search on NATS. Every path has a twin among the NATS subjects."},
		"paths":      paths,
		"components": map[string]any{"schemas": schemas},
	}
}

func describeRoute(op *ops.Op, r *ops.Route, schemas schemaSet, failure map[string]any) map[string]any {
	about := r.About
	if about == "" {
		about = op.About
	}
	reply := map[string]any{"type": "object"}
	if !r.Own {
		reply = schemas.of(op.Reply)
	}
	responses := map[string]any{"default": response("an error, with its code", failure)}
	for _, s := range r.Status {
		responses[strconv.Itoa(s)] = response(about, reply)
	}
	operation := map[string]any{"summary": about, "responses": responses, "x-nats-subject": op.ID.Subject(subjects.Names{}, "{collection}")}
	if op.Request != nil {
		operation["x-nats-request"] = schemas.of(op.Request)
	}
	if len(r.Params) > 0 {
		params := make([]any, len(r.Params))
		for i := range r.Params {
			params[i] = describeParam(&r.Params[i])
		}
		operation["parameters"] = params
	}
	if mediaType := r.Body.MediaType(); mediaType != "" {
		body := map[string]any{"type": "object"}
		switch r.Body {
		case ops.LinesBody:
			body = map[string]any{"type": "string"}
		case ops.SearchBody:
			body = describeSearch(op)
		case ops.RequestBody:
			body = schemas.of(op.Request)
		}
		operation["requestBody"] = map[string]any{"content": map[string]any{mediaType: map[string]any{"schema": body}}}
	}
	return operation
}

// describeSearch describes the body of a search by the parameters that mean the same; a body's fields may hold more than their text does.
func describeSearch(op *ops.Op) map[string]any {
	fields := map[string]any{}
	for i := range op.Routes {
		for _, p := range op.Routes[i].Params {
			if p.To == ops.Field {
				fields[p.Key] = map[string]any{"description": p.About}
			}
		}
	}
	return map[string]any{"type": "object", "properties": fields, "additionalProperties": false}
}

func response(about string, schema map[string]any) map[string]any {
	return map[string]any{"description": about, "content": map[string]any{"application/json": map[string]any{"schema": schema}}}
}

func describeParam(p *ops.Param) map[string]any {
	in := "query"
	if p.InPath {
		in = "path"
	}
	return map[string]any{"name": p.Name, "in": in, "required": p.Required || p.InPath, "description": p.About, "schema": paramSchema(p)}
}

func paramSchema(p *ops.Param) map[string]any {
	switch p.Kind {
	case ops.Whole:
		return map[string]any{"type": "integer", "minimum": p.Least}
	case ops.Number:
		return map[string]any{"type": "number"}
	case ops.Flag:
		return map[string]any{"type": "boolean"}
	case ops.WholeOrFlag:
		return map[string]any{"type": []string{"boolean", "integer"}}
	case ops.Repeated:
		return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	}
	if p.Choices != nil {
		return map[string]any{"type": "string", "enum": p.Choices}
	}
	return map[string]any{"type": "string"}
}
