// Package wire says what messages hold: records of a group's log, requests to members and their framed replies, reports and watermarks, errors, and
// the JSON bodies of the public API. It may import the engine's vocabulary (fault, outcome, schema, query, bm25), nothing else of the project.
//
// # Two forms, chosen by the first byte
//
// Between our own processes requests and replies are binary: 0xB1, which names binary form 1, then the kind of message (one byte), then its fields in
// order. A message that begins with '{' is JSON, for people and foreign clients, and is answered in JSON. A record of the log is always binary and has
// its own header. Integers are unsigned varints as in encoding/binary unless a width stands beside them (little-endian), signed ones zigzag varints;
// str and bytes are a length and that many bytes; f64 is the IEEE bits in 8 bytes, so that weights and scores keep every bit; list is a count, then the items.
//
//	frame    b1 | kind | call | round | slot | n | last u8 | seq | epoch | fingerprint u64 | incarnation u64 | failed u8 | error if failed, else the body
//	head     b1 | kind | call | round | slot | collection u64 | schema version | epoch | min seq | at seq | budget ms | body
//	error    code str | message str | position+1 | reason str | durable str
//
//	kind  message         body
//	1     StatsRequest    flags u8 (1: pin) | fields list of str | terms list of (field str, term str) | fuzzy list of (field str, exact u8, word str, edits, prefix, most)
//	2     StatsReply      fields list of (docs, total length) | df list | near list of lists of (term str, edits, df)
//	3     SearchRequest   flags u8 (1: score, 2: a query follows, 4: aggregations follow, 8: a place follows, 16: collapse, 32: profile, 64: a belief follows) | limit | count to | fingerprint u64 | query | filters list | weights list of 3 f64 | sort keys list |
//	                      aggregations bytes, as package agg encodes definitions | belief: fields list of str, terms list of (field str, term str), fields list of (docs, total length), df list |
//	                      the place in the order to go on behind, as candidates of one
//	4     SearchReply     1 | fields list of (docs, total length) | df list, where these are not what the request believes; else 0 | total | left out | 0, or 1 and partial results of aggregations, bytes as package agg encodes them, or 2 and an error; 4 more: then a profile, bytes, JSON | candidates
//	5     DocsRequest     ids list of str
//	6     DocsReply       docs list
//	7     GetRequest      id str
//	8     GetReply        doc
//	9     PingRequest
//	10    PingReply       state str | applied | content seq | documents | digest 16 bytes
//	11    Report          group str | member str | incarnation u64 | counter | seq | serving u8 | outcomes list of (code u8, plus 0x80 when it was decided before; version) | leases list
//	12    Watermark       group str | member str | incarnation u64 | counter | applied | content seq | head | epoch | documents | digest 16 bytes | state str | leases list
//	13    Error           an error on its own
//	14    SlotsRequest
//	15    SlotsReply      slots list of (slot, documents), slots ascending
//	16    ExplainRequest  id str | query | fields list of str | terms list of (field str, term str) | fields list of (docs, total length) | df list
//	17    ExplainReply    found u8 | matched u8 | explanation bytes, JSON
//	18    HasRequest      deleted list of (id str, seq)
//	19    HasReply        births list of seq, of the ids in their order
//	20    DigestRequest   at | collections list of u64
//	21    DigestReply     root 16 bytes | rest 16 bytes | collections list of (collection u64, digest 16 bytes) | list of (collection u64, slots list of (slot u16, documents,
//	                      digest 16 bytes)), all ascending
//	22    RepairRequest   at | whole u8 | list of (collection u64, ranges list of (first u16, last u16))
//	23    RepairReply     phase str | documents | reason str
//	24    QuarantineRequest
//	25    QuarantineReply list of (seq, operation, kind u8, superseded u8, collection u64, slot, id str, reason str)
//	26    CompleteRequest field str | exact u8 | prefix str | most
//	27    CompleteReply   rest | terms list of (term str, df), df descending, then by bytes
//
//	candidates   count | keys each | length of the arena | per candidate: length of the id, score (zigzag), its keys | the arena
//	key          kind u8 | nothing, an integer (zigzag), f64, or a length in the arena
//	doc          found u8 | id str | version | source bytes
//	cursor       b1 | collection u64 | name str | groups list of (group str, seq) | kept at, ms | total | 0 (eq), 1 (gte) or 2 (estimate) | body bytes | the last place, as candidates of one
//	lease        member str | incarnation u64 | g | duration ms
//
// The arena holds ids and string keys in the order of their lengths, so that a reader makes one string and cuts it.
// Nodes of a query and sort keys are encoded by package query.
//
// # A record of the log
//
//	offset  size
//	0       4     magic "JSLG"
//	4       1     format, 1
//	5       1     length of the reply inbox
//	6       2     number of schema records
//	8       4     number of operations
//	12      4     length of the operations in bytes
//	16      16    uuid of the log
//	32      8     incarnation of the sender
//	40      8     counter of the sender
//	48      8     epoch of the map
//	56      8     the sender's clock, ms since 1970, for people only
//	64      4     key id; 0: unsigned
//	68            operations, schema records, reply inbox
//	              MAC, 32 bytes, only when the key id is not 0; over everything before it
//	end-4   4     CRC32C (Castagnoli) of everything before it
//
//	operation      kind u8 | flags u8 | collection u64 | schema version | slot | id str | request key str if flag 1 | if_version if flag 2 |
//	               flag 4: object str and its SHA-256 (32 bytes), else body bytes
//	schema record  collection u64 | version | name str | schema bytes
//
// The request key is the request id, / and the line of the bulk, 0 for a single write. Members keep what became of the last 65,536 operations with one, but for
// those that the group did not own: an operation whose key comes again in its collection is answered with the first outcome, and one of another id or kind is a conflict.
// A quarantine record stands on a subject of its own, behind the operation that it sets aside. An operation of kind requeue tries one again that was set aside: its request key is that
// one's place, sequence/operation, and the rest of it is as it was. With a body or an object it is a put, without either a delete.
//
// A commit record is published to the log under the condition that the newest message on the subject of ownership is still the one that its payload names.
//
// Schema records stand behind the operations, so that a batch can be built operation by operation; they are applied before them. Another format, or a
// kind with an unknown number, is [ErrNewerLog]. A control operation (lease, own, …) has its payload as the body.
//
// # Reasons
//
// An [Error] has a code that users see and, where a program must branch, a reason. Coordinators act on a member's reasons and show most of them as
// unavailable:
//
//	not_serving       no valid lease, or not in state serving: ask another member
//	stale_map         the member is ahead of the request in ownership or schema: read the KV again and plan anew
//	pin_lost          the snapshot asked for by its sequence is gone: start over with the statistics
//	not_caught_up     min_seq was not reached in the budget
//	dropped           code no_collection: the incarnation is in the member's dropped set
//	overloaded        code overloaded: the member's queue is full; ask another
//	malformed         code bad_request: the request does not decode; a fault of the asking process
//	internal          a recovered panic or a fault without a code
//
// A member that has never seen a collection's incarnation answers as for an empty collection, without an error.
package wire
