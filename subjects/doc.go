// Package subjects is the contract between processes: where messages go. Its sub-packages say what the messages hold ([wire]), who owns which
// document ([placement]) and what the cluster has agreed on ([registry]). It may import the NATS client and the engine's vocabulary, never package
// engine, shard or coordinator.
//
// # The protocol table
//
// The prefix is jetseek unless it is configured otherwise. The plane is the first token behind it, so that every role is one wildcard: a reader may
// publish jetseek.read.>, a writer also jetseek.write.>. No token holds what a user wrote, except collection names, which are restricted; ids
// travel in bodies.
//
//	subject                                  published by   answered or read by            holds
//	jetseek.read.{collection}.{op}           clients        coordinators, one queue group  JSON: search, get, explain, analyze, suggest
//	jetseek.write.{collection}.{op}          clients        coordinators, one queue group  index: a document; bulk: NDJSON; delete: {"id":…}
//	jetseek.admin.{op}                       clients        coordinators, one queue group  JSON: collections.list, collections.create, collections.show,
//	                                                                                       collections.drop, map, members, ring, placement, plan, repair,
//	                                                                                       quarantine, requeue, status
//	jetseek.group.{group}.{node}.{op}        coordinators   that member                    wire requests: search, stats, docs, get, ping, slots,
//	                                         members                                       explain, complete, repair; members ask each other for digest,
//	                                                                                       quarantine
//	jetseek.group.{group}.any.{op}           anyone         one member, queue group        the same, for people and for a coordinator without a map
//	jetseek.log.{group}                      coordinators,  the stream JETSEEK_{group}     wire.Record: operations, leases
//	                                         members
//	jetseek.log.{group}.own                  coordinators   the same stream                wire.Record: ownership entries, a subject of their own so that
//	                                                                                       others can be guarded by the last of them
//	jetseek.log.{group}.quarantine           members        the same stream                wire.Record: operations that no member can apply, a subject of
//	                                                                                       their own so that they are found before they are met
//	jetseek.tail.{group}, .own, .quarantine  the server     members                        what the stream stored, with Nats-Sequence
//	jetseek.event.group.{group}.applied      members        coordinators                   wire.Watermark
//	jetseek.event.map                        coordinators   anyone                         reserved: the map has a new epoch
//	_INBOX_JETSEEK.c.{incarnation}.>         members        that coordinator               wire.Report, and replies at .{call}.{round}.{slot}
//	$KV.JETSEEK.>                            coordinators,  all                            package registry: map, collections, members
//	                                         members
//	$O.JETSEEK.>                             writers,       coordinators                   package registry: bodies larger than a message
//	                                         coordinators
//	$O.JETSEEK_DOCUMENTS.>                   coordinators   members                        package registry: documents that logs refer to
//	$SRV.{PING|INFO|STATS}                   anyone         coordinators, members          package service: who there is, and what it has answered
//
// A queue group is named like the service: jetseek for coordinators, jetseek-shard for the members of a group behind any. Services are
// registered under the same names. Package ops has the operations of the first three rows, package access what each role may publish and subscribe to.
//
// # Replies
//
// A request is answered only when its reply subject's first token begins with an underscore ([IsInbox]); else nobody could tell an answer from an
// injected record. Outcomes of operations go only to a coordinator's inbox ([Names.IsCoordinatorInbox]), so that no record can aim a member's publish
// elsewhere.
//
// # Names of assets
//
// The prefix in capitals with its dots as underscores names streams, the bucket and inboxes: acme.search has streams ACME_SEARCH_{group}, bucket
// ACME_SEARCH (for uploads too), object store ACME_SEARCH_DOCUMENTS and inboxes _INBOX_ACME_SEARCH.c.{incarnation}.
package subjects
