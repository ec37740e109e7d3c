package segment

// Scratch is a temporary file of a merge: it takes bytes, and gives them back once.
type Scratch interface {
	Write(b []byte) (int, error)
	// Replay gives all that was written, piece by piece; a piece is valid until take returns. Nothing is written any more after it.
	Replay(take func(piece []byte)) error
	// Close removes the file.
	Close()
}

// Overflow says where a merge puts what it makes beside the section that it writes: the dictionary, postings and positions of a field come into being
// together, and lie one after the other.
type Overflow struct {
	// Create makes a temporary file; nil: all stays in memory.
	Create func() (Scratch, error)
	// Bytes of each of the three that stay in memory; more goes to a temporary file.
	Bytes int
}

// spilled is the part of a section that has gone to a temporary file.
type spilled struct{ file Scratch }

// spill moves what take gives to a temporary file, when it has become larger than the overflow's limit.
func (w *writer) spill(s *spilled, size int, take func() []byte) {
	if w.overflow.Create == nil || size <= w.overflow.Bytes || w.err != nil {
		return
	}
	if s.file == nil {
		if s.file, w.err = w.overflow.Create(); w.err != nil {
			return
		}
	}
	_, w.err = s.file.Write(take())
}

// spilledSection writes a whole section: what has gone to a temporary file, and the rest.
func (w *writer) spilledSection(k kind, s *spilled, rest []byte) {
	if s.file != nil && w.err == nil {
		if err := s.file.Replay(w.part); w.err == nil {
			w.err = err
		}
	}
	s.close()
	w.section(k, w.field, rest)
}

// discard removes the temporary files of a merge that was not finished.
func (w *writer) discard() {
	w.terms.close()
	w.docLists.close()
	w.positions.close()
}

func (s *spilled) close() {
	if s.file != nil {
		s.file.Close()
	}
	s.file = nil
}
