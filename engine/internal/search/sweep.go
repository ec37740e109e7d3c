package search

import (
	"fmt"
	"math/bits"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/docset"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// windowDocs is the size of a window: its scores and bits stay in the processor's first caches.
const windowDocs = 4096

// sweep executes plans: it goes over the documents a window at a time. In a window each list adds its parts to an array of scores, and bits tell which
// documents were hit: no branch depends on which list comes next, as in a heap of lists, where nobody can foretell it. What a window or block can score
// at most is known before it is read, and what cannot reach the collector's floor is not.
type sweep struct {
	env     *env
	c       *collector
	scoring bool

	all, any []*list
	phrase   bool // terms in all are those of a phrase
	check    phraseCheck
	masks    []*mask // all of which must match, the cheapest first
	clauses  masks   // memory of masks
	constant int64   // score of every match, if there are no lists
	lists    []*list // memory of lists
	used     int

	counted  uint64     // matches found in the segment, at least
	enough   uint64     // no need to count beyond; matches may be skipped as soon as more are counted
	counting bool       // every match must be found
	exact    bool       // counted is the number of matches
	guessing bool       // the first floor may be guessed
	found    docset.Set // all matches are put in; nil: nobody wants them

	leaping   bool // candidates may lie further apart than a window is long
	base, end uint32
	sifts     []*mask // that are asked of postings before these are scored
	late      []*mask // that are asked of candidates in the end
	few       bool    // allow has so few documents that it pays to look at them before a posting is scored
	allow     bitset  // documents that count and pass the masks that are marked
	hits      bitset  // of which scores has the score
	matched   bitset  // that match, scored or not; only while counting
	scores    [windowDocs]int64

	at   [windowDocs]uint32 // candidates: place in the window, ascending
	sums [windowDocs]int64  // their scores so far

	runs  []boundedRun // of a list, the best first
	pairs []int64      // what pairs of these give

	docs   [128]uint32 // scratch for blocks of which few documents are allowed
	which  [128]uint8  // of a block's documents they are
	kept   [128]uint8  // likewise, of those that are candidates
	asked  [1]uint32
	freqs  [128]uint32
	scored [128]int64 // their parts
}

// corrupt is the error of a list whose bytes are none.
func corrupt(b *postings.Blocks) error { return fmt.Errorf("search: %w", b.Err()) }

// forget lets go of the segments and keeps the memory.
func (s *sweep) forget() {
	for _, l := range s.lists {
		l.blocks.Close()
		l.account, l.lengths, l.docs = nil, bm25.Lengths{}, nil
	}
	s.clauses.forget()
	s.check.forget()
}

// run executes the plan entered over the segment entered. With count false no match needs to be counted, else they are until there are more than enough.
func (s *sweep) run(count bool, enough uint64) {
	s.counted, s.enough, s.counting, s.exact = 0, enough, count, count
	switch {
	case len(s.all) > 0:
		s.conjunction()
	case len(s.any) == 0 || !s.scoring:
		s.certain()
		s.bits()
	case s.alone():
		s.certain()
		s.single(s.any[0])
	default:
		s.certain()
		if s.guessing && s.c.mayGuess() && len(s.masks) == 0 {
			s.guess()
		}
		s.disjunction()
	}
	for _, l := range s.lists[:s.used] {
		if l.blocks.Err() != nil {
			s.env.fail(corrupt(&l.blocks))
		}
	}
	s.clauses.leave()
}

// count counts matches, and stops counting when they are enough.
func (s *sweep) count(n int) {
	if s.counted += uint64(n); s.counted > s.enough {
		s.counting, s.exact = false, false
	}
}

// certain counts what a disjunction without filters matches by the lengths of its lists, where that tells enough.
func (s *sweep) certain() {
	if !s.counting || len(s.masks) > 0 {
		return
	}
	most := 0
	for _, l := range s.any {
		most = max(most, int(l.blocks.DF()))
	}
	gone := s.env.view.Segment.Docs() - s.env.view.Docs
	switch {
	case most > gone && uint64(most-gone) > s.enough:
		s.count(most - gone)
	case len(s.any) == 1 && gone == 0:
		s.count(most)
		s.counting = false
	}
}

// enters is [list.enter], on the list's account.
func (s *sweep) enters(l *list, base uint32) bool {
	was := s.env.charge(l.account)
	any := l.enter(base)
	s.env.charge(was)
	return any
}

// look is [list.look] for the window, on the list's account.
func (s *sweep) look(l *list) {
	was := s.env.charge(l.account)
	l.look(s.end)
	s.env.charge(was)
}

// mark sets the bits of a list's documents in the window.
func (s *sweep) mark(l *list, set *bitset) {
	was := s.env.charge(l.account)
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		docs := l.load(b)
		from, to := within(docs, s.base, s.end)
		s.markDocs(docs[from:to], set)
	}
	s.env.charge(was)
}

