package witness

// CheckSessions finds answers that are older than the sequences they were asked with.
func CheckSessions(h History) []Violation {
	v := &violations{checker: "sessions"}
	for i := range h {
		e := &h[i]
		if e.Kind != Search || e.Result != OK {
			continue
		}
		for group, wanted := range e.MinSeq {
			if got, ok := e.Answer.Seq[group]; ok && got < wanted {
				v.add("group %s answered at %d, asked for %d: %s", group, got, wanted, e)
			}
		}
	}
	return v.found
}
