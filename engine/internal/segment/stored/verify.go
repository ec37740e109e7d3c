package stored

// Report takes a finding: where in the sources, and what is wrong there.
type Report func(off int, format string, args ...any)

// Verify decodes every block: blocks follow each other without gaps from the beginning, and their documents without gaps from 0; visit gets every source, which
// is its own until it returns, with the place of its block.
func (r *Reader) Verify(visit func(off int, doc uint32, source []byte), report Report) {
	next, blocks := uint32(0), r.blocks()
	for i := range blocks {
		off := int(min(r.start(i), uint64(len(r.b))))
		if i == 0 && off != 0 {
			report(off, "block 0 does not start at the beginning")
		}
		if r.first(i) != next {
			report(off, "block %d begins with document %d, want %d", i, r.first(i), next)
			return
		}
		b, err := r.Block(next)
		if err == nil {
			err = b.open()
		}
		if err != nil {
			report(off, "%v", err)
			return
		}
		if b.size != len(b.content) {
			report(off, "block %d: says that its content has %d bytes, it has %d", i, b.size, len(b.content))
		}
		size := b.sources
		if err := b.Each(func(doc uint32, source []byte) {
			size += len(source)
			visit(off, doc, source)
		}); err != nil {
			report(off, "block %d: %v", i, err)
		} else if size != len(b.content) {
			report(off, "block %d: sources take %d bytes of %d", i, size, len(b.content))
		}
		next += uint32(b.n)
	}
	if int(next) != r.docs {
		report(len(r.b), "sources of %d documents, want %d", next, r.docs)
	}
}