func (s *sweep) markDocs(docs []uint32, set *bitset) {
	for _, d := range docs {
		at := d - s.base
		set[at>>6&63] |= 1 << (at & 63)
	}
}

// matching marks those of a list's documents in the window that may pass as matching.
func (s *sweep) matching(l *list) {
	was := s.env.charge(l.account)
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		docs := l.load(b)
		from, to := within(docs, s.base, s.end)
		s.match(docs[from:to])
	}
	s.env.charge(was)
}

// match is matching for some documents of a block.
func (s *sweep) match(docs []uint32) {
	docs, _ = s.passing(docs)
	s.markDocs(docs, &s.matched)
}

// add adds the parts of a list's documents in the window to the scores. Blocks with which, and with at most others beside them, no document reaches floor are
// passed over.
func (s *sweep) add(l *list, others, floor int64) {
	was := s.env.charge(l.account)
	least := uint32(1)
	if !s.counting {
		least = l.leastFreq(others, floor)
	}
	for b := l.first; b < l.blocks.Count() && l.starts(b) < s.end; b++ {
		skip := others+l.boundOf(b) < floor
		if skip && !s.counting {
			continue
		}
		docs := l.load(b)
		from, to := within(docs, s.base, s.end)
		if skip {
			s.match(docs[from:to])
			continue
		}
		docs, parts, _ := s.parts(l, docs[from:to], from, least)
		for i, d := range docs {
			at := d - s.base
			s.scores[at&(windowDocs-1)] += parts[i]
			s.hits[at>>6&63] |= 1 << (at & 63)
		}
	}
	s.env.charge(was)
}

// parts gives the documents that may pass and hold the term at least so often, of those of the block loaded that lie in the window, their parts, and which of docs they are
// (nil: all of them). Docs begin with number from of the block. Where few pass only these are scored.
func (s *sweep) parts(l *list, docs []uint32, from int, least uint32) ([]uint32, []int64, []uint8) {
	all := len(s.sifts) == 0 && !s.few
	if len(s.sifts) == 0 && l.scored || all && least <= 1 {
		return docs, l.score()[from:], nil
	}
	if least > 1 && l.blocks.Once() {
		return nil, nil, nil
	}
	n := 0
	freqs := l.blocks.Freqs()[from:]
	if docs, which := s.passing(docs); which == nil {
		for i, d := range docs {
			s.docs[n&127], s.which[n&127], s.freqs[n&127] = d, uint8(i), freqs[i]
			if freqs[i] >= least {
				n++
			}
		}
	} else {
		for i, k := range which {
			s.docs[n&127], s.which[n&127], s.freqs[n&127] = docs[i], k, freqs[k]
			if freqs[k] >= least {
				n++
			}
		}
	}
	l.weight.Parts(s.scored[:n], s.docs[:n], s.freqs[:n], &l.lengths)
	return s.docs[:n], s.scored[:n], s.which[:n]
}

// candidates takes the documents hit, allowed, and able to reach floor with rest more, and clears the scores.
func (s *sweep) candidates(rest, floor int64) int {
	n := 0
	for i, hit := range s.hits {
		if hit == 0 {
			continue
		}
		first := uint32(i) << 6
		for gone := hit &^ s.allow[i]; gone != 0; gone &= gone - 1 {
			s.scores[first+uint32(bits.TrailingZeros64(gone))] = 0
		}
		for hit &= s.allow[i]; hit != 0; hit &= hit - 1 {
			at := first + uint32(bits.TrailingZeros64(hit))
			sum := s.scores[at]
			s.scores[at] = 0
			s.at[n], s.sums[n] = at, sum
			if sum+rest >= floor {
				n++
			}
		}
	}
	return n
}

// probe looks the first n candidates up in a list and adds its parts; it keeps those that can reach floor with rest more, and, where they must be in the list, are.
func (s *sweep) probe(l *list, n int, rest, floor int64, must bool) int {
	kept, was := 0, s.env.charge(l.account)
	b, count := l.first, l.blocks.Count()
	for i := range n {
		at, sum := s.at[i], s.sums[i]
		doc := s.base + at
		if b = l.blockOf(b, count, doc); b == count {
			if !must {
				for ; i < n; i++ {
					s.at[kept], s.sums[kept] = s.at[i], s.sums[i]
					if s.sums[i]+rest >= floor {
						kept++
					}
				}
			}
			break
		}
		if sum+l.boundOf(b)+rest < floor {
			continue
		}
		if l.seek(b, doc) {
			sum += l.part(l.at)
		} else if must {
			continue
		}
		s.at[kept], s.sums[kept] = at, sum
		if sum+rest >= floor {
			kept++
		}
	}
	s.env.charge(was)
	return kept
}

// collect offers the first n candidates.
func (s *sweep) collect(n int) {
	was := s.env.collecting()
	for i := range n {
		if s.sums[i] >= s.c.floor() {
			s.c.add(s.base+s.at[i], s.sums[i])
		}
	}
	s.env.charge(was)
}
