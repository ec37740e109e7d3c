// Package query is the query language: what a user writes, as text or JSON, becomes a tree of surface nodes ([Parse], [DecodeJSON]); with a schema that becomes a
// tree of resolved nodes ([Resolve]), which travels ([AppendNode]) and which a member executes without knowing a schema. The package also holds the total
// order of hits ([CompareKeys]). It may import packages schema, analysis, bm25, geo, pattern, factor and fault.
//
// # The language of q
//
// It is Lucene's, as its users know it. In the grammar, CAPITALS are literal words, quoted signs stand for themselves, … repeats:
//
//	query        = blanks | alternatives
//	alternatives = chain [ [ OR | "||" ] chain ]…            side by side is OR, unless the default operator is AND
//	chain        = signed [ ( AND | "&&" ) signed ]…         AND binds tighter than OR
//	signed       = [ "+" | "-" | "!" | NOT ] primary [ "^" number ]
//	primary      = [ name ":" ] value
//	value        = "(" alternatives ")" | phrase | expression | range | compared | word
//	phrase       = '"' characters '"' [ "~" digits ]         with a slop
//	expression   = "/" RE2 "/"                               matches whole terms
//	range        = ( "[" | "{" ) end TO end ( "]" | "}" )    braces leave their end out; "*" is an open end
//	compared     = ( ">" | ">=" | "<" | "<=" ) ( word | phrase )
//	word         = characters [ "~" [ digits ] ]             fuzzy; with * and ? a prefix or wildcard
//
// A word ends at a Unicode space and at any of ( ) [ ] { } " ^ ~ and, before a name is complete, at a colon. The signs + - ! / < > mean something at the beginning of a
// clause only, so wi-fi, c++ and a/b are words. A backslash takes the meaning off the character behind it. AND, OR, NOT and TO are capitals; small letters are
// words.
//
// In a list + requires, - and NOT exclude, what has no sign is optional where something is required, else one of the rest must match. So NOT a is all but a, and
// a b AND c is a OR (b AND c). In an AND chain what has no sign is required. Beside a written OR a NOT is boolean: a OR NOT b is what has a or has no b.
//
// name:value holds for that field; name:(…) for all words in the parentheses that name none. name:* and _exists_:name are what has the field, * and *:* are
// everything. Without a name a word is looked for in the default fields.
//
// Prefixes, wildcards and regular expressions are matched against the terms of a text field. What they write out is folded as most analyzers fold, and where the field's has
// ascii_folding it loses its accents; but not the classes of expressions: [éè] finds letters that such a field does not have. Nothing is stemmed. Expressions are
// RE2 as it stands: a point is no line break unless (?s) says so, and letters of exact values have their case unless (?i) does. A prefix that is several words, as
// wi-f* or 東京都*, is their phrase with the last as a prefix.
//
// Of scripts without spaces a text field has pairs of characters. A single character matches the pairs that begin or end with it, for a constant score as a prefix does; at the
// beginning or end of a phrase it is the end or beginning of a pair and adds nothing to idf, so that 2020年 is found in 2020年度. A phrase of two such ends alone, or of one
// and a prefix, has a constant score.
//
// Printing ([String]) writes a tree so that parsing gives it back.
//
// # The forms of JSON
//
// match, match_phrase, match_phrase_prefix, multi_match, term, terms, range, prefix, wildcard, regexp, fuzzy, exists, ids, match_all, match_none, bool, dis_max,
// constant_score, function_score, geo_distance, geo_box, query_string, like: an object with one of these names as its only key, with the parameters that search users know.
// A name or parameter that is not known is an error, never ignored.
//
// {"like":{"id":"d1"}} finds documents like another: those that hold some of the words of its texts for which occurrences in it times idf is greatest. Parameters: fields (text
// fields; the default fields), max_terms (25), min_term_freq (1), min_doc_freq (2), minimum_should_match (30%), include (false: not itself), boost.
//
// # function_score
//
// It scores the matches of its query, by default everything, by functions of their fields. Names and formulas are Elasticsearch's:
//
//	{"function_score":{"query":…,"functions":[{"filter":…,"weight":2},{"field_value_factor":{"field":"likes","factor":1.2,"modifier":"log1p","missing":1}},
//	    {"gauss":{"created":{"origin":"2025-01-01","scale":"30d","offset":"1d","decay":0.5},"multi_value_mode":"min"},"weight":3}],
//	  "score_mode":"sum","boost_mode":"multiply","max_boost":10,"min_score":0.5,"boost":1}}
//
// A single function may stand beside the query, without a list. The value of a function that applies to a document, where its filter matches, is its weight (1) times
//
//	field_value_factor   modifier(factor * value), of the least value of a long, double, bool (0, 1) or date (milliseconds since the epoch), else of missing; the modifier is
//	                     none, log, log1p, log2p (to the base of 10), ln, ln1p, ln2p, square, sqrt or reciprocal
//	gauss                exp(d² * ln(decay) / scale²), d = max(0, |value - origin| - offset), the least, greatest (max), avg or sum for several values; decay is 0.5 by default
//	exp                  exp(d * ln(decay) / scale)
//	linear               max(0, (s - d) / s), s = scale / (1 - decay)
//
// Decays are of a long or double field, of a date, with scale and offset as "10d", "1.5h", "30m", "10s", "500ms", or of places, with "5km". The origin must be said: there is no
// "now", since answers depend on no clock. Documents without a value are at the origin. score_mode makes one factor of the values: multiply, sum, avg (by weight), first,
// max or min; it is 1 where no function applies. boost_mode makes the score of the query's and of the factor, at most max_boost: multiply, replace, sum, avg, max or min. The boost, and those
// around it, are the query's. What scores below min_score does not match; so it stands where scores are made, in no filter. In a filter functions mean nothing.
//
// All is computed in float64, in the order of the list, and truncated to units of 2^-32 ([factor], which has its own exponential and logarithms). Where a document that matches the whole
// search has a value or score that is negative or no finite number, or has no value and nothing is missing's, or where its score is above [MaxScore] divided by the number of
// scoring clauses, the search is a bad_query ([ErrNoScore]), if anything in it depends on scores.
//
// # Scores
//
// Only text leaves have statistics. [Leaves] lists those of a query, [Question] what must be asked about them, [Weigh] makes the weights of the answer. All else scores
// its boost. What terms lie near a fuzzy word must be agreed first: [FuzzyQuestions], [Agree], [Expand]; so must the words of a like: [Likes], [LikeTerms.Candidates], [LikeTerms.Choose]. Boosts are multiplied from the outermost inwards, the field's own last.
//
// # The encoding of resolved nodes
//
// A node is a tag, one byte, and its parts in order. Unsigned numbers are uvarints, signed ones zigzag varints, floats 8 bytes little-endian, strings and lists their
// length as uvarint and then their bytes or elements.
//
//	 1 MatchAll       boost
//	 2 MatchNone
//	 3 Bool           four lists of nodes: must, should, must_not, filter; min_should unsigned
//	 4 DisMax         list of nodes, tie
//	 5 ConstantScore  node, boost
//	 6 TextTerm       field, term, boost, leaf signed
//	 7 TextPhrase     field, list of terms, an offset for each, unsigned, slop unsigned, flags (1 the last is a prefix, 2 the first ends a pair, 4 the last begins one), boost, leaf signed
//	 8 KeywordSet     field, list of values ascending, boost
//	 9 KeywordRange   field, flags (1 lo, 2 hi, 4 lo included, 8 hi included), the ends that are there, boost
//	10 LongRange      field, lo signed, hi signed, boost
//	11 LongSet        field, list of signed ascending, boost
//	12 DoubleRange    field, flags (1 lo included, 2 hi included), lo, hi, boost
//	13 DoubleSet      field, list of floats ascending, boost
//	14 FieldExists    field, type one byte, boost
//	15 IDs            list of ids ascending, boost
//	16 TermPattern    field, kind one byte (1 prefix, 2 wildcard, 3 expression, 4 character), flags (1 exact values, 2 folded, 4 without accents), text, boost
//	17 Scaled         node, factor
//	18 Near           field, latitude, longitude, metres, boost
//	19 AtLeast        node, score
//	20 Functions      node, list of functions, score_mode, boost_mode (one byte each), max_boost, limit; a function is flags (1 filter, 2 value, 4 nearness, 8 missing),
//	                  the filter, its weight, and of a value field, type one byte, factor, modifier one byte, missing; of a nearness field, type one byte, shape one byte,
//	                  the origin (of a date signed, of a geo field latitude and longitude), offset, rate, pick one byte
//
// So the term "go" of field "t", boost 1, leaf 0, is 06 01 74 02 67 6f 00 00 00 00 00 00 f0 3f 00.
//
// A list of sort keys is a count and, for each, by (one byte), type (one byte), flags (1 descending, 2 missing first), field, and when by is 4 the latitude and longitude that distances are from. A candidate is its id, its score
// signed, and a count of keys, each a kind (one byte) and its value: nothing, signed, float or string.
package query
