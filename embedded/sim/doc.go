// Package sim runs the whole system under virtual time, with seeded programs of clients and seeded faults, and checks what came of it. Members,
// coordinators, clients and JetStream are the production code over a real server with files; only the connections between them, the members' clocks and
// the moments at which members apply and answer are in its hand. It may import everything of the project, and only its own tests use it.
//
// A seed makes a [Plan], a pure function: the shape, what every client does, and which faults come when. A [World] plays it in a bubble of testing/synctest,
// writes a [History] of every operation with its start, end and outcome, then mends everything and reads what is left. The checkers are pure functions over
// the history and the [Log], which is the streams' messages played through a model of a few lines:
//
//	CheckAcknowledged  what was acknowledged is in the log, with the outcome that was answered, once, and in the end there; what certainly failed is not
//	CheckRegisters     each document by itself is a register: writes are linearizable, and a read is no older than what was visible when it began
//	CheckDeletes       no read that began after a verified delete gives the document, unless it was written again
//	CheckSessions      an answer is never older than the min_seq it was asked with
//	CheckCoverage      an answer is whole or says what is missing; a whole one is the truth at its sequences
//	CheckDigests       members of a group at equal content have equal digests, and they are of the model's documents
//
// Go's scheduler is not seeded: one seed gives one plan, and nearly the same run.
//
// Systems that are broken on purpose, one a build tag, show that the checkers see what they are for: JETSEEK_SIM_BROKEN=1 lets TestBrokenSystemsAreCaught build
// and play them. JETSEEK_SIM_SEEDS and JETSEEK_SIM_FIRST choose the seeds of TestSchedules; scripts/soak plays them for hours.
package sim
