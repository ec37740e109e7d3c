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
// JETSEEK_SIM_SEEDS and JETSEEK_SIM_FIRST choose the seeds of TestSchedules; scripts/soak plays them for hours.
//
// # Systems that are broken on purpose
//
// They show that the checkers see what they are for, one a build tag: JETSEEK_SIM_BROKEN=1 lets TestBrokenSystemsAreCaught build and play each until the checkers that it names see it. The last run with all of
// them, two at a time on a machine that others used too, took 930 s:
//
//	broken_b        a member does not look at its lease's place in the log               seed  14   1 min 53 s   auditors, deletes
//	broken_c        a coordinator takes clocks to run alike, and they differ by 5 %           87   1 min 33 s   deletes, registers
//	broken_d        a member looks at its monotonic clock alone                               34   1 min  1 s   auditors
//	broken_f        a member counts its lease from the acknowledgement                       111   2 min 40 s   auditors, deletes
//	broken_g        a member is not fenced                                                    12   1 min 10 s   auditors; 14: deletes
//	broken_h        a member looks at what it has applied instead of the snapshot             18   1 min 41 s   auditors
//	broken_i        a member tries a lease again under the same message id                     9         30 s   deletes
//	broken_newest   a coordinator waits from the newest lease that it happens to know         43   3 min 29 s   registers, coverage
//	broken_evict    a coordinator takes leases out of the table that have not run out          6         39 s   registers
//	broken_rest     an idle member serves on under the leases that it has given back          18         26 s   auditors, deletes
//	broken_back     a member serves under leases of before its index went back                14         10 s   registers
//	broken_wait     a member sets aside what others may yet apply                              6          7 s   acknowledged, registers, quarantine
//	broken_skip     a member leaves out one operation in 10,000                               43         57 s   acknowledged, coverage
//	broken_ack      a coordinator acknowledges before the log does                            17         25 s   acknowledged, deletes, registers
//	broken_session  a coordinator does not pass min_seq on                                     3          3 s   sessions
//	broken_partial  a coordinator does not say that a group is missing                         1          2 s   coverage
//
// The schedules that show two of them are rare by chance, so that a profile, fading, has what leads to them, and TestDirectedSchedules the shortest of each. L is a lease's length:
//
//	broken_f  the log stores lease g, and its acknowledgement takes d > 0.03 L + 0.2 s; the member applies the log up to g, then nothing, and does not learn that it is behind; a delete is stored at s > g,
//	          and is verified 1.03 L + 0.2 s after g became known; until L + d after g was stored, the member serves what it deleted
//	broken_h  the member is behind as above until its leases have run out, and the delete is verified; a read takes its snapshot, from before s, and waits; the member catches up and takes a lease g' > s; the
//	          read goes on, finds that what the member has applied is past g', and gives the document
//
// A member whose apply loop alone is held does neither: its next lease tells it that it is behind, and it leaves rotation after 5 s.
package sim
