package wire

// The kinds of binary messages, their second byte. The list is append-only.
const (
	kindStatsRequest uint8 = iota + 1
	kindStatsReply
	kindSearchRequest
	kindSearchReply
	kindDocsRequest
	kindDocsReply
	kindGetRequest
	kindGetReply
	kindPingRequest
	kindPingReply
	kindReport
	kindWatermark
	kindError
	kindSlotsRequest
	kindSlotsReply
	kindExplainRequest
	kindExplainReply
	kindHasRequest
	kindHasReply
	kindDigestRequest
	kindDigestReply
	kindRepairRequest
	kindRepairReply
	kindQuarantineRequest
	kindQuarantineReply
	kindCompleteRequest
	kindCompleteReply
)

// The operations of a member, as they stand in subjects.
const (
	OpStats   = "stats"
	OpSearch  = "search"
	OpDocs    = "docs"
	OpGet     = "get"
	OpPing    = "ping"
	OpSlots   = "slots"
	OpExplain = "explain"
	OpHas     = "has"
	OpDigest  = "digest"
	OpRepair  = "repair"

	OpQuarantine = "quarantine"
	OpComplete   = "complete"
)
