// Package scripts holds what is run by hand or by machines around the code, and the test that holds the code to its own rules. It may import nothing of
// the project.
//
//	check    everything that must hold before a change is handed on
//	bench-engine  the engine beside Lucene 8 and bleve: queries, indexing, sizes (enginebench, a module of its own)
//	bench-spine  the product beside what bare NATS needs for the same messages
//	browser-install  Chromium, which the tests of the pages use where it is found
//	cluster  a real cluster on this machine: NATS, three shard processes, two coordinators
//	cluster-figures  what is acknowledged, answered and caught up while its processes are killed
//	soak     schedules for hours, simulated or of real processes; what came of them stands in soak-ledger.csv, which it alone writes
//	torture  schedules of real processes that are killed, stopped, lose power, have no room, or find their logs damaged
//
// The rules, which go test ./scripts checks:
//
//  1. engine and below import no NATS, no HTTP, no log, no random source, and do not read the clock.
//  2. subjects and below import only the engine's vocabulary, never package engine.
//  3. shard and coordinator never import each other.
//  4. coordinator never imports package engine: so it owns no documents.
//  5. Only embedded and below import nats-server, and tests have it from embedded/natstest.
//  6. coordinator/client and coordinator/bridge import no internals of the coordinator.
//  7. No package or file is named util, common, helper, misc, base, shared, types, models, constants or interfaces.
//  8. Packages that decide do no I/O: placement, rank, bm25 and query.
//
// Besides: every package has a comment, every subject and operation in the code stands in the table of package subjects, links in Markdown lead
// somewhere, and the top level holds what it should and nothing else.
package scripts
