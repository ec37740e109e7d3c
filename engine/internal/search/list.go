package search

import (
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/postings"
)

// list is the postings of one scoring term in one segment, as windows read them: whole blocks, and for each block a bound of what it can score. A
// window is passed in order; within one any block may be read again.
type list struct {
	account *account // nil: nobody asks for a profile
	blocks  postings.Blocks
	weight  bm25.Weight
	lengths bm25.Lengths
	max     int64 // bounds all parts

	shortest uint32 // no document is shorter

	bounds   []int64  // of each block, where its run was read
	read     []uint64 // a bit for each run
	run      postings.RunBounds
	runAt    int     // which run that is, -1: none was read
	runParts []int64 // what its pairs give
	pairs    []postings.Impact

	first int   // block that holds the first documents of the window, or of those behind it
	bound int64 // of the parts in the window
	ref   postings.Ref
	loose bool   // bounds of blocks are not worth reading: max stands for them
	limit uint32 // in a list without skip data: its last document

	docs   []uint32 // of the block loaded
	at     int      // no document of the block before this one lies before the last one asked for
	scored bool
	parts  [postings.BlockLen]int64
}

// open stands the list before its first window. It tells whether there are any documents.
func (l *list) open(f *segment.Field, ref postings.Ref, weight bm25.Weight) bool {
	l.ref, l.loose, l.shortest = ref, false, 0
	l.blocks.Open(f.TermPostings(), ref)
	base, width, data := f.Lengths.Lane()
	l.weight, l.lengths = weight, bm25.Lengths{Base: uint32(base), Width: width, Data: data}
	l.first, l.docs, l.at, l.scored, l.runAt = 0, nil, 0, false, -1
	n := l.blocks.Count()
	if n == 0 {
		return false
	}
	l.bounds = slices.Grow(l.bounds[:0], n)[:n]
	l.read = append(l.read[:0], make([]uint64, n/postings.RunLen/64+1)...)
	if l.blocks.Skips() {
		l.pairs = l.blocks.Impacts(l.pairs[:0])
		if l.max = l.most(l.pairs); len(l.pairs) > 0 {
			l.shortest = l.pairs[0].Length // lengths rise
		}
		return l.blocks.Count() > 0
	}
	docs := l.load(0)
	if len(docs) == 0 {
		return false
	}
	l.limit, l.max = docs[len(docs)-1], 0
	for _, part := range l.score() {
		l.max = max(l.max, part)
	}
	l.bounds[0], l.read[0] = l.max, 1
	return true
}

// most bounds the parts of postings that pairs stand for.
func (l *list) most(pairs []postings.Impact) int64 {
	most := int64(0)
	for _, p := range pairs {
		most = max(most, bm25.Part(l.weight.W, l.weight.C0, l.weight.C1, p.Freq, p.Length))
	}
	return most
}

// last gives the last document of a block.
func (l *list) last(block int) uint32 {
	if !l.blocks.Skips() {
		return l.limit
	}
	return l.blocks.Last(block)
}

// blockOf gives the first block from b to count-1 that may hold a document, count when none may. Candidates ascend, so it is mostly the one at hand.
func (l *list) blockOf(b, count int, doc uint32) int {
	for b < count && l.last(b) < doc {
		b++
	}
	return b
}

// boundOf bounds the parts of a block.
func (l *list) boundOf(block int) int64 {
	if l.loose {
		return l.max
	}
	if run := block / postings.RunLen; l.read[run>>6]>>(run&63)&1 == 0 {
		l.readRun(run)
	}
	return l.bounds[block]
}

// runBound bounds the parts of a run of blocks.
func (l *list) runBound(run int) int64 {
	if l.blocks.Runs() < 2 {
		return l.max
	}
	l.pairs = l.blocks.RunImpacts(l.pairs[:0], run)
	return l.most(l.pairs)
}

// readRun reads the bounds of a run's blocks.
func (l *list) readRun(run int) {
	l.read[run>>6] |= 1 << (run & 63)
	l.blocks.Run(run, &l.run)
	l.runAt, l.runParts = run, l.runParts[:0]
	for _, p := range l.run.Pairs {
		l.runParts = append(l.runParts, bm25.Part(l.weight.W, l.weight.C0, l.weight.C1, p.Freq, p.Length))
	}
	from := 0
	blocks := l.bounds[run*postings.RunLen : min((run+1)*postings.RunLen, len(l.bounds))]
	for i := range blocks {
		blocks[i] = l.max
		if len(l.runParts) > 0 {
			blocks[i] = 0
			for _, part := range l.runParts[from:l.run.Upto[i]] {
				blocks[i] = max(blocks[i], part)
			}
			from = l.run.Upto[i]
		}
	}
}

