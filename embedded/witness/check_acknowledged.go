package witness

// CheckAcknowledged holds writes against the log: what was acknowledged stands there at its sequence with the outcome that was answered, once; what certainly
// failed does not stand there; what is unknown may. final are the reads of every document at every member after all was mended: they give what the log's end says.
func CheckAcknowledged(h History, log *Log, final History) []Violation {
	v := &violations{checker: "acknowledged"}
	puts := make(map[uint64][]LogWrite)
	deletes := make(map[place][]LogWrite)
	for _, g := range log.Groups {
		for _, w := range g.Writes {
			switch {
			case w.Again: // the one before it counts
			case w.Kind == Put:
				puts[w.Value] = append(puts[w.Value], w)
			default:
				at := place{w.Group, w.Seq, w.ID}
				deletes[at] = append(deletes[at], w)
			}
		}
	}
	for i := range h {
		switch e := &h[i]; e.Kind {
		case Put:
			v.put(e, puts[e.Value])
		case Delete:
			if e.Result == OK {
				v.acknowledged(e, deletes[place{e.Group, e.Seq, e.ID}])
			}
		}
	}
	for i := range final {
		v.final(&final[i], log)
	}
	return v.found
}

// place is where an operation stands in a log.
type place struct {
	group string
	seq   uint64
	id    string
}

func (v *violations) put(e *Event, stored []LogWrite) {
	if len(stored) > 1 {
		v.add("stored %d times: %s", len(stored), e)
	}
	switch e.Result {
	case OK:
		v.acknowledged(e, stored)
	case Failed:
		if len(stored) > 0 {
			v.add("said to be certainly not stored, and stored at %d: %s", stored[0].Seq, e)
		}
	}
}

// acknowledged checks that one of the writes in the log is the one that was acknowledged. A bulk tells neither the outcome nor the exact sequence of a line.
func (v *violations) acknowledged(e *Event, stored []LogWrite) {
	if e.Outcome == "" && e.Kind == Delete {
		return // not to be told from other deletes; registers judge it
	}
	for _, w := range stored {
		if e.Visible && w.Outcome == "rejected" {
			continue // durable alone is all that may be said of it
		}
		if e.Outcome == "" && w.Seq <= e.Seq || w.Seq == e.Seq && w.Outcome == e.Outcome && w.Version == e.Version {
			return
		}
	}
	if len(stored) == 0 {
		v.add("lost: %s", e)
		return
	}
	v.add("the log has it as %+v: %s", stored[0], e)
}

func (v *violations) final(e *Event, log *Log) {
	g := log.Groups[log.Owner[e.ID]]
	if e.Result != OK || g == nil {
		v.add("in the end a document cannot be read: %s", e)
		return
	}
	if s := g.At(e.ID, g.Last); s.value != e.Value || s.version != e.Version {
		v.add("in the end the log has value %d version %d: %s", s.value, s.version, e)
	}
}

// Lost counts the acknowledged puts that the log does not have.
func Lost(h History, log *Log) int {
	stored := make(map[uint64]bool)
	for _, g := range log.Groups {
		for _, w := range g.Writes {
			stored[w.Value] = true
		}
	}
	lost := 0
	for i := range h {
		if h[i].Kind == Put && h[i].Result == OK && !stored[h[i].Value] {
			lost++
		}
	}
	return lost
}
