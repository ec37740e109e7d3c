package witness

import "time"

// read is one document as a read saw it. seq is that of its snapshot, 0 where it is not known.
type read struct {
	id         string
	value      uint64 // 0: absent
	version    uint64 // 0 where it is not known
	seq        uint64
	start, end time.Duration
	event      *Event
}

// reads gives what every read of the history saw of every document. A search shows the absence of a document too, where it names no deleted ones.
func (h History) reads(owner map[string]string, each func(r read)) {
	for i := range h {
		e := &h[i]
		if e.Result != OK || e.isWrite() {
			continue
		}
		if e.Kind != Search {
			each(read{id: e.ID, value: e.Value, version: e.Version, seq: e.Seq, start: e.Start, end: e.End, event: e})
			continue
		}
		found := make(map[string]bool, len(e.Answer.Documents))
		for _, d := range e.Answer.Documents {
			found[d.ID] = true
			each(read{id: d.ID, value: d.Value, seq: e.Answer.Seq[owner[d.ID]], start: e.Start, end: e.End, event: e})
		}
		if e.Answer.Left {
			continue
		}
		for id, group := range owner {
			if seq, ok := e.Answer.Seq[group]; ok && !found[id] {
				each(read{id: id, seq: seq, start: e.Start, end: e.End, event: e})
			}
		}
	}
}

// CheckDeletes finds reads that began after a verified delete and give the document, though nothing wrote it since. It also tells how many such reads it looked at.
func CheckDeletes(h History, owner map[string]string) (found []Violation, looked int) {
	v := &violations{checker: "deletes"}
	gone := make(map[string][]*Event)
	wrote := make(map[uint64]*Event)
	for i := range h {
		switch e := &h[i]; {
		case e.Kind == Put:
			wrote[e.Value] = e
		case e.Kind == Delete && e.Result == OK && e.Visible:
			gone[e.ID] = append(gone[e.ID], e)
		}
	}
	h.reads(owner, func(r read) {
		behind := false
		for _, d := range gone[r.id] {
			if r.start <= d.End {
				continue
			}
			behind = true
			if r.value != 0 && before(wrote[r.value], d) {
				v.add("value %d was read in %s, behind %s", r.value, r.event, d)
				break
			}
		}
		if behind {
			looked++
		}
	})
	return v.found, looked
}

// before tells whether a put certainly stands before a delete in the log.
func before(put, del *Event) bool {
	switch {
	case put == nil:
		return false // nobody wrote it: registers judge that
	case put.Result == OK && put.Outcome != "" && del.Outcome != "" && put.Seq != del.Seq:
		return put.Seq < del.Seq
	}
	return put.Result == OK && put.End < del.Start
}
