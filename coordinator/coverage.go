package coordinator

import "github.com/jetseek/jetseek/subjects/placement"

// shares gives each group's share of the documents, as far as watermarks tell; of the slots, before there are documents.
func (c *Coordinator) shares(m *placement.Map) map[string]float64 {
	documents := make([]uint64, len(m.Groups))
	var total uint64
	for i, g := range m.Groups {
		for _, h := range c.tracker.marks(g.Name) {
			documents[i] = max(documents[i], h.mark.Documents)
		}
		total += documents[i]
	}
	shares := make(map[string]float64, len(m.Groups))
	counts := m.Counts()
	for i, g := range m.Groups {
		if total > 0 {
			shares[g.Name] = float64(documents[i]) / float64(total)
		} else {
			shares[g.Name] = float64(counts[i]) / placement.Slots
		}
	}
	return shares
}
