package bridge

const referenceSchema = `
## Schemas and analyzers

A schema is ` + "`{\"fields\":{NAME:{\"type\":…}},\"analyzers\":{NAME:{…}},\"dynamic\":true|false|\"strict\",\"default_fields\":[NAME,…]}`" + `; types are text, keyword, long, double, date, bool, geo, vector. A text field
names its ` + "`analyzer`" + ` (` + "`standard`" + ` unless it says otherwise), and a ` + "`search_analyzer`" + ` where the words of queries are cut by another.

Every collection has ` + "`standard`" + ` (words of Unicode's segmentation, folded; pairs of characters where a script has no spaces), ` + "`simple`" + ` (runs of letters, folded), ` + "`whitespace`" + ` and ` + "`keyword`" + `
(as they are), and the Snowball languages by name: %s. These take standard's words, without stop words where Snowball has a list, and stem them.

A schema defines others, of char filters, a tokenizer and filters, each in order; one without parameters may be its name alone:

    "analyzers":{"names":{"char_filters":["html_strip",{"type":"mapping","mappings":["& => and"]}],"tokenizer":"standard",
                          "filters":["lowercase","ascii_folding",{"type":"edge_ngram","min":1,"max":10}]}}

| | kinds |
|---|---|
| char_filters | ` + "`html_strip`" + `; ` + "`mapping`" + ` (` + "`mappings`" + `: the longest that begins at a place is replaced; spaces around => do not count) |
| tokenizer | ` + "`standard`" + `, ` + "`letter`" + `, ` + "`whitespace`" + `, ` + "`keyword`" + `, none of which folds |
| filters | ` + "`lowercase`" + ` (full case folding and NFKC, without soft hyphens and other characters that show nothing, apostrophes as '); ` + "`ascii_folding`" + ` (accents of Latin and Greek letters go); ` + "`stop`" + ` (` + "`language`" + ` or ` + "`words`" + `); ` + "`stemmer`" + ` (` + "`language`" + `); ` + "`length`" + ` (` + "`min`, `max`" + `, characters); ` + "`edge_ngram`" + ` (` + "`min`, `max`" + `: the prefixes of a word, in its place); ` + "`synonyms`" + ` (` + "`rules`" + `) |

Words of lists and rules pass through the filters before theirs. Synonyms change queries, not what is indexed: ` + "`\"dns, domain name system\"`" + ` lets a query for one ask for both, ` + "`\"ipad => ipad, tablet\"`" + ` lets one
for what stands left ask for what stands right. At each place the longest spelling is taken, phrases go on behind it, and a document counts as its best reading does.
At most %d analyzers and %d KiB of them in a schema, %d entries in a list.

## Places

A field of type geo holds one place a document, ` + "`{\"lat\":52.52,\"lon\":13.405}`" + ` in degrees. Distances are those of the haversine formula on a sphere of 6371008.7714 m.

| | |
|---|---|
| ` + "`{\"geo_distance\":{\"field\":\"place\",\"lat\":52.5,\"lon\":13.4,\"distance\":\"5km\"}}`" + ` | places at most so far away: m, km, cm, mm, mi, nmi, yd, ft, in; a number is metres |
| ` + "`{\"geo_box\":{\"field\":\"place\",\"top\":53,\"left\":13,\"bottom\":52,\"right\":14}}`" + ` | places in a box with its edges; with left greater than right it crosses the 180th meridian |
| ` + "`\"sort\":{\"field\":\"place\",\"from\":{\"lat\":52.5,\"lon\":13.4}}`" + ` | by distance, which ` + "`hit.sort`" + ` has in metres |

## Profiles

A search with ` + "`\"profile\":true`" + ` tells in ` + "`profile`" + ` where its time went, in milliseconds: of the phases of the coordinator (` + "`stats_ms`" + `, ` + "`search_ms`" + `, ` + "`docs_ms`" + `), and of each group what its member did. There ` + "`search_ms`" + `
is at least the sum of ` + "`collect_ms`" + ` (counting matches and choosing those to keep, for all clauses), ` + "`sort_ms`" + ` (of what was kept) and the ` + "`own_ms`" + ` of all clauses; ` + "`aggs_ms`" + ` comes on top. Clauses are a tree, the query's and
one of each filter of the request:

| | |
|---|---|
| ` + "`role`" + ` | ` + "`query`" + `, ` + "`filter`" + `, ` + "`must`" + `, ` + "`should`" + `, ` + "`must_not`" + `, ` + "`function`" + ` (the filter of a function), or ` + "`of`" + `: what a constant, a factor or a least score is of, and the clauses of dis_max |
| ` + "`ms`" + `, ` + "`own_ms`" + ` | with and without the clauses below it. Own is reading postings, positions and columns, scoring, and putting together what the clauses below it found |
| ` + "`lists`" + `, ` + "`postings`" + ` | the lists of postings it is read from, one a term and segment, and how long they are; none for a clause that is read from columns (ranges, places, the presence of a field) or only combines others |
| ` + "`visited`" + `, ` + "`skipped`" + ` | of the postings, those in blocks that were decoded, again for each time, and those that never were |
| ` + "`clauses`" + `, ` + "`hidden`" + ` | those below it; beyond 1,000 of a profile they are only counted, and their work is that of the clause above them |

Alternatives of alternatives, and conjunctions in conjunctions, are done at once with the clause above them, which has their time of putting together. The hits of a profiled search are those without a profile, to the bit; it
takes longer, for it looks at a clock whenever it turns from one clause to another: several times as long where a query is walked document by document, as those with functions, dis_max or least scores are.
`
