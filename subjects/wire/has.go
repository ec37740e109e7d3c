package wire

// MaxHas is how many ids one [HasRequest] may name.
const MaxHas = 256

// HasRequest asks one member whether it would serve documents that were deleted. It keeps no sleeping member awake and wakes none.
type HasRequest struct {
	Head
	Deleted []Deletion // at most [MaxHas]
}

// Deletion names a document by its id, and the place in the log of the delete of which it was promised that nobody serves the document any more.
type Deletion struct {
	ID  string
	Seq uint64
}

// Outlived tells whether a document of this id, born at a sequence (0: there is none), is one that the delete should have ended: one born later was written again.
func (d Deletion) Outlived(birth uint64) bool { return birth != 0 && birth < d.Seq }

// HasReply answers a [HasRequest].
type HasReply struct {
	Frame
	Births []uint64 // of each id the sequence at which the document was created that the member would serve; 0: none
}

// AppendHasRequest appends the binary form to dst.
func AppendHasRequest(dst []byte, q *HasRequest) []byte {
	dst = appendHead(append(dst, binaryV1, kindHasRequest), &q.Head)
	dst = appendUvarint(dst, uint64(len(q.Deleted)))
	for _, d := range q.Deleted {
		dst = appendUvarint(appendStr(dst, d.ID), d.Seq)
	}
	return dst
}

// DecodeHasRequest reads the binary form.
func DecodeHasRequest(b []byte) (*HasRequest, error) {
	r := open(b, kindHasRequest)
	q := &HasRequest{Head: readHead(r)}
	n := r.count(2)
	if n > MaxHas {
		r.fail("%d ids, at most %d", n, MaxHas)
		n = 0
	}
	for range n {
		q.Deleted = append(q.Deleted, Deletion{ID: r.str(MaxIDBytes), Seq: r.uvarint()})
	}
	return finish(q, "has request", r)
}

// AppendHasReply appends the binary form to dst.
func AppendHasReply(dst []byte, p *HasReply) []byte {
	dst = appendFrame(append(dst, binaryV1, kindHasReply), &p.Frame)
	if p.Err != nil {
		return dst
	}
	dst = appendUvarint(dst, uint64(len(p.Births)))
	for _, birth := range p.Births {
		dst = appendUvarint(dst, birth)
	}
	return dst
}

// DecodeHasReply reads the binary form.
func DecodeHasReply(b []byte) (*HasReply, error) {
	r := open(b, kindHasReply)
	p := &HasReply{Frame: readFrame(r)}
	if p.Err != nil {
		return finish(p, "has reply", r)
	}
	for range r.count(1) {
		p.Births = append(p.Births, r.uvarint())
	}
	return finish(p, "has reply", r)
}
