// Package embedded runs the whole system in one process: a NATS server with JetStream on disk, the members of every group, a coordinator and a client, over
// the same subjects, streams and code as a cluster of processes; only the way from the client to the coordinator is a call. It may import everything of the project, and it alone imports nats-server.
//
// # A data folder
//
//	LOCK                      held while the folder is in use
//	nats/                     JetStream: the groups' logs and the cluster's records
//	members/<node>/<group>/   what a member keeps for itself
package embedded
