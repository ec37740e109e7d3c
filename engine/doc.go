// Package engine is one index on one machine: it applies ordered operations and answers queries from immutable snapshots. It knows no network,
// no log library, no clock and no random number: what an [Index] holds is a function of the messages applied. It imports the vocabulary
// (schema, analysis, query, bm25, fault, outcome) and its own internals.
//
// An Index holds all collections of one member. Each [Index.Apply] makes one small segment of the documents that it brings to a collection, clears the live bits of
// those that it replaces or deletes, and publishes one [Snapshot] with all of it: what is applied is searchable. Small segments are merged
// at once, larger ones by [Index.Merge] beside everything else.
//
// A document counts when it is live and its slot is owned: in hits, totals, N, lengths, df and Get. Statistics are exact at any time, however the
// documents lie in segments, so that scores do not depend on batches and merges. Digests tell whether two members hold the same.
//
// One goroutine writes (Apply), at most one merges; a snapshot is read by any number without a lock.
package engine
