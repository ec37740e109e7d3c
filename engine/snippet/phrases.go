package snippet

import (
	"math"
	"sort"
	"strings"

	"github.com/jetseek/jetseek/engine/analysis"
)

// markPhrases gives the tokens of phrases their word, where the phrases are.
func (c *clauses) markPhrases(pace *pace, tokens []token) error {
	if len(c.phrases) == 0 {
		return nil
	}
	byTerm := map[string][]int{} // places in tokens, ascending
	for i := range tokens {
		if c.inPhrase[tokens[i].Term] {
			byTerm[tokens[i].Term] = append(byTerm[tokens[i].Term], i)
		}
	}
	for i := range c.phrases {
		if err := c.phrases[i].mark(pace, tokens, byTerm); err != nil {
			return err
		}
	}
	return nil
}

// slot is one term of a phrase with the tokens that may stand for it.
type slot struct {
	offset int
	places []int             // in tokens, ascending
	word   func(*token) *int // which part of a token it marks
}

// The parts of a token that a slot marks.
func whole(t *token) *int          { return &t.word }
func firstCharacter(t *token) *int { return &t.first }
func lastCharacter(t *token) *int  { return &t.last }

// at gives the range of places whose positions lie from lo to hi.
func (s *slot) at(tokens []token, lo, hi int) []int {
	from := sort.Search(len(s.places), func(i int) bool { return tokens[s.places[i]].Position >= lo })
	to := sort.Search(len(s.places), func(i int) bool { return tokens[s.places[i]].Position > hi })
	return s.places[from:to]
}

func (p *phrase) mark(pace *pace, tokens []token, byTerm map[string][]int) error {
	slots := make([]slot, len(p.Terms))
	for k, term := range p.Terms {
		slots[k] = slot{p.Offsets[k], byTerm[term], whole}
		switch last := k == len(p.Terms)-1; {
		case p.Prefix && last:
			slots[k].places = like(tokens, strings.HasPrefix, term)
		case p.CutLast && last:
			slots[k].places, slots[k].word = like(tokens, analysis.BeginsWith, term), firstCharacter
		case p.CutFirst && k == 0:
			slots[k].places, slots[k].word = like(tokens, analysis.EndsWith, term), lastCharacter
		}
		if len(slots[k].places) == 0 {
			return nil
		}
	}
	rarest := slots[0]
	for _, s := range slots {
		if len(s.places) < len(rarest.places) {
			rarest = s
		}
	}
	windows := make([][]int, len(slots))
	next := math.MinInt // windows that begin before it were looked at
	for _, i := range rarest.places {
		// Every match has the rarest term, and lies in a window that begins at most Slop before the term's place.
		place := tokens[i].Position - rarest.offset
		for first := max(place-p.Slop, next); first <= place; first++ {
			if err := p.markWindow(pace, tokens, slots, windows, first); err != nil {
				return err
			}
		}
		next = place + 1
	}
	return nil
}

// like gives the tokens whose terms pass a test against a part of one.
func like(tokens []token, test func(term, part string) bool, part string) []int {
	var places []int
	for i := range tokens {
		if test(tokens[i].Term, part) {
			places = append(places, i)
		}
	}
	return places
}

// markWindow marks the matches whose places lie within Slop from first. windows is memory for it.
func (p *phrase) markWindow(pace *pace, tokens []token, slots []slot, windows [][]int, first int) error {
	for k := range slots {
		windows[k] = slots[k].at(tokens, first+slots[k].offset, first+slots[k].offset+p.Slop)
		if err := pace.step(1 + len(windows[k])); err != nil || len(windows[k]) == 0 {
			return err
		}
	}
	if p.Slop > 0 { // without, places are distinct by themselves
		choice := choice{pace: pace, tokens: tokens, windows: windows, taken: map[int]int{}}
		for k := range windows {
			if !choice.give(k, map[int]bool{}) {
				return choice.err
			}
		}
	}
	// Where every slot can have a position of its own, each token of each window is in some choice: another slot has it, or its own takes it instead.
	for k, window := range windows {
		for _, i := range window {
			if word := slots[k].word(&tokens[i]); *word == none {
				*word = p.word
			}
		}
	}
	return nil
}

// choice gives each slot a position of its own: a matching in a bipartite graph, found by augmenting paths.
type choice struct {
	pace    *pace
	tokens  []token
	windows [][]int
	taken   map[int]int // slot by position
	err     error       // the pace's
}

// give gives a slot a position that no other has, or that another slot can do without. tried are the positions that were asked for.
func (c *choice) give(k int, tried map[int]bool) bool {
	for _, i := range c.windows[k] {
		position := c.tokens[i].Position
		if tried[position] {
			continue
		}
		if c.err = c.pace.step(1); c.err != nil {
			return false
		}
		tried[position] = true
		if holder, held := c.taken[position]; !held || c.give(holder, tried) {
			c.taken[position] = k
			return true
		}
	}
	return false
}
