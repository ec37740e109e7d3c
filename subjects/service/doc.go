// Package service makes a process known to the NATS services framework, so that nats micro ls, info and stats show coordinators and members, and
// counts what it answers. It may import the NATS client and package subjects.
//
// It answers the framework's discovery subjects with the framework's own messages (package micro of nats.go), and takes no request itself: those stay with
// the plain subscriptions of their owners, whose callbacks only queue. The framework's own endpoints were looked at and left: they time and count the callback,
// so a handler that queues shows requests of 0 µs without an error, and they take over the connection's error and closed handlers.
//
//	$SRV.{PING|INFO|STATS}                  every service
//	$SRV.{PING|INFO|STATS}.{name}           all processes of a service: jetseek, jetseek-shard
//	$SRV.{PING|INFO|STATS}.{name}.{id}      one process
//
// The counts of an endpoint are from when its process started. Its "data" holds a histogram of latencies, and what its owner adds.
package service
