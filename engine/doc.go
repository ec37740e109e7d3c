// Package engine is one index on one machine: it applies ordered operations and answers queries from immutable snapshots. It knows no network,
// no log library, no clock and no random number: what an [Index] holds is a function of the messages applied. It imports the vocabulary
// (schema, analysis, query, bm25, fault, outcome), vfs for its files, and its own internals.
//
// An Index holds all collections of one member. Each [Index.Apply] makes one small segment of the documents that it brings to a collection, clears the live bits of
// those that it replaces or deletes, and publishes one [Snapshot] with all of it: what is applied is searchable. Small segments are merged
// at once, larger ones by [Index.Merge] beside everything else.
//
// A document counts when it is live and its slot is owned: in hits, totals, N, lengths, df and Get. Statistics are exact at any time, however the
// documents lie in segments, so that scores do not depend on batches and merges. Digests tell whether two members hold the same.
//
// An operation may carry a request key. The outcomes of the last [KeptOutcomes] such operations are part of the state: a repeat is answered with the first outcome and
// changes nothing.
//
// An operation that makes decoding or analysis panic, or that the caller says is to be set aside ([Op.Aside]), changes no document: it is rejected, and stands in the quarantine
// ([Snapshot.Quarantine]), which is part of the state too. It may be tried again ([Op.Again]); it does nothing then if an operation on its id was done since.
//
// # Files
//
// With a folder, [Index.Flush] writes what is in memory to one segment file a collection, and then the manifest: the whole state at one sequence, less what the files hold.
// [Open] finds that state, and the log from there on makes the rest of it, with the same outcomes. So a background merge, which may have left out what was deleted since the
// manifest, is named by the next one only, and the files before it stay until then. A file goes when neither the manifest nor a snapshot needs it. Every file
// is written under another name, synced and renamed; the folder is synced before the manifest names a file. What of this fails is given up, and begun anew by the next call.
//
// Segment files are mapped. All their bytes are verified when they are opened; a fault while they are read is an error that names the file ([ErrUnreadable]).
// What is in memory only is bounded by [Resources], which the indexes of a process share: they ask for flushes ([Index.FlushDue]), and let appliers wait
// ([Index.AwaitRoom]).
//
// One goroutine writes (Apply), at most one merges, at most one flushes; a snapshot is read by any number without a lock.
package engine
