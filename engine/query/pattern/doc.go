// Package pattern compiles what stands for many terms to automata over the bytes of a term: wildcards, regular expressions, words with errors. It imports
// package fault.
//
// An expression is a machine over characters: a set of places in its program ([ParseRegexp], [ParseWildcard]), or a band of the table of edit distances ([Fuzzy]). An
// [Automaton] turns it into one over bytes: while a character is not complete it asks whether any of those that begin so can lead on. States are made when
// they are first reached, so that no expression is refused for states that no term reaches, and forgotten when they have grown to [maxBytes]
// ([Automaton.Trim]); how large an expression may be is bounded by its own length alone ([MaxStates]), never by what there is to find.
package pattern
