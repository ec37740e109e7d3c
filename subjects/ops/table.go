package ops

import (
	"reflect"
	"slices"

	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Table gives all operations. What it gives is the caller's.
func Table() []Op {
	id := Param{Name: "id", To: Field, Key: "id", Required: true, About: "the document's id, byte for byte"}
	name := Param{Name: "collection", To: Field, Key: "name", InPath: true, About: "name of the collection"}
	group := Param{Name: "group", To: Field, Key: "group", About: "name of a group"}
	budget := Param{Name: "timeout_ms", Kind: Whole, Least: 1, To: Header, Key: wire.HeaderTimeoutMs, About: "the whole budget; default 299000; members that are not done then are failed_members"}
	writing := []Param{
		{Name: "wait", To: Header, Key: wire.HeaderWait, Choices: []string{"applied", "durable", "none"}, About: "what the reply waits for; default applied"},
		{Name: "timeout_ms", Kind: Whole, Least: 1, To: Header, Key: wire.HeaderTimeoutMs, About: "the whole budget; default 5000, deletes 20000"},
		{Name: "request_id", Kind: Token, To: Header, Key: wire.HeaderRequestID, About: "makes a repeat safe: the same write under the same id is done once"},
		{Name: "report", Kind: Flag, To: Header, Key: wire.HeaderReport, About: "tell when each member applied it, or when the lease of one that did not ran out"},
	}
	single := append(slices.Clone(writing),
		Param{Name: "if_version", Kind: Whole, To: Header, Key: wire.HeaderIfVersion, About: "the version that must stand; 0: only if absent"})
	indexing := append(slices.Clone(single), Param{Name: "id", To: IDHeader, About: "the id, when the document has none"})
	object := Param{Name: "object", Kind: Token, To: Header, Key: wire.HeaderObject, About: "the body is this object of the cluster's object store"}
	firstLine := Param{Name: "first_line", Kind: Whole, Least: 1, To: Header, Key: wire.HeaderFirstLine, About: "the number of the body's first line"}

	return []Op{
		{ID: Search, About: "search a collection", Request: reflect.TypeFor[wire.SearchBody](), Reply: reflect.TypeFor[wire.SearchResponse](),
			Routes: slices.Concat(
				onCollection(Route{Method: "GET", Path: "/search", About: "search by parameters", Params: searchParams(), Status: []int{200}}),
				onCollection(Route{Method: "POST", Path: "/search", About: "search by a JSON body", Body: SearchBody, Status: []int{200}}))},
		{ID: Get, About: "read one document", Request: reflect.TypeFor[wire.IDRequest](), Reply: reflect.TypeFor[wire.DocReply](),
			Routes: onCollection(Route{Method: "GET", Path: "/doc", Params: []Param{id}, Status: []int{200}})},
		{ID: Explain, About: "take the score that a query gives a document apart", Request: reflect.TypeFor[wire.ExplainBody](), Reply: reflect.TypeFor[wire.ExplainResponse](),
			Routes: onCollection(Route{Method: "POST", Path: "/explain", Body: RequestBody, Status: []int{200}})},
		{ID: Analyze, About: "show what an analyzer makes of a text: tokens, positions, bytes of the text", Request: reflect.TypeFor[wire.AnalyzeBody](), Reply: reflect.TypeFor[wire.AnalyzeResponse](),
			Routes: onCollection(Route{Method: "POST", Path: "/analyze", Body: RequestBody, Status: []int{200}})},
		{ID: Suggest, About: "complete a prefix with the terms of a field that most documents hold, or correct the words of a text that no document holds", Request: reflect.TypeFor[wire.SuggestBody](),
			Reply: reflect.TypeFor[wire.SuggestResponse](), Routes: slices.Concat(
				onCollection(Route{Method: "GET", Path: "/suggest", About: "complete or correct by parameters", Params: suggestParams(), Status: []int{200}}),
				onCollection(Route{Method: "POST", Path: "/suggest", About: "complete or correct by a JSON body", Body: RequestBody, Status: []int{200}}))},

		{ID: Index, About: "write one document", Reply: reflect.TypeFor[wire.WriteReply](), Params: append(slices.Clone(indexing), object),
			Routes: onCollection(Route{Method: "POST", Path: "/index", Params: indexing, Body: DocumentBody, Status: []int{200, 201, 202, 409}})},
		{ID: Bulk, About: `write many documents, one a line; a line {"_delete":"ID"} deletes`, Reply: reflect.TypeFor[wire.BulkReply](), Params: append(slices.Clone(writing), object, firstLine),
			Routes: onCollection(Route{Method: "POST", Path: "/index/bulk", Params: writing, Body: LinesBody, Status: []int{200, 202}})},
		{ID: Delete, About: "delete one document", Request: reflect.TypeFor[wire.IDRequest](), Reply: reflect.TypeFor[wire.WriteReply](), Params: single,
			Routes: onCollection(Route{Method: "DELETE", Path: "/index", Params: append(slices.Clone(single), id), Status: []int{200, 202, 409}})},

		{ID: CollectionsCreate, About: "create a collection, or add fields and analyzers to one; the body is its schema", Request: reflect.TypeFor[wire.CollectionRequest](),
			Reply:  reflect.TypeFor[wire.CollectionBody](),
			Routes: []Route{{Method: "PUT", Path: "/collections/{collection}", Params: []Param{name}, Body: SchemaBody, Status: []int{200, 201}}}},
		{ID: CollectionsShow, About: "show a collection with its counts", Request: reflect.TypeFor[wire.CollectionRequest](), Reply: reflect.TypeFor[wire.CollectionBody](),
			Routes: []Route{{Method: "GET", Path: "/collections/{collection}", Params: []Param{name}, Status: []int{200}}}},
		{ID: CollectionsDrop, About: "drop a collection", Request: reflect.TypeFor[wire.CollectionRequest](), Reply: reflect.TypeFor[wire.DropBody](),
			Routes: []Route{{Method: "DELETE", Path: "/collections/{collection}", Params: []Param{name}, Status: []int{200}}}},
		{ID: CollectionsList, About: "list collections, by name", Reply: reflect.TypeFor[wire.CollectionsBody](), Routes: plain("/collections")},

		{ID: Status, About: "which groups answer", Reply: reflect.TypeFor[wire.ReadyBody](), Routes: []Route{
			{Method: "GET", Path: "/ready", About: "200 when NATS and every group answer", Status: []int{200, 503}, Own: true},
			{Method: "GET", Path: "/health", About: "200 while the process lives; with group: while the group answers", Params: []Param{group},
				Status: []int{200}, Own: true}}},
		{ID: Members, About: "the declared members and their state", Reply: reflect.TypeFor[wire.MembersBody](), Routes: plain("/_members")},
		{ID: Map, About: "the cluster map", Reply: reflect.TypeFor[placement.Map](), Routes: plain("/_map")},
		{ID: Ring, About: "the placement rule, and slots by group", Reply: reflect.TypeFor[wire.RingBody](), Routes: plain("/_ring")},
		{ID: Placement, About: "where an id belongs", Request: reflect.TypeFor[wire.IDRequest](), Reply: reflect.TypeFor[wire.PlacementBody](),
			Routes: plain("/_placement", id)},
		{ID: Plan, About: "what each rule would move to reach a number of groups; nothing is moved", Request: reflect.TypeFor[wire.PlanRequest](), Reply: reflect.TypeFor[wire.PlanBody](),
			Routes: plain("/_plan", Param{Name: "shards", Kind: Whole, Least: 1, To: Field, Key: "shards", Required: true, About: "how many groups there would be"})},
		{ID: Repair, About: "compare the members of every group, let those that differ, or are alone in theirs, prove by a replay of the log what they hold and mend what is wrong, and report; it answers when that is done",
			Reply: reflect.TypeFor[wire.RepairBody](), Params: []Param{budget},
			Routes: []Route{{Method: "POST", Path: "/_repair", Params: []Param{budget}, Status: []int{200}}}},
		{ID: Quarantine, About: "the operations that are set aside, since no member could apply them", Reply: reflect.TypeFor[wire.QuarantineBody](), Routes: plain("/_quarantine")},
		{ID: Requeue, About: "try an operation again that is set aside; one that a later operation on its id has superseded does nothing", Request: reflect.TypeFor[wire.RequeueRequest](),
			Reply: reflect.TypeFor[wire.RequeueBody](), Routes: []Route{{Method: "POST", Path: "/_requeue", Body: RequestBody, Status: []int{200}}}},
	}
}

// plain is a route that only asks.
func plain(path string, params ...Param) []Route {
	return []Route{{Method: "GET", Path: path, Params: params, Status: []int{200}}}
}

// onCollection gives a route in both its forms: with the collection in the query string, and in the path.
func onCollection(r Route) []Route {
	collection := Param{Name: "collection", To: Collection, About: "name of the collection; default " + DefaultCollection}
	short, long := r, r
	short.Params = append(slices.Clone(r.Params), collection)
	collection.InPath, collection.About = true, "name of the collection"
	long.Path = "/collections/{collection}" + r.Path
	long.Params = append(slices.Clone(r.Params), collection)
	return []Route{short, long}
}

// suggestParams are the parameters of GET /suggest; each becomes the field of the body of POST /suggest of the same name.
func suggestParams() []Param {
	params := []Param{
		{Name: "field", Required: true, About: "whose terms: words of a text field, exact values of a keyword"},
		{Name: "prefix", About: "what they begin with; this or text"},
		{Name: "text", About: "whose words are corrected"},
		{Name: "size", Kind: Whole, Least: 1, About: "terms at most, of a text for each word; default 10, of a text 5"},
		{Name: "always", Kind: Flag, About: "of a text: show what is near words that documents hold, too"},
		{Name: "max_edits", Kind: Whole, Least: 1, About: "of a text: 1 or 2; default 1 for words up to 5 characters, else 2"},
		{Name: "min_seq", Kind: Sequences, About: "answer from snapshots at or past these: g0:17,g1:3"},
		{Name: "timeout_ms", Kind: Whole, Least: 1, About: "the whole budget; default 1000"},
		{Name: "partial", About: "allow (default) or fail"},
	}
	for i := range params {
		params[i].To, params[i].Key = Field, params[i].Name
	}
	return params
}

// searchParams are the parameters of GET /search; each becomes the field of the body of POST /search that means the same.
func searchParams() []Param {
	field := func(name string, k Kind, about string) Param {
		return Param{Name: name, Kind: k, To: Field, Key: name, About: about}
	}
	return []Param{
		{Name: "q", To: Field, Key: "query", About: "what to match; default *"},
		{Name: "filter", Kind: Repeated, To: Field, Key: "filters", About: "matches without scoring; repeatable"},
		field("limit", Whole, "how many hits; default 10"),
		field("from", Whole, "how many hits to pass over; from + limit at most 10,000"),
		field("sort", Text, "score, id, num:FIELD or key:FIELD"),
		field("order", Text, "asc or desc"),
		field("default_operator", Text, "or (default) or and"),
		field("lenient", Flag, "take bad syntax as words"),
		field("min_seq", Sequences, "answer from snapshots at or past these: g0:17,g1:3"),
		field("min_score", Number, "leave out hits below"),
		field("collapse", Object, "a field: one hit a value"),
		field("track_scores", Flag, "scores also when sorted by a field"),
		field("stats", Text, "global (default) or local"),
		field("dfs", Flag, "true: global statistics, false: local ones"),
		field("facets", Text, "comma-separated fields"),
		field("aggs", JSON, "aggregations, as JSON"),
		field("knn", Nearest, "nearest vectors: FIELD:v1,v2,…"),
		field("knn_k", Whole, "how many nearest"),
		field("knn_exact", Flag, "by brute force"),
		field("fusion", Text, "rrf (default) or weighted"),
		field("pool", Whole, "candidates of each group"),
		field("fields", List, "source fields to return, comma-separated; empty: none"),
		field("snippet", List, "fields to cut snippets from, comma-separated; in a body also {\"fields\",\"size\",\"number\",\"tags\",\"no_match\"}"),
		field("track_total", WholeOrFlag, "true: exact; N: exact up to N; false: an estimate"),
		{Name: "timeout_ms", Kind: Whole, Least: 1, To: Field, Key: "timeout_ms", About: "the whole budget; default 1000"},
		field("partial", Text, "allow (default), fail or material"),
		field("quality", Text, "full (default) or fast"),
		field("cursor", Text, "* begins a walk; then the token of the page before"),
		field("explain", Flag, "add the parts of each score"),
		field("profile", Flag, "add where the time went: of phases, groups and clauses, and what each clause read"),
	}
}
