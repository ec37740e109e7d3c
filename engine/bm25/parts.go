package bm25

import "encoding/binary"

// Lengths tell how long documents are: document d has Base plus the little-endian number in the Width bytes of Data from d*Width on. Width is 0, 1, 2, 4 or 8.
type Lengths struct {
	Base  uint32
	Width int
	Data  []byte
}

// Of gives the length of a document.
func (l *Lengths) Of(doc uint32) uint32 {
	switch l.Width {
	case 1:
		return l.Base + uint32(l.Data[doc])
	case 2:
		return l.Base + uint32(binary.LittleEndian.Uint16(l.Data[2*int(doc):]))
	case 4:
		return l.Base + binary.LittleEndian.Uint32(l.Data[4*int(doc):])
	case 8:
		return l.Base + uint32(binary.LittleEndian.Uint64(l.Data[8*int(doc):]))
	}
	return l.Base
}

// Fill sets dst, which is as long as docs, to the lengths of documents.
func (l *Lengths) Fill(dst, docs []uint32) {
	dst = dst[:len(docs)]
	switch l.Width {
	case 1:
		for i, d := range docs {
			dst[i] = l.Base + uint32(l.Data[d])
		}
	case 2:
		for i, d := range docs {
			dst[i] = l.Base + uint32(binary.LittleEndian.Uint16(l.Data[2*int(d):]))
		}
	default:
		for i, d := range docs {
			dst[i] = l.Of(d)
		}
	}
}

// Parts sets dst to what [Part] gives for each posting: documents with their frequencies, which are above 0. dst and freqs are as long as docs. A loop
// for each width of lengths keeps the choice out of it.
func (w Weight) Parts(dst []int64, docs, freqs []uint32, l *Lengths) {
	dst, freqs = dst[:len(docs)], freqs[:len(docs)]
	done := w.vector(dst, docs, freqs, l)
	dst, docs, freqs = dst[done:], docs[done:], freqs[done:]
	switch l.Width {
	case 1:
		for i, d := range docs {
			dst[i] = w.part(freqs[i], l.Base+uint32(l.Data[d]))
		}
	case 2:
		for i, d := range docs {
			dst[i] = w.part(freqs[i], l.Base+uint32(binary.LittleEndian.Uint16(l.Data[2*int(d):])))
		}
	default:
		for i, d := range docs {
			dst[i] = w.part(freqs[i], l.Of(d))
		}
	}
}

// part is [Part] without its exception for no occurrence.
func (w *Weight) part(tf, dl uint32) int64 {
	f := float64(tf)
	share := f / (f + (w.C0 + float64(w.C1*float64(dl))))
	return int64(unit * float64(w.W*share))
}
