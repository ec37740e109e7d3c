// Package search finds the best documents of some segments: resolved queries are executed on postings, columns and sets; matches are counted, and
// kept in a bounded heap by the total order. It imports the vocabulary (query, analysis, bm25, geo, schema, fault), docset and segment.
//
// There are two ways. A query that is, but for filters, made of terms or one phrase is a [plan]: a [sweep] executes it a window of 4096 documents at a time, over blocks of postings
// in plain arrays, and leaves out what cannot enter the heap; where all matches score alike, or nobody wants scores, a window is just bits. Two kinds of plans need no
// windows: a list that is alone is read from its best blocks on, and where the rarest of lists that all must match has few documents these are looked up in the others. Everything else becomes
// iterators over documents with scores ([scorer]), which are walked to their end: leaves walk postings, columns or sets; boolean nodes combine them, the rarest first.
//
// What must match without a score is [mask]s in windows. Each is asked in whichever way costs least there: for all documents of the window, or about those found in it, before
// or after they are scored. So a filter costs little where little is found, and its documents are never gathered as a whole, but of sets of many rare values and of ids.
//
// What can be left out is decided by bounds. Postings hold, for each list and each block of it, pairs of frequency and length; the scoring function itself makes of them,
// with the query's weights, the most that a posting can give, whatever the statistics are. Scores are integers (package bm25), so that sums do not depend on the order in
// which lists are visited, and a sum of bounds is a bound without slack. Only what lies below the worst document kept is left out: one that equals
// it may win by its id. So pruned and exhaustive answers are the same, and do not depend on how documents lie in segments.
//
// A phrase is no more frequent than the rarest of its terms in a document. So what the floor asks of it is asked of frequencies and lengths, by comparisons ([bm25.Reach]), before
// any position is read; where terms are dense, places of positions are gathered for a whole window, going once through each list.
//
// Those pairs stand for postings that are there. So how many of a list reach a score can be told before any is read, and the floor guessed: what makes the search find too little is found out at its end, and it is
// repeated without.
//
// Columns keep the bounds of the values of each block of 128 documents: ranges pass over blocks or take them whole, and of a search sorted by a field only documents
// of blocks that can enter the heap are looked at ([bar]), from the end of a segment when the best lie there.
//
// Matches are counted as far as the request asks. While they are, a disjunction reads the documents of what it does not score, but neither frequencies nor
// lengths; behind that whole windows and blocks are passed over.
//
// Work is counted in steps of leaves and windows; every [checkSteps] of them, less than a millisecond, the context is asked, and when it has ended all leaves
// end at once. What a search needs is kept for the next one ([Scratch]): it allocates for its answer and for what windows do not execute.
package search
