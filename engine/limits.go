package engine

// Limits of what an index takes; an operation beyond them is rejected.
const (
	// MaxIDBytes is the length of the longest id.
	MaxIDBytes = 1024
	// MaxSourceBytes bounds a document. Coordinators refuse documents from a lower, configurable size on; this bound is the same for all members.
	MaxSourceBytes = 64 << 20
)

// batchSourceBytes is the size of the documents of one collection from which Apply makes a segment before it has seen all messages.
const batchSourceBytes = 32 << 20
