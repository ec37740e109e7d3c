package stored

import (
	"fmt"

	"github.com/jetseek/jetseek/engine/internal/segment/cursor"
	"github.com/jetseek/jetseek/engine/internal/segment/labels"
)

// Dump prints stored sources, which lie at an offset, as labelled bytes.
func Dump(p *labels.Printer, b []byte, base int) {
	s, err := Open(b)
	if err != nil {
		p.Line(base, b, "CORRUPT: %v", err)
		return
	}
	for i := 0; i < s.blocks() && !p.Failed(); i++ {
		s.dumpBlock(p, base, i)
	}
	r := p.Read(b[len(s.b):], base+len(s.b))
	for i := range s.blocks() {
		r.Group(func(c *cursor.Cursor) string {
			return fmt.Sprintf("block %d: first document %d, starts at %d", i, c.Fixed32(), c.Fixed64())
		})
	}
	r.Fixed32("blocks")
	r.Fixed32("documents")
	r.End()
}

func (r *Reader) dumpBlock(p *labels.Printer, base, i int) {
	block, err := r.Block(r.first(i))
	if err != nil {
		p.Line(base, nil, "CORRUPT: %v", err)
		return
	}
	at := base + int(r.start(i))
	lines := p.Read(block.raw, at)
	lines.Byte(fmt.Sprintf("block %d: codec (0: plain, 2: zstd)", i))
	lines.Uvarint("bytes of content")
	if block.codec == Plain {
		for doc := range block.n {
			lines.Uvarint(fmt.Sprintf("length of source %d", int(block.First)+doc))
		}
		block.dumpSources(p, func(doc uint32, source []byte) {
			lines.Bytes(len(source), "source %d: %s", doc, excerpt(source))
		})
		lines.End()
		return
	}
	lines.Bytes(lines.Left(), "content, compressed")
	block.dumpSources(p, func(doc uint32, source []byte) {
		p.Line(at, nil, "source %d, %d bytes: %s", doc, len(source), excerpt(source))
	})
}

// dumpSources visits the documents of a block below the lines of the block.
func (b *Block) dumpSources(p *labels.Printer, visit func(doc uint32, source []byte)) {
	p.In()
	defer p.Out()
	if err := b.Each(visit); err != nil {
		p.Line(0, nil, "CORRUPT: %v", err)
	}
}

// excerpt quotes the beginning of a source.
func excerpt(source []byte) string {
	if len(source) > 48 {
		return fmt.Sprintf("%q…", source[:48])
	}
	return fmt.Sprintf("%q", source)
}
