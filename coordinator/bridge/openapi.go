package bridge

import (
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/subjects"
)

// describe makes the OpenAPI 3.1 description of the table.
func describe(rows []route) map[string]any {
	paths := map[string]any{}
	for i := range rows {
		rt := &rows[i]
		path, ok := paths[rt.path].(map[string]any)
		if !ok {
			path = map[string]any{}
			paths[rt.path] = path
		}
		path[strings.ToLower(rt.method)] = rt.describe()
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": "jetseek", "version": "1", "description": "Distributed search on NATS. Every path has a twin among the NATS subjects."},
		"paths":   paths,
		"components": map[string]any{"schemas": map[string]any{"Error": map[string]any{
			"type": "object", "required": []string{"error"},
			"properties": map[string]any{"error": map[string]any{
				"type": "object", "required": []string{"code", "message"},
				"properties": map[string]any{
					"code": map[string]any{"type": "string"}, "message": map[string]any{"type": "string"},
					"position": map[string]any{"type": "integer"}, "reason": map[string]any{"type": "string"},
					"durable": map[string]any{"enum": []any{true, false, "unknown"}},
				}}},
		}}},
	}
}

func (rt *route) describe() map[string]any {
	responses := map[string]any{"default": map[string]any{
		"description": "an error, with its code",
		"content":     map[string]any{"application/json": map[string]any{"schema": map[string]any{"$ref": "#/components/schemas/Error"}}},
	}}
	for _, s := range rt.status {
		responses[strconv.Itoa(s)] = map[string]any{
			"description": rt.about,
			"content":     map[string]any{"application/json": map[string]any{"schema": map[string]any{"type": "object"}}},
		}
	}
	operation := map[string]any{"summary": rt.about, "responses": responses}
	if rt.plane != planeNone {
		operation["x-nats-subject"] = rt.subject(subjects.Names{}, "{collection}")
	}
	if len(rt.params) > 0 {
		params := make([]any, len(rt.params))
		for i := range rt.params {
			params[i] = rt.params[i].describe()
		}
		operation["parameters"] = params
	}
	if mediaType := rt.body.mediaType(); mediaType != "" {
		schema := map[string]any{"type": "object"}
		if rt.body == bodyLines {
			schema = map[string]any{"type": "string"}
		}
		operation["requestBody"] = map[string]any{"content": map[string]any{mediaType: map[string]any{"schema": schema}}}
	}
	return operation
}

func (b bodyUse) mediaType() string {
	switch b {
	case bodyNone:
		return ""
	case bodyLines:
		return "application/x-ndjson"
	}
	return "application/json"
}

func (p *param) describe() map[string]any {
	in := "query"
	if p.inPath {
		in = "path"
	}
	return map[string]any{"name": p.name, "in": in, "required": p.required || p.inPath, "description": p.about, "schema": p.schema()}
}

func (p *param) schema() map[string]any {
	switch p.kind {
	case whole:
		return map[string]any{"type": "integer", "minimum": p.least}
	case number:
		return map[string]any{"type": "number"}
	case flag:
		return map[string]any{"type": "boolean"}
	case wholeOrFlag:
		return map[string]any{"type": []string{"boolean", "integer"}}
	case repeated:
		return map[string]any{"type": "array", "items": map[string]any{"type": "string"}}
	}
	if p.choices != nil {
		return map[string]any{"type": "string", "enum": p.choices}
	}
	return map[string]any{"type": "string"}
}
