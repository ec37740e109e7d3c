// Package shard is a member of a group: it replays the group's log into an engine, answers for it while a lease that went through that log
// allows, and reports what it applied. It may import engine and subjects, never coordinator.
//
// # One member
//
// A member is a few loops over one [engine.Index]:
//
//	follow   takes the group's log in order: the tail (the stream's republished messages, core NATS) while it is contiguous,
//	         direct reads and an ordered consumer where it is not. Contiguity is Nats-Sequence == applied+1, always checked. The tail is
//	         believed for whole records of this stream, one after the other; all else that it claims is asked of the stream.
//	apply    is the one writer of the index: it applies what has arrived as one batch, then reports each message's outcomes to the
//	         inbox that its record names, and its watermark to jetseek.event.group.<group>.applied.
//	lease    publishes a lease record every L/5 to the same log and keeps the leases that were stored until they end.
//	serve    takes requests from jetseek.group.<group>.<node>.<op> (and .any. while it serves) through a bounded queue.
//	verify   finds out by a replay of the log who is wrong when another member holds something else, and mends this one if it is; scrub compares what it holds with its checksums.
//	lag      takes a member out of rotation (fenced) that is more than 5 s behind its log, and back when it keeps pace.
//	flush    writes the index to files when it has become old or memory is needed, and when the member ends; merge runs beside it.
//
// # May serve
//
// A snapshot may be served when, taken before the check, its own sequence is at or past the sequence g of a lease that this incarnation holds and
// that has not ended by either the monotonic or the wall clock, both counted from before the lease was sent; if the two clocks disagree by 200 ms or more about
// how long ago that was (a frozen machine, a stepped clock), the lease is dropped. The end is checked again before the reply leaves.
// A pinned snapshot takes its content from the pin and its permission from the current snapshot; ids deleted since the pin are left out.
//
// # Rest
//
// A member that has met no request and no write for a minute stops serving and gives its leases back through the log, which is quiet from then on. The next request, or write
// that it applies, wakes it: requests wait beside the queue until it has a lease with a place behind all that was stored meanwhile, and has applied so far. It is in state serving all
// the time. Auditors and pings neither wake it nor keep it awake.
//
// # Pins
//
// A pin record makes every member keep its snapshot at the record's place, so that any of them gives the pages of a walk; another one, which names the sequence, keeps it for
// longer. A snapshot goes a minute after its last use. A member keeps 256 different contents at most, and 512 MiB of segments in memory for them: beyond that a walk cannot begin. One that has started again keeps none of before.
//
// # Start
//
// The index is opened as its last flush left it, with the lease table of that sequence; a damaged one is set aside. The log must be the one that the index was made from, and
// hold all of that; it is followed from the next sequence. Leases of this member that stand in the table are those of incarnations before it, and serve nothing.
//
// Stream and bucket are made idempotently; genesis is offered with expected last sequence 0, and the loser reads message 1. The first act is
// release{member, predecessor} for every incarnation that the data folder names: its PubAck is the head that the replay must reach
// before the first lease. Outcomes are reported only for messages behind that head and only under a coordinator's inbox prefix.
//
// States: joining (replays; or caught up, reason no_lease, or log_rewritten when it is gone, when the log has taken no lease for as long as one lasts), serving (holds or renews leases), fenced (out of rotation for a while, with a reason: it mends itself and returns), stalled (out of rotation since its disk takes no files and memory is used up, or since an operation cannot be applied), draining (stops: no new lease), failed (with a reason: a hole in the log, a log of a
// newer version, an index that cannot go on). A failed member answers nothing but ping. What stands in the log and is
// no record, or does not decode, is passed over by every member alike.
//
// # Full disks
//
// A member whose disk takes no files goes on in memory, and its state has the reason disk_full or disk_failed. When it can apply nothing for a third of a lease it is stalled: it
// serves nothing and gives its leases up in the log, so that no write waits for it. When there is room again it applies what it has missed, up to the head that another release
// tells, and takes a lease.
//
// # The log is checked, not trusted
//
// A member remembers the hashes of the last 4,096 messages that it has taken, and a chain over all of them, chain n = SHA-256(chain n-1, n, SHA-256(payload n)). The place
// that it has reached (uuid of the log, sequence, both hashes) is kept with the index and written down each second. From that it finds
//
//	log_hole{n..m}   messages that were stored and are gone: after ten looks by name, two of them through a consumer of its own as well. A member that has applied what is gone goes on, also
//	                 when it starts again: its index stands for it.
//	log_rewritten    another message where one was applied, another log, or a log that ends before what was applied. Compared at the start, after each reconnect, after each
//	                 lease, and when the tail repeats a sequence with another message. That a log is shorter is believed to the acknowledgement of a record alone, which
//	                 has its place in the log's order: a server that leads no more may answer questions with an older state.
//
// Either makes the member failed, with the word as the first of its reason; it keeps its data, and nothing is rolled back or overwritten. A member that finds it at its
// start stands aside in that state, and makes no stream and no genesis where the group is known to have had a log.
//
// # Members that differ
//
// Behind each lease, barrier and checkpoint record, a mark, a member remembers what it holds, as digests: of all, of each collection, of each slot. Batches end at marks, so all members
// have a digest at the same places. A lease tells the digest at the last mark that its member had passed; whoever applies the lease has passed that mark too, and compares. So a
// divergence is found two renewals after it was applied, and nobody has to answer for it.
//
// When another member held something else, a member asks it in which slots, replays the log from its first message into a scratch index of these slots alone, and compares itself with that.
// Both do; neither majority nor rank counts. Who is right goes on, and takes no notice of the other for a while. Who is wrong leaves rotation (fenced, with the reason), gives its leases up
// in the log, brings the replay to where it is itself, replaces in its index the documents that differ, and joins again. When more than documents differs, or a quarter of all
// slots, it makes its index anew. That a member has been proved wrong stands in its folder until it is right, so that a restart does not bring it back as it was.
//
// A byte that changes in a file or in memory changes no digest: segments are compared with their checksums over and over, at 32 MB/s; a member with a damaged one begins anew.
//
// # Operations that cannot be applied
//
// The unit is one operation, named by its place: the sequence of its message, and its number in the record. A panic while a body is decoded or analysed, which is where nearly all that
// depends on its content happens, is decided in place: the operation is rejected and stands in the quarantine, which is part of the state and of its digest; all members of one
// software do the same. A member that has done so alone finds that by the digests, asks the other for its quarantine, and fails (own_fault).
//
// Whatever else goes wrong, a panic in the engine, its error, or the end of the process, leaves an index of which nothing is known. So before each batch a member writes down what it is going to
// apply, into a file whose page outlives the process, and strikes it out afterwards. When a batch breaks off, in this life or the last one, the index is opened again as its files have it, and the
// messages of that batch are applied one operation at a time, each written down before. Leases of before count no more: the index has gone back behind what it said it had applied. An operation at which that breaks off too is not tried a third time: a process dies at most twice of it.
//
// What does not come to an end ends the process as well, since nothing else stops it: while the engine applies, the member looks ten times in 10 s whether it is still at the same batch, or the same operation on trial, with
// 10 s for each MiB of it (an operation counts as 1 KiB at least), and Run fails with [ErrEndless] when it was eleven times. Looks are counted, not time: a process that was stopped has not looked.
//
//	the member leaves rotation (stalled, reason poison), before that operation, and says in its liveness record that it is stuck there
//	another says that it has applied it     the fault is this member's. It makes its index anew and tries once more; then it fails (own_fault). The others go on.
//	every other says that it is stuck too   each writes quarantine{place} to the log, on the subject log.{group}.quarantine; the first one counts. A member that has failed counts as
//	                                        stuck, since it applies nothing before its next start.
//	one has not come to it, or is away      it is waited for: it may have applied the operation, and acknowledged it. The reason names it.
//
// An operation is set aside when the log holds such a record, wherever that stands. So each member reads these records when it joins, and again while it is stuck, before it applies anything that they name;
// replays have them of their member. What is set aside is then a function of the log alone, also for software that could apply it. A member that meets a record of an operation that it
// has applied makes its index anew.
//
// An operation that was set aside has the outcome rejected, changes nothing, and is kept by name (the first 1,024; the digest has all). requeue, a later operation of the log with the same content, that place for its
// request key, and its condition, takes it out of the quarantine and is done in its own place of the log. If another operation on the id was done in between it does nothing: what was deleted does
// not come back.
//
// What is not there: records of the quarantine that were written before a cluster got keys do not verify afterwards: try their operations again first.
//
// # What is genuine
//
// A record of another log is passed over: its operations are rejected, at their place, by every member alike, and counted. With cluster keys the same holds for a record that
// does not verify: without a signature, with a wrong one, or of a key that is not in the member's file. A log counts as signed from its first record that verifies on;
// records before it, from a time without a key, stand. So the answer follows from the log and the keys, and all members must have the same keys: a new key is added to every
// file as the last line first, and becomes the first line, which signs, when all have it. A key that has signed stays in the files as long as the log holds its records. A member
// without keys fails at a signed record. A member whose keys are not those of the members that serve, or of the log's first message, fails before it writes anything (other_keys); coordinators compare
// theirs with those of serving members before they write.
package shard
