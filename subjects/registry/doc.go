// Package registry keeps what the cluster has agreed on, in one KV bucket: the map, the collections, and which members are alive. It may import the NATS
// client, packages subjects, wire and placement, and the engine's vocabulary.
//
//	map                       placement.Map; changed by compare-and-set on its revision
//	collections.{name}        [Collection]; created, changed and dropped by compare-and-set
//	cursor_secret             what cursors of walks are sealed with; created once
//	members.{group}.{node}    [Member]; put by the member itself, gone [MemberTTL] after the last time
//
// Beside it stand two object stores for what is larger than a message: [Uploads], where clients put bodies of requests, and [Documents], to which logs refer.
//
// [Store] writes and reads; [Follower] keeps a [View] of all of it. Nothing that is safe may rest on this bucket: no read of it is linearizable, and
// a member's record says only that it was alive. What a lost race means is [ErrConflict]: read again, then decide.
//
// # Following
//
// The follower reads the bucket's stream through a pull consumer of its own, in stream order, from the last value of each key on. When the consumer
// fails, misses a heartbeat or the connection comes back it makes a new one and reads everything again, so a marker that has expired
// meanwhile and a bucket that was made anew are both seen. Two other ways were measured and left: a KV watch was 10 to 19 s behind after a restart of the
// server, and the ordered consumer of nats.go holds on to its context for up to 20 s when it must end while the server is away.
package registry
