package witness

// registerLimit bounds the operations of one document that are searched for an order.
const registerLimit = 400

// Totals count what runs did.
type Totals struct {
	Seeds      int
	Operations int // of clients, without audits
	Acked      int // writes
	Deletes    int // verified
	Reads      int // documents looked at behind a verified delete of them
	Lost       int // acknowledged writes that are not in the log
	Served     int // deleted documents that were read
	Skipped    int // documents that were too much to judge as registers
	Aside      int // operations that were set aside, since no member could apply them
}

// Add adds up.
func (t *Totals) Add(o Totals) {
	t.Seeds += o.Seeds
	t.Operations += o.Operations
	t.Acked += o.Acked
	t.Deletes += o.Deletes
	t.Reads += o.Reads
	t.Lost += o.Lost
	t.Served += o.Served
	t.Skipped += o.Skipped
	t.Aside += o.Aside
}

// Judge gives what a run left to all checkers. poison tells which puts no member could apply, by their values; nil: each could.
func Judge(r *Evidence, poison func(value uint64) bool) ([]Violation, Totals) {
	totals := Totals{Seeds: 1, Lost: Lost(r.History, r.Log), Aside: len(r.Log.Asides())}
	for i := range r.History {
		e := &r.History[i]
		if e.Kind != Audit {
			totals.Operations++
		}
		if e.isWrite() && e.Result == OK {
			totals.Acked++
			if e.Kind == Delete && e.Visible {
				totals.Deletes++
			}
		}
	}
	found := CheckAcknowledged(r.History, r.Log, r.Final)
	served, reads := CheckDeletes(append(r.History[:len(r.History):len(r.History)], r.Final...), r.Log.Owner)
	totals.Reads, totals.Served = reads, len(served)
	registers, skipped := CheckRegisters(r.History.withoutAsides(r.Log), r.Log.Owner, registerLimit)
	totals.Skipped = skipped
	found = append(found, served...)
	found = append(found, registers...)
	found = append(found, CheckSessions(r.History)...)
	found = append(found, CheckCoverage(r.History, r.Log)...)
	found = append(found, CheckQuarantine(r.Tried, r.Left, r.Log, poison)...)
	return append(found, CheckDigests(r.Members, r.Log)...), totals
}
