// Package witness drives a whole system with seeded clients, remembers what they saw, and judges it. It knows no fault: whoever uses it brings those, package sim in
// virtual time and scripts/torture with real processes. It may import everything of the project but packages embedded and sim.
//
// A [Witness] looks at one system: its clients play programs ([MakeProgram]), its auditors read documents that were deleted from each member all the time, past every
// coordinator, and all of it is a [History]: every operation with its start, end and outcome. When all was mended it gathers [Evidence]: the history, the [Log], which is the
// streams' messages played through a model of a few lines, every document as every member has it in the end, and what members say of themselves. [Judge]
// gives that to the checkers, which are pure functions:
//
//	CheckAcknowledged  what was acknowledged is in the log, with the outcome that was answered, once, and in the end there; what certainly failed is not
//	CheckRegisters     each document by itself is a register: writes are linearizable, and a read is no older than what was visible when it began
//	CheckDeletes       no read that began after a verified delete gives the document, unless it was written again
//	CheckSessions      an answer is never older than the min_seq it was asked with
//	CheckCoverage      an answer is whole or says what is missing; a whole one is the truth at its sequences
//	CheckDigests       members of a group at equal content have equal digests, and they are of the model's documents
//	CheckQuarantine    what no member could apply was set aside by all, nothing else was, and tried again in the end it is done as the log has it
package witness
