// Command torture runs clusters of real processes, lets seeded faults befall them while clients write and read, mends everything, and lets package embedded/witness judge what
// came of it. It may import embedded/witness and what clients of the system use; it runs members, coordinators and NATS servers as the command jetseek has them.
//
//	go run ./scripts/torture -first 1 -count 6 -parts 2
package main
