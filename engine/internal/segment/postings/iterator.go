package postings

// Iterator walks one list in order of documents. It allocates nothing but the slices that the caller hands in, and never reads outside its
// source: over bytes that are no list it stands at [NoDoc] and [Iterator.Err] says so. It serves one goroutine.
type Iterator struct {
	b   Blocks
	at  int // which document of the block it stands on
	doc uint32
}

// Init stands the iterator on the first document of a list.
func (it *Iterator) Init(src Source, ref Ref) {
	it.b.Open(src, ref)
	it.enter(0)
}

// Close lets go of the list's bytes: until the next Init the list is empty.
func (it *Iterator) Close() {
	it.fail()
	it.b.Close()
}

// Err tells whether the walk met bytes that are no list; the answer is final once the iterator stands at [NoDoc].
func (it *Iterator) Err() error { return it.b.err }

// Count gives the number of documents in the list.
func (it *Iterator) Count() uint32 { return it.b.ref.DF }

// Visited is [Blocks.Visited].
func (it *Iterator) Visited() uint64 { return it.b.visited }

// Doc gives the document it stands on, or [NoDoc].
func (it *Iterator) Doc() uint32 { return it.doc }

// Next goes to the next document.
func (it *Iterator) Next() uint32 {
	it.at++
	if it.at < it.b.n {
		it.doc = it.b.docs[it.at]
		return it.doc
	}
	if it.doc != NoDoc {
		it.enter(it.b.block + 1)
	}
	return it.doc
}

// Advance goes to the first document at or behind target; it never goes back.
func (it *Iterator) Advance(target uint32) uint32 {
	if it.doc >= target {
		return it.doc
	}
	if it.b.docs[it.b.n-1] < target {
		it.enter(it.b.Find(it.b.block+1, target))
	}
	if it.doc == NoDoc {
		return NoDoc
	}
	docs := it.b.docs[:it.b.n]
	for it.at+8 < len(docs) && docs[it.at+7] < target {
		it.at += 8
	}
	for docs[it.at] < target {
		it.at++
	}
	it.doc = docs[it.at]
	return it.doc
}

// enter stands on the first document of a block.
func (it *Iterator) enter(block int) {
	it.at, it.doc = 0, NoDoc
	if docs := it.b.Load(block); len(docs) > 0 {
		it.doc = docs[0]
	}
}

// Freq gives how often the term stands in the document, 1 in lists without frequencies.
func (it *Iterator) Freq() uint32 {
	if it.b.freqOff >= 0 {
		it.b.Freqs()
	}
	return it.b.freqs[it.at]
}

// Positions appends the positions of the term in the document, ascending.
func (it *Iterator) Positions(dst []uint32) []uint32 {
	if it.doc == NoDoc {
		return dst
	}
	if dst = it.b.Positions(dst, it.at); it.b.err != nil {
		it.fail()
	}
	return dst
}

func (it *Iterator) fail() {
	it.b.fail()
	it.doc, it.at = NoDoc, 0
}
