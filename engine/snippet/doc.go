// Package snippet cuts from a document the passages in which a query is found, and marks what was found: it analyses the stored source again, as it was when it was
// indexed. It may import packages schema, query, pattern, analysis and fault.
//
// # What is marked
//
// The words that clauses of the query match in the field, whole, as they stand in the text: terms and the terms near fuzzy words, the other ways to write them that synonyms give,
// words that prefixes, wildcards and expressions match, and the words of a phrase where the phrase is and nowhere else. What must_not holds marks nothing. A clause marks
// its words in any hit, whether or not the clauses around it hold there. An exact value (of a keyword, or of a dynamic string none of whose words matched) is marked as a
// whole. Matches that overlap or touch, or that only blanks or one sign of punctuation lie between, are one mark.
//
// # What is cut
//
// A value of up to Size characters is taken whole. A longer one gives passages of about that size, which begin and end with a word and do not overlap. The best come first:
// by how many different words of the query they hold (a phrase is one, and so are all ways to write a word), then by how many matches, then by place. A value without a match gives none. A character is a code
// point, and no grapheme is divided; only a word longer than Size is cut in itself.
//
// A passage is HTML: & < > and " are escaped, and the tags stand around the marks as they are. Without the tags, and unescaped, it is a part of the value. So
//
//	the <b>old man</b> and the sea      asked for "old man"
//
// gives the &lt;b&gt;<em>old man</em>&lt;/b&gt; and the sea.
package snippet
