// Package sim runs the whole system under virtual time, with seeded programs of clients and seeded faults, and lets package witness judge what came of it. Members,
// coordinators, clients and JetStream are the production code over a real server with files; only the connections between them, the members' clocks and
// the moments at which members apply and answer are in its hand. It may import everything of the project, and only its own tests use it.
//
// A seed makes a [Plan], a pure function: the shape, what every client does, and which faults come when. A [World] plays it in a bubble of testing/synctest
// before a Witness of that package, then mends everything; the checkers see what is left.
//
// Go's scheduler is not seeded: one seed gives one plan, and nearly the same run.
//
// The ledger's seeds were played with the plans of their commit: a profile more, and the same seed is another schedule. There were five profiles up to seed 1300, seven up to 1600, and there
// are eight since.
//
// Systems that are broken on purpose, one a build tag, show that the checkers see what they are for: JETSEEK_SIM_BROKEN=1 lets TestBrokenSystemsAreCaught build
// and play them. JETSEEK_SIM_SEEDS and JETSEEK_SIM_FIRST choose the seeds of TestSchedules; scripts/soak plays them for hours.
package sim
