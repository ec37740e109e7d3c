package search

import (
	"time"

	"github.com/jetseek/jetseek/engine/internal/segment/postings"
	"github.com/jetseek/jetseek/engine/query"
)

// Clock tells how far the present lies behind a moment that stays the same.
type Clock func() time.Duration

// Profile is what a search did and where its time went, in all segments together: Took is the sum of Collecting, Sorting and the own times of all clauses. Times are of a search
// that looks at a clock whenever it turns from one clause to another, which is a multiple of the time without where a query is walked.
type Profile struct {
	Segments   int
	Took       time.Duration
	Collecting time.Duration   // counting matches, and choosing those to keep by score or sort keys
	Sorting    time.Duration   // of what was kept
	Clauses    []ClauseProfile // the query, then the filters
}

// ClauseProfile is what a clause took in all segments, without those below it.
type ClauseProfile struct {
	Role     Role
	Label    string        // as [query.Label] gives it
	Own      time.Duration // reading postings and columns, comparing positions, scoring, and putting together what the clauses below it found
	Lists    int           // of postings, one a term and segment
	Postings uint64        // in the lists
	Visited  uint64        // of these, in blocks that were decoded; again for each time
	Clauses  []ClauseProfile
	Hidden   int // clauses below it that are not among Clauses, for there are more than maxProfiled: what they took counts as its own
}

// Role is what a clause is for the one above it.
type Role string

// The roles. Of is a clause of dis_max, and the one that a constant, a factor, functions or a least score are of.
const (
	RoleQuery    Role = "query"
	RoleFilter   Role = "filter"
	RoleMust     Role = "must"
	RoleShould   Role = "should"
	RoleMustNot  Role = "must_not"
	RoleOf       Role = "of"
	RoleFunction Role = "function" // the filter of a function
)

// maxProfiled bounds the clauses of a profile, but for filters of the request, which all have a place.
const maxProfiled = 1000

// Total is the time of the clause and of all below it.
func (c *ClauseProfile) Total() time.Duration {
	total := c.Own
	for i := range c.Clauses {
		total += c.Clauses[i].Total()
	}
	return total
}

// profiler measures a [Profile]: at any time one account is charged. A search that nobody asks to profile has none.
type profiler struct {
	clock       Clock
	began, last time.Duration // last: when charged became so
	charged     *account

	collecting, sorting account

	roots    []*account
	accounts map[query.Node]*account
	clauses  int        // that have an account
	open     []openList // of the present segment
}

// account is what a clause, or a phase, took so far.
type account struct {
	ClauseProfile
	below []*account
}

type openList struct {
	account *account
	list    interface{ Visited() uint64 }
}

// newProfiler begins a profile of a request. The query itself is charged.
func newProfiler(r *Request) *profiler {
	p := &profiler{clock: r.Profile, accounts: map[query.Node]*account{}}
	p.began = p.clock()
	p.last = p.began
	p.roots = append(p.roots, p.account(RoleQuery, r.Query))
	for _, n := range r.Filters {
		p.roots = append(p.roots, p.account(RoleFilter, n))
	}
	p.charged = p.roots[0]
	return p
}

// account opens the accounts of a clause and of those below it.
func (p *profiler) account(role Role, n query.Node) *account {
	a := &account{ClauseProfile: ClauseProfile{Role: role, Label: query.Label(n)}}
	p.accounts[n] = a
	p.clauses++
	switch n := n.(type) {
	case *query.Bool:
		p.below(a, RoleMust, n.Must...)
		p.below(a, RoleFilter, n.Filter...)
		p.below(a, RoleShould, n.Should...)
		p.below(a, RoleMustNot, n.MustNot...)
	case *query.DisMax:
		p.below(a, RoleOf, n.Children...)
	case *query.ConstantScore:
		p.below(a, RoleOf, n.Child)
	case *query.Scaled:
		p.below(a, RoleOf, n.Child)
	case *query.AtLeast:
		p.below(a, RoleOf, n.Child)
	case *query.Functions:
		p.below(a, RoleOf, n.Child)
		for i := range n.List {
			if n.List[i].Filter != nil {
				p.below(a, RoleFunction, n.List[i].Filter)
			}
		}
	}
	return a
}

