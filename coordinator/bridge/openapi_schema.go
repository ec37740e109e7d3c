package bridge

import (
	"encoding/json"
	"reflect"
	"strings"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// schemaSet is the JSON schemas of the bodies, by the name of their Go type.
type schemaSet map[string]any

// of gives the schema of a type: of a struct a reference to what the set then holds.
func (s schemaSet) of(t reflect.Type) map[string]any {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return map[string]any{} // any JSON
	case reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case reflect.TypeFor[wire.Durability]():
		return map[string]any{"enum": []any{true, false, "unknown"}}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return s.of(t.Elem())
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
			return map[string]any{} // says its form by itself
		}
		if _, ok := s[t.Name()]; !ok {
			s[t.Name()] = nil // ends recursion
			s[t.Name()] = s.object(t)
		}
		return map[string]any{"$ref": "#/components/schemas/" + t.Name()}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": s.of(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Interface:
		return map[string]any{}
	}
	return map[string]any{"type": "integer"}
}

func (s schemaSet) object(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = f.Name
		}
		properties[name] = s.of(f.Type)
		if f.Type.Kind() == reflect.Pointer && options == "" {
			properties[name] = map[string]any{"anyOf": []any{s.of(f.Type), map[string]any{"type": "null"}}}
		}
		if options == "" {
			required = append(required, name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}
