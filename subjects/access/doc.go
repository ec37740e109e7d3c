// Package access says what jetseek needs of a NATS server that belongs to others: the streams and buckets with their exact configuration, and for every
// role the subjects that it must publish and subscribe to, and no others. It may import packages subjects, ops and registry, and does nothing but say.
//
// There are five roles: the reader, writer and admin are clients, each with all that the one before may; coordinator and member are processes. The
// permissions assume that the streams are there already: no role may make, change, purge or delete one, but for the object store, from whose stream a
// coordinator removes what was uploaded.
//
//   - Clients publish requests to the planes of their role, and nothing else of jetseek.
//   - Only coordinators publish ownership to logs. A member publishes leases, so it may write to the logs of its own groups, and to those alone.
//   - Nobody publishes to the tail: only the server does.
//   - Every role has an inbox prefix of its own ([Role.Inbox]), and may read no other's. Its connections must use it, or they get no replies.
//
// What a request could aim a reply at is not left to permissions, which a responder's would override: coordinators and members answer inboxes only.
package access