func (p *profiler) below(a *account, role Role, nodes ...query.Node) {
	for _, n := range nodes {
		if p.clauses >= maxProfiled {
			a.Hidden++
			continue
		}
		a.below = append(a.below, p.account(role, n))
	}
}

// charge charges an account from now on, and gives the one charged before; nil stands for that too.
func (p *profiler) charge(a *account) *account {
	was := p.charged
	if a == nil || a == was {
		return was
	}
	now := p.clock()
	was.Own += now - p.last
	p.last, p.charged = now, a
	return was
}

// list takes a list of the account charged into account, which counts until the segment's end.
func (p *profiler) list(ref postings.Ref, list interface{ Visited() uint64 }) {
	p.charged.Lists++
	p.charged.Postings += uint64(ref.DF)
	p.open = append(p.open, openList{p.charged, list})
}

// done counts the list taken last, whose memory is used again.
func (p *profiler) done() {
	last := len(p.open) - 1
	p.open[last].account.Visited += p.open[last].list.Visited()
	p.open = p.open[:last]
}

// leave ends a segment.
func (p *profiler) leave() {
	for len(p.open) > 0 {
		p.done()
	}
}

// again begins the search anew: lists are the same again, but what is visited and the time it takes come on top.
func (p *profiler) again() {
	for _, a := range p.accounts {
		a.Lists, a.Postings = 0, 0
	}
}

// profile ends the profile of a search of so many segments.
func (p *profiler) profile(segments int) *Profile {
	p.charge(&account{})
	return &Profile{Segments: segments, Took: p.last - p.began, Collecting: p.collecting.Own, Sorting: p.sorting.Own, Clauses: told(p.roots)}
}

func told(accounts []*account) []ClauseProfile {
	var clauses []ClauseProfile
	for _, a := range accounts {
		c := a.ClauseProfile
		c.Clauses = told(a.below)
		clauses = append(clauses, c)
	}
	return clauses
}

// charge is the profiler's; without one there is nothing to charge, and nothing was.
func (e *env) charge(a *account) *account {
	if e.profile == nil {
		return nil
	}
	return e.profile.charge(a)
}

// collecting charges the phase in which matches are counted and chosen, and gives what was charged before.
func (e *env) collecting() *account {
	if e.profile == nil {
		return nil
	}
	return e.profile.charge(&e.profile.collecting)
}

// charged gives the account charged.
func (e *env) charged() *account {
	if e.profile == nil {
		return nil
	}
	return e.profile.charged
}

// account gives that of a clause; nil when nobody asks, or the clause is a part of another's work.
func (e *env) account(n query.Node) *account {
	if e.profile == nil {
		return nil
	}
	return e.profile.accounts[n]
}

// timed charges an account with what a scorer does.
type timed struct {
	scorer
	account *account
	profile *profiler
}

// timed charges an account, if there is one, with what a scorer, if there is one, will do.
func (e *env) timed(s scorer, a *account) scorer {
	if s == nil || a == nil {
		return s
	}
	return &timed{s, a, e.profile}
}

func (s *timed) Next() uint32 {
	was := s.profile.charge(s.account)
	doc := s.scorer.Next()
	s.profile.charge(was)
	return doc
}

func (s *timed) Advance(target uint32) uint32 {
	was := s.profile.charge(s.account)
	doc := s.scorer.Advance(target)
	s.profile.charge(was)
	return doc
}

func (s *timed) Score() int64 {
	was := s.profile.charge(s.account)
	score := s.scorer.Score()
	s.profile.charge(was)
	return score
}
