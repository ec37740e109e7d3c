package wire

// SearchProfile tells where the time of a search went. Times are in milliseconds.
type SearchProfile struct {
	Path     string                  `json:"path"`     // the trips that gave the answer, such as stats+search
	Rounds   int                     `json:"rounds"`   // how often the search was begun
	StatsMs  float64                 `json:"stats_ms"` // phases of the coordinator: statistics of all groups
	SearchMs float64                 `json:"search_ms"`
	DocsMs   float64                 `json:"docs_ms"`          // the hits' documents
	Groups   map[string]GroupProfile `json:"groups,omitempty"` // those that answered, by name
}

// GroupProfile is what a member did for a search. SearchMs is at least the sum of CollectMs, SortMs and the own times of all clauses. All are of a search that looks at a clock whenever it
// turns from one clause to another, which takes longer than one without a profile: several times as long where a query is walked, document by document.
type GroupProfile struct {
	Node      string          `json:"node"`
	Segments  int             `json:"segments"`
	SearchMs  float64         `json:"search_ms"`
	CollectMs float64         `json:"collect_ms"`        // counting matches, and choosing those to keep by score or sort keys: for all clauses
	SortMs    float64         `json:"sort_ms"`           // of what was kept
	AggsMs    float64         `json:"aggs_ms,omitempty"` // finding all that matches once more, and aggregating it
	Clauses   []ClauseProfile `json:"clauses"`           // the query, then the filters of the request
}

// ClauseProfile is what a member did for a clause in all segments. A clause that the search does at once with the one above it, as the alternatives of alternatives, has no time of its own
// beyond that of being made ready.
type ClauseProfile struct {
	Role     string          `json:"role"`     // query or filter; of a clause of another must, filter, should, must_not, function, or of: what a constant, factor or least score is of, or one of dis_max
	Clause   string          `json:"clause"`   // in a few words
	Ms       float64         `json:"ms"`       // with all clauses below it
	OwnMs    float64         `json:"own_ms"`   // without them: reading postings and columns, comparing positions, scoring, and putting together what they found
	Lists    int             `json:"lists"`    // of postings, one a term and segment; 0: it is read from columns, or does but combine others
	Postings uint64          `json:"postings"` // in the lists
	Visited  uint64          `json:"visited"`  // of them, in blocks that were decoded, again for each time
	Skipped  uint64          `json:"skipped"`  // never decoded, at least
	Clauses  []ClauseProfile `json:"clauses,omitempty"`
	Hidden   int             `json:"hidden,omitempty"` // clauses below it beyond 1,000 of a profile: what they took is within what this one did
}
