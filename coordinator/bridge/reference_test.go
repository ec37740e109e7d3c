package bridge

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jetseek/jetseek/engine/analysis"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// The reference for readers is made from the table of operations, and says what it holds. JETSEEK_REWRITE=1 writes it anew.
func TestReferenceIsTheTable(t *testing.T) {
	const file = "API.md"
	want := reference(ops.Table())
	if os.Getenv("JETSEEK_REWRITE") != "" {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s is not what the table says (%v): JETSEEK_REWRITE=1 go test ./coordinator/bridge -run Reference writes it", file, err)
	}
}

const referenceHead = `# API reference

One operation, three ways to it: HTTP, a NATS request, and a call of the Go client. This page is made from the table of operations (package subjects/ops), as
are the routes, the subjects, the permissions and ` + "`/openapi.json`" + `; a test holds it to the table.

**HTTP.** Bodies are JSON, of bulks one JSON object a line; ` + "`Content-Encoding: gzip`" + ` is taken, and given where asked for. Unknown and repeated parameters are refused.
Paths without ` + "`/collections/{collection}`" + ` act on the collection of ` + "`?collection=`" + `, else on ` + "`" + ops.DefaultCollection + "`" + `. ` + "`/metrics`" + ` is for Prometheus, ` + "`/`" + ` and ` + "`/cluster`" + ` for people.

**NATS.** Subjects begin with ` + "`jetseek`" + `, or with what ` + "`--prefix`" + ` says. A reply has the header ` + "`Jetseek-Status`" + `, the status of HTTP; an error has
` + "`Nats-Service-Error`" + ` and ` + "`Nats-Service-Error-Code`" + ` too. Every request may have ` + "`Jetseek-Timeout-Ms`" + ` or ` + "`Jetseek-Budget-Ms`" + `, what is left of the caller's
time, and ` + "`Jetseek-Frames: 1`" + `: then a reply larger than a message comes in frames, numbered by ` + "`Jetseek-Frame`" + `, the last with ` + "`Jetseek-Last`" + `. Replies go to
inboxes only.

**Sizes.** A document has up to %d MiB, a bulk up to %d MiB, other bodies one message of the NATS server (1 MiB, unless it says otherwise). The Go client and HTTP
split a bulk, and send a document through the cluster's object store; who does neither gets ` + "`too_large`" + ` with the limit.

What does not work yet is refused by name: see the known gaps of the [README](../../README.md#known-gaps). In shapes, ` + "`?`" + ` marks a member that may be missing.

## Errors

    {"error":{"code":"bad_query","message":"…","position":14}}

A position is a byte offset into the text of the query. Errors of writes have ` + "`durable`" + `: false, certainly not stored; true, stored; ` + "`\"unknown\"`" + `. Errors of code
` + "`unavailable`" + ` have a ` + "`reason`" + `.

| status | codes |
|---|---|
`

// reference writes the page.
func reference(table []ops.Op) string {
	var b strings.Builder
	fmt.Fprintf(&b, referenceHead, wire.MaxDocumentBytes>>20, wire.MaxBulkBytes>>20)
	for _, status := range []int{400, 401, 403, 404, 409, 410, 413, 422, 429, 503, 504} {
		var codes []string
		for _, c := range []fault.Code{fault.BadRequest, fault.BadQuery, fault.BadDocument, fault.BadField, fault.BadSort, fault.BadVector, fault.Unauthorized,
			fault.Forbidden, fault.NotFound, fault.NoCollection, fault.VersionConflict, fault.Exists, fault.CursorExpired, fault.TooLarge, fault.LimitExceeded,
			fault.Overloaded, fault.Unavailable, fault.Deadline} {
			if c.Status() == status {
				codes = append(codes, string(c))
			}
		}
		fmt.Fprintf(&b, "| %d | %s |\n", status, strings.Join(codes, ", "))
	}
	fmt.Fprintf(&b, referenceSchema, strings.Join(analysis.Names()[4:], ", "), schema.MaxAnalyzers, schema.MaxAnalyzersBytes>>10, analysis.MaxEntries)
	for i := range table {
		writeOperation(&b, &table[i])
	}
	return b.String()
}

func writeOperation(b *strings.Builder, op *ops.Op) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n", op.ID, strings.ToUpper(op.About[:1])+op.About[1:])
	for _, r := range op.Routes {
		fmt.Fprintf(b, "    %-6s %s\n", r.Method, r.Path)
	}
	fmt.Fprintf(b, "    NATS   %s\n\n", op.ID.Subject(subjects.Names{}, "{collection}"))
	rows := map[string]bool{}
	for _, p := range routeParams(op) {
		if p.InPath || rows[p.Name] || p.To == ops.Collection {
			continue
		}
		if len(rows) == 0 {
			b.WriteString("| parameter | over NATS | |\n|---|---|---|\n")
		}
		rows[p.Name] = true
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", p.Name, overNATS(p), about(p))
	}
	if len(rows) > 0 {
		b.WriteString("\n")
	}
	if op.Request != nil && op.ID != ops.Search {
		fmt.Fprintf(b, "Request over NATS:\n\n    %s\n\n", shape(op.Request))
	}
	var statuses []string
	for _, s := range op.Routes[0].Status {
		statuses = append(statuses, fmt.Sprint(s))
	}
	fmt.Fprintf(b, "Reply (%s):\n\n    %s\n", strings.Join(statuses, ", "), shape(op.Reply))
}

// routeParams gives the parameters of all routes; what only the Go client says over NATS, which splits bodies, is not for readers.
func routeParams(op *ops.Op) []ops.Param {
	var all []ops.Param
	for i := range op.Routes {
		all = append(all, op.Routes[i].Params...)
	}
	return all
}

func overNATS(p ops.Param) string {
	switch p.To {
	case ops.Header:
		return "header `" + p.Key + "`"
	case ops.IDHeader:
		return "header `" + wire.HeaderID + "`, or percent-encoded `" + wire.HeaderIDEscaped + "`"
	}
	return "field `" + p.Key + "`"
}

func about(p ops.Param) string {
	text := p.About
	if p.Required {
		text += "; required"
	}
	if p.Choices != nil {
		text += " (" + strings.Join(p.Choices, ", ") + ")"
	}
	return text
}

// shape writes a type as its JSON looks.
func shape(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[json.RawMessage]():
		return "JSON"
	case reflect.TypeFor[time.Time]():
		return "RFC 3339 time"
	case reflect.TypeFor[wire.Durability]():
		return `true|false|"unknown"`
	}
	switch t.Kind() {
	case reflect.Pointer:
		return shape(t.Elem())
	case reflect.Slice:
		return "[" + shape(t.Elem()) + ",…]"
	case reflect.Map:
		return `{NAME:` + shape(t.Elem()) + ",…}"
	case reflect.Struct:
		if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Marshaler]()) {
			return "JSON"
		}
		var members []string
		for f := range t.Fields() {
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			if !f.IsExported() || name == "-" {
				continue
			}
			if strings.Contains(options, "omit") {
				options = "?"
			}
			of := "[the same shape,…]"
			if f.Type != reflect.SliceOf(t) {
				of = shape(f.Type)
			}
			members = append(members, fmt.Sprintf("%q%s:%s", name, options, of))
		}
		return "{" + strings.Join(members, ",") + "}"
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Float64:
		return "number"
	case reflect.Interface:
		return "value"
	}
	return "integer"
}
