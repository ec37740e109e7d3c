package bridge

import (
	"slices"
	"time"

	"github.com/jetseek/jetseek/subjects/wire"
)

// route is one row of the table.
type route struct {
	method string
	path   string
	about  string
	data   bool // acts on a collection: ?collection=, and the same route under /collections/{collection}
	plane  plane
	op     string // the last tokens of the subject
	params []param
	body   bodyUse
	budget time.Duration // how long to wait for a reply when the request does not say
	status []int         // of successes, for the description
	local  localAnswer   // instead of passing the reply on
}

// plane is the token of a subject that says who may call.
type plane uint8

const (
	planeNone plane = iota // answered here
	planeRead
	planeWrite
	planeAdmin
)

// bodyUse says what becomes of the body of an HTTP request.
type bodyUse uint8

const (
	bodyNone     bodyUse = iota // refused; the fields that parameters give are the body of the call
	bodySearch                  // passed on as it is
	bodyDocument                // passed on as it is
	bodyLines                   // NDJSON, passed on as it is
	bodySchema                  // becomes the field "schema"; nothing counts as {}
)

// maxBytes is the size of the largest body that is read at all. What one NATS message takes is less: see readBody.
func (b bodyUse) maxBytes() int64 {
	switch b {
	case bodySearch, bodySchema:
		return 1 << 20
	case bodyDocument:
		return 16 << 20
	case bodyLines:
		return 64 << 20
	}
	return 0
}

// Budgets leave a coordinator room for its own defaults: 1 s for searches, 5 s for writes, 20 s for deletes, which are verified.
const (
	readBudget   = 2 * time.Second
	adminBudget  = 5 * time.Second
	writeBudget  = 6 * time.Second
	deleteBudget = 21 * time.Second
)

// table gives all rows as they are registered: a data route stands twice, with the collection in the query string and in the path.
func table() []route {
	var all []route
	for _, rt := range rows() {
		if !rt.data {
			all = append(all, rt)
			continue
		}
		collection := param{name: "collection", to: toCollection, about: "name of the collection; default " + defaultCollection}
		plain, prefixed := rt, rt
		plain.params = append(slices.Clone(rt.params), collection)
		collection.inPath, collection.about = true, "name of the collection"
		prefixed.path = "/collections/{collection}" + rt.path
		prefixed.params = append(slices.Clone(rt.params), collection)
		all = append(all, plain, prefixed)
	}
	return all
}

