//go:build unix

package main

import (
	"fmt"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
)

// Figures are what a run measured beside right and wrong.
type Figures struct {
	Heal        time.Duration // from the last fault until every member serves with equal digests
	WriteGap    time.Duration // the longest time in which no write was acknowledged
	ReadGap     time.Duration // the longest time in which no read was answered
	Reads       int           // through coordinators
	FailedReads int
	Failure     string        // why the first of them failed
	Deletes     int           // verified
	Delete      time.Duration // the longest one
}

func (f Figures) String() string {
	second := func(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
	why := ""
	if f.FailedReads > 0 {
		why = " (" + f.Failure + ")"
	}
	return fmt.Sprintf("write gap %s, read gap %s, %d of %d reads failed%s, slowest of %d verified deletes %s, whole %s after the last fault",
		second(f.WriteGap), second(f.ReadGap), f.FailedReads, f.Reads, why, f.Deletes, second(f.Delete), second(f.Heal))
}

// figures measures a run.
func figures(r *Run) Figures {
	f := Figures{Heal: r.Heal}
	var wrote, read time.Duration
	for i := range r.History { // in the order in which they ended
		e := &r.History[i]
		switch e.Kind {
		case witness.Put, witness.Delete:
			if e.Result == witness.OK {
				f.WriteGap, wrote = max(f.WriteGap, e.End-wrote), e.End
			}
			if e.Kind == witness.Delete && e.Result == witness.OK && e.Visible {
				f.Deletes++
				f.Delete = max(f.Delete, e.End-e.Start)
			}
		case witness.Get, witness.Search:
			f.Reads++
			if e.Result != witness.OK {
				if f.FailedReads++; f.FailedReads == 1 {
					f.Failure = e.String()
				}
				continue
			}
			f.ReadGap, read = max(f.ReadGap, e.End-read), e.End
		}
	}
	return f
}