// enter goes to the first block with documents at or behind base; false when there is none.
func (l *list) enter(base uint32) bool {
	n := l.blocks.Count()
	if l.first < n && l.last(l.first) < base {
		if l.first++; l.first < n && l.last(l.first) < base {
			l.first = l.blocks.Find(l.first, base)
		}
	}
	return l.first < n && l.last(l.first) >= base
}

// starts gives a lower bound of the documents of a block.
func (l *list) starts(block int) uint32 {
	if block == 0 {
		return 0
	}
	return l.last(block-1) + 1
}

// look sets bound for the window from the first block up to end; 0 when the list has no documents there, as far as is known without reading them.
func (l *list) look(end uint32) {
	if l.bound = 0; l.loose {
		l.bound = l.max
		return
	}
	for b := l.first; b < l.blocks.Count() && l.starts(b) < end; b++ {
		l.bound = max(l.bound, l.boundOf(b))
	}
}

// load gives the documents of a block.
func (l *list) load(block int) []uint32 {
	if l.docs == nil || l.blocks.Loaded() != block {
		l.docs, l.at, l.scored = l.blocks.Load(block), 0, false
	}
	return l.docs
}

// score gives the parts of the block loaded.
func (l *list) score() []int64 {
	if !l.scored {
		l.weight.Parts(l.parts[:], l.docs, l.blocks.Freqs(), &l.lengths)
		l.scored = true
	}
	return l.parts[:len(l.docs)]
}

// part gives the part of one posting of the block loaded.
func (l *list) part(i int) int64 {
	if l.scored {
		return l.parts[i]
	}
	return bm25.Part(l.weight.W, l.weight.C0, l.weight.C1, l.blocks.Freqs()[i], l.lengths.Of(l.docs[i]))
}

// leastFreq gives how often a document must hold the term to reach floor with rest more, as far as the shortest documents tell: so most postings need not be scored.
func (l *list) leastFreq(rest, floor int64) uint32 {
	const most = 8 // beyond it few postings are left
	least := uint32(1)
	for least < most && bm25.Part(l.weight.W, l.weight.C0, l.weight.C1, least, l.shortest)+rest < floor {
		least++
	}
	return least
}

// leastIn is leastFreq for a block of the run read last, as far as its own pairs tell.
func (l *list) leastIn(block int, floor int64) uint32 {
	if len(l.runParts) == 0 {
		return l.leastFreq(0, floor)
	}
	i, from := block%postings.RunLen, 0
	if i > 0 {
		from = l.run.Upto[i-1]
	}
	least := uint32(1)
	for at := from; at < l.run.Upto[i]; at++ { // lengths rise with frequencies
		p := l.run.Pairs[at]
		if l.runParts[at] < floor {
			least = p.Freq + 1
			continue
		}
		for most := min(p.Freq, least+8); least < most && bm25.Part(l.weight.W, l.weight.C0, l.weight.C1, least, p.Length) < floor; {
			least++
		}
		break
	}
	return least
}

// seek goes to a document of a block, whose last is not before it, and tells whether it is there.
func (l *list) seek(block int, doc uint32) bool {
	docs := l.load(block)
	if len(docs) == 0 {
		return false
	}
	k := l.at
	for k+8 < len(docs) && docs[k+7] < doc {
		k += 8
	}
	for docs[k] < doc {
		k++
	}
	l.at = k
	return docs[k] == doc
}

// within gives which of ascending documents lie from base to end-1.
func within(docs []uint32, base, end uint32) (from, to int) {
	from, to = 0, len(docs)
	if to == 0 {
		return 0, 0
	}
	if docs[0] < base {
		from = lowerBound(docs, base)
	}
	if docs[to-1] >= end {
		to = from + lowerBound(docs[from:], end)
	}
	return from, to
}

// lowerBound gives the first of ascending documents at or behind target, or their number.
func lowerBound(docs []uint32, target uint32) int {
	lo, n := 0, len(docs)
	for n > 0 {
		half := (n + 1) / 2
		if docs[lo+half-1] < target {
			lo += half
			n -= half
			continue
		}
		n = half - 1
	}
	return lo
}
