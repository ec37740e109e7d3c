// Command torture runs clusters of real processes, lets seeded faults befall them while clients write and read, mends everything, and lets package embedded/witness judge what
// came of it. It may import embedded/witness and what clients of the system use; it runs members, coordinators and NATS servers as the command jetseek has them.
//
//	go run ./scripts/torture -first 1 -count 7 -parts 2
//	go run ./scripts/torture -profile leader -length 1m
//	scripts/soak process seeds 70        the same, into the ledger
//
// A cluster is one NATS server or three, two or three nodes with each of up to three groups on two of them, and two coordinators. Eight clients write, replace, delete, read and
// search; three auditors of each member read documents that were deleted. A schedule passes when no acknowledged write is lost, none was stored twice or answered
// otherwise than the log has it, no deleted document was served, no answer was older than what it was asked for or than what was visible, none was partial without saying so, and when in
// the end every member serves with the digest of its group. A profile, by seed, says which faults:
//
//	kill     every 2.5 s a process dies of SIGKILL or is ended by SIGTERM, and is back 0.2 to 8 s later
//	pause    every 3 s one is stopped for up to two leases (SIGSTOP), and goes on
//	power    servers, a node or all of them lose power: each has an ext4 in a file, and what this file holds when they die is what they find. As root, on Linux.
//	cluster  three servers: the leader of a log, any one, two, or all are killed
//	leader   three servers: the leader of a log is killed every 15 s
//	damage   three servers: one is killed, and finds a bit flipped, or the end cut off, in a file of a log
//	full     each process that keeps data has 24 MiB, and these are full for a while. As root. A NATS server is started again afterwards.
//
// # The fault matrix
//
// What must hold under a fault, and what shows it. In every case nothing acknowledged is lost and nothing deleted served. "sim" are profiles of package embedded/sim, of which
// go test plays 100 schedules; profiles of this program are played by hand with scripts/soak process, and a short one each of kill, pause, damage and power by go test (TestProcesses).
//
//	fault                                   what holds                                   shown by go test                                          by hand
//	F1  a member is killed                  reads and writes go on; a write waits once   TestClusterOutlivesItsProcesses, TestOneWriteWaitsAfter-  kill
//	                                        for its lease                                ADeath, TestProcesses (kill), sim crashes
//	F2  all members of a group are killed   answers are partial and say so; writes are   TestGroupGone, TestMetricsTellOfAMissingGroup,            kill,
//	                                        durable by commit records                    TestCommitRecords, sim crashes                            cluster-figures
//	F3  a coordinator is killed             the other answers; its writes are unknown    TestWritesOutliveEveryKill, sim crashes                   kill
//	F4  a NATS server is killed: the only   503 within a second; whole 3 s after it is   TestClusterOutlivesItsProcesses, TestServerRestarts-      kill
//	    one                                 back                                         UnderLoad, sim server
//	    of three: the leader, two, all      reads go on while leases last; writes after                                                            cluster, leader
//	                                        the election
//	F5  a process is stopped and goes on    it serves nothing old; a delete waits for    TestHeldMemberServesNothingOld, TestDeleteWaitsForA-      pause
//	                                        its lease, not less and not more             StoppedMember, TestDirectedSchedules (also whoever
//	                                                                                     deletes), TestProcesses (pause), sim leases, server
//	F7  a coordinator or member cut off     leases run out; what it says then is refused TestSilentGroupLeavesTheOthers, TestFailoverWithinThe-    -
//	    from NATS, also one way                                                          Budget, TestDirectedSchedules (a fading log), sim
//	                                                                                     partitions, deaf, fading
//	F8  loss of power                       what was acknowledged is there               TestEmbeddedServerSyncsAlways, TestCrashLosesWhatWas-     power
//	                                                                                     NotSynced, TestEveryCallFails, TestProcesses (power),
//	                                                                                     sim crashes, disks
//	F9  a log is damaged                    a member at a hole or before another past    TestDamagedLogIsNoticed, TestStreamMadeAnewIsNoticed,     damage
//	                                        leaves rotation and keeps its data; of       TestLogSetBackWhileAMemberWasAway, TestFollowerNames-
//	                                        three replicas one damaged is no loss        AHole, TestGarbageInALog, TestProcesses (damage)
//	F10 a member's disk is full             it goes on from memory, then stands aside    TestDurable, TestFullDiskOfAMember, sim disks (full)      full
//	                                        and returns by itself when there is room
//	F11 NATS' disk is full                  writes are refused with log_full, reads go   TestFullDiskUnderNATS, TestDisks (of the disk itself)     full
//	                                        on; one server alone returns by itself
//	F12 files of an index are damaged       noticed by checksums; made anew from the log TestDamagedIndexIsMadeAnew, TestFlippedBytesOfFiles,      -
//	                                                                                     TestCutFile, TestEveryByteOfAManifestMayLie, sim disks (rot)
//	F13 calls to the disk fail              a file whose sync failed is given up         TestEveryCallFails, TestOpenFails, sim disks (fail)       -
//	F15 coordinators race                   one map, one type of a field                 TestMapIsBornOnce, TestOneTypeOfAFieldWins                -
//	F16 a member is slow, or behind         others are asked; min_seq is kept; after 5 s TestReadYourWritesThroughAnother, TestSlowMemberLeaves-   pause
//	                                        it leaves rotation                           AndReturns, sim leases (lag), drag
//	F17 messages are missing in a log       a member that has not applied them stops and TestFollowerNamesAHole, TestDamagedLogIsNoticed,          -
//	                                        names them; others go on; it is an alarm     TestPurgedLog, TestLogThatLostMessages
//	F18 an operation makes the engine       all members set it aside alike; others are   TestPanicIsQuarantined, TestPoisonIsSetAsideByAll,        -
//	    panic, its process die, or it       untouched; it can be tried again; no         TestPoisonedDocuments (real processes), TestDeathAtAn-
//	    never ends                          process ends more than twice of it           Operation, TestEndlessOperationIsSetAside
//	    of one member alone                 that one makes its index anew, or fails      TestOwnFaultIsNoPoison, TestSetAsideByOneAlone; sim poison has both at once
//	F19 members differ                      found within two renewals; who is wrong by a TestDivergenceIsFoundAndMended, TestAllWrongAndAgain,     -
//	                                        replay of the log mends itself               TestFlippedByteIsFoundAndMended, TestRepairMendsOneMember,
//	                                                                                     TestBrokenSystemsAreCaught (broken_skip)
//	F20 clocks jump, stand, run fast        a lease ends early at most                   TestLeaseEndsByEitherClock, sim server, leases; every     -
//	                                                                                     member of the simulator runs up to 1 % off
//
// A coordinator's clock does not jump in the simulator: all that it waits for is a difference of two readings of the monotonic clock, which no step of the wall clock changes;
// TestCoordinatorsWaitByTheMonotonicClock, of package scripts, holds its source to that.
// Network namespaces are not used: package embedded/sim cuts the links of each process, one way or both, of requests and of logs.
//
// # Figures
//
// On a machine of two cores that others used too (load 10 to 30); goals in parentheses. The ledger has the totals.
//
//	acknowledged writes lost (G1), deleted documents served (G2)  0 of 60,328 writes and 14,363 verified deletes in 67 schedules of processes, 1,367,366 reads behind deletes
//	the same, simulated                                            0 of 549,851 writes and 124,151 verified deletes in 2,400 schedules, 6,620,085 reads behind deletes
//	schedules with loss of power (G4)                              10 of processes; 192 of the simulated ones from 1601 to 2000
//	calls to the disk that fail (G5), bits that flip (G6)          162 faults at 108 calls of one history, in TestEveryCallFails; 889 bits, in TestFlippedBytesOfFiles: no other answer, no panic
//	write gap when the leader of three servers dies (G7: 10 s)     4.9 to 5.8 s in schedules of leader alone; up to 9.0 s where two or all died
//	reads that fail meanwhile (G8: 0)                              2 of 755, 0 of 924 and 0 of 463: those on their way through the server that died; none that began later
//	verified delete, all up (G11: 100 ms)                          slowest of 400 to 450 in a quiet schedule: 0.2 s
//	verified delete beside a dead or stopped member (G12: 16.5 s)  lease of 4 s: up to 4.2 s; of 15 s: until the lease has run out, at the latest after 15.65 s (TestDirectedSchedules)
//	an operation that never ends is set aside                      24 s, each of two members having ended twice (TestPoisonedDocuments)
//	all well after the last fault                                  0 to 3.7 s
//
// # Scenarios from the field
//
// Those about copies, deletes, retries, durability and disks, each with the test that plays it or the reason why none does.
//
//	scores from any copy                      TestScoresFromAnyCopy (each of three members alone, one of them restarted), TestShape compares every shape with one group, TestVisibleWhenAllHoldersHaveApplied, sim: answers are the log's truth at their sequences
//	silent divergence                         TestDivergenceIsFoundAndMended, TestRepairMendsOneMember (also of a member alone in its group); CheckDigests after every schedule, and broken_skip shows that it sees
//	a group fails once and is retried         TestFailoverWithinTheBudget, TestMemberDiesBetweenTheTrips (shards.retried is 1)
//	a coordinator killed in a bulk without ids TestClusterOutlivesItsProcesses (a coordinator killed in a bulk)
//	whatever is killed while a file is indexed TestWritesOutliveEveryKill: the command, members, the coordinator, NATS; run again it ends with each document once
//	deleted documents that come back          CheckDeletes in every schedule: through kills, losses of power, restarts, flushes, merges
//	memory of deletes after a restart         TestDeletedVersionsAreForgotten, CheckRegisters: writes with a condition (if_version) over deletes and kills; logs are not compacted yet
//	a delete beside a partitioned member      sim partitions, TestDeleteWaitsForAStoppedMember, TestDirectedSchedules
//	bodies that cannot be fetched             TestMemberDiesBetweenTheTrips, TestPinExpiresBetweenTheTrips
//	loss of power                             profile power, also by go test (TestProcesses); sim crashes, disks
//	restart of everything, repeatedly         profiles kill, cluster and power
//	killed while writing, and foreign files   profile kill, TestKilledAfterAFlush, TestAbsentAndForeignFiles
//	disk full                                 profile full, TestFullDiskOfAMember, TestFullDiskUnderNATS
//	seen through another coordinator          TestReadYourWritesThroughAnother, CheckCoverage
//	growing under load, moves                 nothing moves yet
package main
