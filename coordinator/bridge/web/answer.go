package web

import (
	"maps"
	"slices"

	"github.com/jetseek/jetseek/coordinator/client/highlight"
	"github.com/jetseek/jetseek/subjects/wire"
)

// answerView is an answer as the page shows it. Numbers and words are the API's; the page only puts them in order.
type answerView struct {
	*wire.SearchResponse
	Views    []hitView
	Missing  []missing
	Seqs     []sequence
	Phases   []phase      // none unless a profile was asked for
	Times    []groupTimes // likewise
	Profiled string       // link to the same search with a profile; "" where this is it
	First    uint64       // place of the first hit shown, from 1
	Last     uint64
	Previous string // links; "" when there is no such page
	Next     string
	JSON     string
}

// missing is a group that did not answer, and why.
type missing struct{ Group, Reason string }

// sequence is the snapshot of a group that answered.
type sequence struct {
	Group string
	Seq   uint64
}

func viewAnswer(f form, a *wire.SearchResponse) *answerView {
	v := &answerView{SearchResponse: a, JSON: f.jsonLink()}
	v.turnPages(f)
	h := highlight.New(f.Query)
	for i, hit := range a.Hits {
		v.Views = append(v.Views, viewHit(h, f.Collection, f.From+i+1, hit))
	}
	for _, group := range a.Shards.FailedGroups {
		v.Missing = append(v.Missing, missing{Group: group, Reason: a.Shards.Reasons[group]})
	}
	for _, group := range slices.Sorted(maps.Keys(a.Coverage.Seq)) {
		v.Seqs = append(v.Seqs, sequence{Group: group, Seq: a.Coverage.Seq[group]})
	}
	if v.viewTimes(); !f.Profile {
		f.Profile = true
		v.Profiled = f.link(f.From)
	}
	return v
}

// turnPages sets the links to the pages before and behind.
func (v *answerView) turnPages(f form) {
	from, n := uint64(f.From), uint64(len(v.Hits))
	if n > 0 {
		v.First, v.Last = from+1, from+n
	}
	if f.From > 0 {
		v.Previous = f.link(max(f.From-pageHits, 0))
	}
	next := f.From + pageHits
	if uint64(next) < v.Total.Value && next+pageHits <= wire.MaxPage {
		v.Next = f.link(next)
	}
}