func rows() []route {
	id := param{name: "id", to: toField, key: "id", required: true, about: "the document's id, byte for byte"}
	name := param{name: "collection", to: toField, key: "name", inPath: true, about: "name of the collection"}
	writing := []param{
		{name: "wait", to: toHeader, key: wire.HeaderWait, choices: []string{"applied", "durable", "none"}, about: "what the reply waits for; default applied"},
		{name: "timeout_ms", kind: whole, least: 1, to: toHeader, key: wire.HeaderTimeoutMs, about: "the whole budget; default 5000, deletes 20000"},
		{name: "request_id", kind: token, to: toHeader, key: wire.HeaderRequestID, about: "makes a repeat safe"},
	}
	single := append(slices.Clone(writing),
		param{name: "if_version", kind: whole, to: toHeader, key: wire.HeaderIfVersion, about: "the version that must stand; 0: only if absent"},
		param{name: "report", kind: flag, to: toHeader, key: wire.HeaderReport, about: "name when each member applied it"})
	return []route{
		{method: "PUT", path: "/collections/{collection}", about: "create a collection; the body is its schema", plane: planeAdmin, op: "collections.create",
			params: []param{name}, body: bodySchema, budget: adminBudget, status: []int{200, 201}},
		{method: "GET", path: "/collections/{collection}", about: "show a collection with its counts", plane: planeAdmin, op: "collections.show",
			params: []param{name}, budget: adminBudget, status: []int{200}},
		{method: "DELETE", path: "/collections/{collection}", about: "drop a collection", plane: planeAdmin, op: "collections.drop",
			params: []param{name}, budget: deleteBudget, status: []int{200}},
		{method: "GET", path: "/collections", about: "list collections, by name", plane: planeAdmin, op: "collections.list",
			budget: adminBudget, status: []int{200}},

		{method: "POST", path: "/index", about: "write one document", data: true, plane: planeWrite, op: "index", body: bodyDocument,
			params: append(slices.Clone(single), param{name: "id", to: toHeaderID, about: "the id, when the document has none"}),
			budget: writeBudget, status: []int{200, 201, 202, 409}},
		{method: "DELETE", path: "/index", about: "delete one document", data: true, plane: planeWrite, op: "delete",
			params: append(slices.Clone(single), id), budget: deleteBudget, status: []int{200, 202, 409}},
		{method: "POST", path: "/index/bulk", about: `write many documents, one a line; a line {"_delete":"ID"} deletes`, data: true, plane: planeWrite, op: "bulk",
			body: bodyLines, params: writing, budget: deleteBudget, status: []int{200, 202}},
		{method: "GET", path: "/doc", about: "read one document", data: true, plane: planeRead, op: "get", params: []param{id}, budget: readBudget,
			status: []int{200}},
		{method: "GET", path: "/search", about: "search by parameters", data: true, plane: planeRead, op: "search", params: searchParams(),
			budget: readBudget, status: []int{200}},
		{method: "POST", path: "/search", about: "search by a JSON body", data: true, plane: planeRead, op: "search", body: bodySearch, budget: readBudget,
			status: []int{200}},

		{method: "GET", path: "/health", about: "200 while the process lives; with group: while the group answers", op: "status", local: health,
			params: []param{{name: "group", to: toField, key: "group", about: "name of a group"}}, budget: readBudget, status: []int{200}},
		{method: "GET", path: "/ready", about: "200 when NATS and every group answer", op: "status", local: ready, budget: readBudget, status: []int{200, 503}},
		{method: "GET", path: "/_ring", about: "the placement rule, and slots by group", plane: planeAdmin, op: "ring", budget: adminBudget, status: []int{200}},
		{method: "GET", path: "/_placement", about: "where an id belongs", plane: planeAdmin, op: "placement", params: []param{id}, budget: adminBudget,
			status: []int{200}},
		{method: "GET", path: "/_members", about: "the declared members and their state", plane: planeAdmin, op: "members", budget: adminBudget,
			status: []int{200}},
		{method: "GET", path: "/_map", about: "the cluster map", plane: planeAdmin, op: "map", budget: adminBudget, status: []int{200}},
		{method: "GET", path: "/openapi.json", about: "this description", local: openAPI, budget: readBudget, status: []int{200}},
	}
}

// searchParams are the parameters of GET /search; each becomes the field of the body of POST /search that means the same.
func searchParams() []param {
	field := func(name string, k kind, about string) param {
		return param{name: name, kind: k, to: toField, key: name, about: about}
	}
	return []param{
		{name: "q", to: toField, key: "query", about: "what to match; default *"},
		{name: "filter", kind: repeated, to: toField, key: "filters", about: "matches without scoring; repeatable"},
		field("limit", whole, "how many hits; default 10"),
		field("from", whole, "how many hits to pass over; from + limit at most 10,000"),
		field("sort", text, "score, id, num:FIELD or key:FIELD"),
		field("order", text, "asc or desc"),
		field("default_operator", text, "or (default) or and"),
		field("lenient", flag, "take bad syntax as words"),
		field("min_seq", sequences, "answer from snapshots at or past these: g0:17,g1:3"),
		field("min_score", number, "leave out hits below"),
		field("collapse", object, "a field: one hit a value"),
		field("track_scores", flag, "scores also when sorted by a field"),
		field("stats", text, "global (default) or local"),
		field("dfs", flag, "true: global statistics, false: local ones"),
		field("facets", text, "comma-separated fields"),
		field("aggs", raw, "aggregations, as JSON"),
		field("knn", nearest, "nearest vectors: FIELD:v1,v2,…"),
		field("knn_k", whole, "how many nearest"),
		field("knn_exact", flag, "by brute force"),
		field("fusion", text, "rrf (default) or weighted"),
		field("pool", whole, "candidates of each group"),
		field("fields", list, "source fields to return, comma-separated; empty: none"),
		field("snippet", list, "fields to cut snippets from"),
		field("track_total", wholeOrFlag, "true: exact; N: exact up to N; false: an estimate"),
		{name: "timeout_ms", kind: whole, least: 1, to: toField, key: "timeout_ms", about: "the whole budget; default 1000"},
		field("partial", text, "allow (default), fail or material"),
		field("quality", text, "full (default) or fast"),
		field("cursor", text, "* begins a walk; then the token of the page before"),
		field("explain", flag, "add the parts of each score"),
		field("profile", flag, "add the timings"),
	}
}
