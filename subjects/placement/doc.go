// Package placement decides which group owns a document: the id's slot, the map from slots to groups, and the rules that propose maps. It may import
// package wire and the engine's vocabulary, and does no I/O.
//
//	hash = fmix32(fnv1a32(UTF-8 bytes of the id))        slot = hash >> 18        (16,384 slots)
//
// The id and nothing else decides its slot; the table of a [Map] says whose it is. Groups count by length, then bytes, so that g2 stands before g10.
//
// # Rules
//
//	ring      slot s belongs to the first virtual node at a position >= s<<18, wrapping to the lowest. Group G has the nodes
//	          fmix32(fnv1a32("G#K")) for K = 0, 1, …; at equal positions the lower group wins.
//	modulo    slot % N
//	balanced  even to one slot, with the fewest moves from the table before: growth from N-1 to N moves floor(16384/N) slots
//
// # The map's JSON
//
//	{"epoch":1,"rule":"ring","vnodes":128,
//	 "groups":[{"name":"g0","own_epoch":1,"log":"00112233445566778899aabbccddeeff","generation":1,"members":["g0/n1","g0/n2"]}],
//	 "table":[0,16384]}
//
// The table is run lengths: a group's index, how many slots, the next group's index, and so on.
package placement
