package witness

// MemberState is what a member says of itself in the end.
type MemberState struct {
	Member, Group string
	State, Reason string
	ContentSeq    uint64
	Digest        string
	Documents     uint64
}

// CheckDigests compares the members of each group after all was mended: they serve, are at the same content, and hold the same, as many documents as the log says.
func CheckDigests(members []MemberState, log *Log) []Violation {
	v := &violations{checker: "digests"}
	first := make(map[string]MemberState)
	for _, m := range members {
		if m.State != "serving" {
			v.add("%s is %s in the end: %s", m.Member, m.State, m.Reason)
			continue
		}
		g := log.Groups[m.Group]
		if live := uint64(len(g.LiveAt(g.Last))); m.Documents != live {
			v.add("%s has %d documents in the end, the log %d", m.Member, m.Documents, live)
		}
		other, ok := first[m.Group]
		if !ok {
			first[m.Group] = m
			continue
		}
		if m.ContentSeq != other.ContentSeq || m.Digest != other.Digest {
			v.add("%s is at %d with digest %s, %s at %d with %s", m.Member, m.ContentSeq, m.Digest, other.Member, other.ContentSeq, other.Digest)
		}
	}
	return v.found
}
