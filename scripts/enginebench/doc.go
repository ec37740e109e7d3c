// Enginebench compares the engine with its peers: bleve, in Go, and Lucene 8, in Java, over the same documents and the same queries in one run. It is a module of its
// own so that no peer is a dependency of the project, and imports package engine's vocabulary as any program would. scripts/bench-engine runs it.
//
// The lead makes a corpus and queries in a folder, each once, from a fixed seed, and starts a process for each engine, itself again for those in Go, which it
// tells what to do by lines (see serve.go). Engines take turns, class of queries by class, round by round, so that a noisy machine is noisy for all. A query's time is the
// processor time of the thread that runs it, the least of all its runs.
//
// # The files in the folder
//
//	docs     a document a line: its tag, a tab, its words, a blank between two. Its id is the number of the line, from 0.
//	queries  a query a line, tabs between: class, any|all|phrase, how many hits, exact|pruned total, the tag it is filtered by or nothing, words with blanks between
//
// All engines hold the words as they are: runs of letters and digits in lower case, without stop words and stems.
//
// Analysers and parsers of queries are compared with bleve's by themselves: go -C scripts/enginebench test -run xxx -bench .
package main
