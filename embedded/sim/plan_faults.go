package sim

import "time"

// faults makes the faults of the plan's profile. Those of one kind that befall one process follow each other; others overlap as they fall.
func (p *planner) faults() {
	members, all := p.plan.memberIDs(), append(p.plan.coordinatorIDs(), p.plan.memberIDs()...)
	switch p.plan.Profile {
	case "crashes":
		p.befall(all, 0.7, 12*time.Second, p.crash)
		p.befall(all, 0.2, 20*time.Second, p.cut)
		p.befall(members, 0.3, 15*time.Second, p.drag)
	case "partitions":
		p.befall(all, 0.6, 10*time.Second, p.cut)
		p.befall(all, 0.3, 10*time.Second, p.slow)
		p.befall(all, 0.3, 15*time.Second, p.breaks)
		p.befall(members, 0.2, 25*time.Second, p.crash)
	case "leases":
		p.befall(members, 0.7, 6*time.Second, p.longLag)
		p.befall(members, 0.7, 3*time.Second, p.ponder)
		p.befall(members, 0.5, 3*time.Second, p.deafLog)
		p.befall(members, 0.4, 8*time.Second, p.hang)
	case "deaf":
		p.deafEpisodes()
		p.befall(members, 0.2, 20*time.Second, p.crash)
	case "server":
		p.befall([]string{""}, 0.8, 12*time.Second, p.restart)
		p.befall(members, 0.5, 10*time.Second, p.jump)
		p.befall(all, 0.3, 15*time.Second, p.hang)
		p.befall(all, 0.3, 15*time.Second, p.crash)
		p.befall(all, 0.2, 15*time.Second, p.cut)
	case "disks":
		p.befall(members, 0.7, 8*time.Second, p.dies)
		p.befall(members, 0.5, 8*time.Second, p.badDisk)
		p.befall([]string{""}, 0.2, 25*time.Second, p.restart)
	case "poison":
		p.plan.PoisonIn = poisonIn
		p.befall(p.firstOfMany(), 0.8, 6*time.Second, p.falter)
		p.befall(p.firstOfMany(), 0.8, 4*time.Second, p.drag) // so that it takes a while to apply anew what it goes back for
		p.befall(members, 0.3, 20*time.Second, p.crash)
		p.befall(all, 0.2, 20*time.Second, p.cut)
	case "fading":
		p.plan.IdleAfter, p.plan.AuditEvery = 0, 0 // who sleeps holds no lease that could count for too long
		p.fadingLogs()
		p.befall(members, 0.7, 4*time.Second, p.ponder)
		p.befall(members, 0.2, 20*time.Second, p.crash)
	}
	if p.plan.AuditEvery > 0 { // who sleeps shall not know all
		p.befall(members, 0.6, 5*time.Second, p.shortLag)
	}
}

// firstOfMany gives the first member of each group that has others. One of a group at most may falter: what two cannot apply is set aside, whatever the reason.
func (p *planner) firstOfMany() []string {
	var first []string
	for i, id := range p.plan.memberIDs() {
		if p.plan.Members > 1 && i%p.plan.Members == 0 {
			first = append(first, id)
		}
	}
	return first
}

func (p *planner) falter() Fault {
	return Fault{Kind: Falter, For: p.Between(500*time.Millisecond, 8*time.Second)}
}

// befall lets a kind of fault come over some of the targets, each with the given chance, one after the other with about so much time between.
func (p *planner) befall(targets []string, chance float64, gap time.Duration, fault func() Fault) {
	for _, target := range targets {
		if p.Float64() >= chance {
			continue
		}
		for at := p.Between(0, gap); at < planLength; at += p.Between(gap/4, 2*gap) {
			f := fault()
			f.At, f.Target = at, target
			p.plan.Faults = append(p.plan.Faults, f)
			at += f.For
		}
	}
}

// crash lets a member lose what it had not synced as often as not.
func (p *planner) crash() Fault {
	return Fault{Kind: []FaultKind{Crash, Power}[p.Pick(50, 50)], For: p.Between(200*time.Millisecond, 10*time.Second)}
}

// dies lets a member find its index as a bad end has left it.
func (p *planner) dies() Fault {
	f := p.crash()
	if p.Pick(60, 40) == 1 {
		f.Kind = Rot
	}
	return f
}

func (p *planner) badDisk() Fault {
	return Fault{Kind: []FaultKind{Full, Fail}[p.Pick(40, 60)], For: p.around()}
}

// lengths of faults that matter to leases: some shorter, some longer than a lease.
func (p *planner) around() time.Duration {
	if p.Pick(50, 50) == 0 {
		return p.Between(500*time.Millisecond, 6*time.Second)
	}
	return p.Between(10*time.Second, 22*time.Second)
}

func (p *planner) hang() Fault {
	f := Fault{Kind: Hang, For: p.around(), Requests: true, Log: true}
	switch p.Pick(40, 40, 20) {
	case 0:
		f.Mono = true
	case 1:
		f.Wall = true
	}
	if p.Pick(60, 40) == 0 {
		f.By = p.Between(0, 5*time.Second)
	}
	return f
}

func (p *planner) cut() Fault {
	f := Fault{Kind: Cut, For: p.around(), Requests: true, Log: true, In: true, Out: true}
	switch p.Pick(60, 20, 20) {
	case 1:
		f.Requests = false
	case 2:
		f.Log = false
	}
	switch p.Pick(50, 25, 25) {
	case 1:
		f.In = false
	case 2:
		f.Out = false
	}
	return f
}

// deafLog lets acknowledgements of the log be late or lost.
func (p *planner) deafLog() Fault {
	if p.Pick(50, 50) == 0 {
		return Fault{Kind: Slow, For: p.Between(3*time.Second, 12*time.Second), Log: true, In: true, Out: true, By: p.Between(300*time.Millisecond, 1400*time.Millisecond)}
	}
	return Fault{Kind: Cut, For: p.Between(time.Second, 10*time.Second), Log: true, In: true}
}

func (p *planner) slow() Fault {
	f := Fault{Kind: Slow, For: p.Between(2*time.Second, 12*time.Second), Requests: true, Log: true, In: true, Out: true, By: p.Between(5*time.Millisecond, 300*time.Millisecond)}
	if p.Pick(75, 25) == 1 {
		f.By = p.Between(300*time.Millisecond, 2*time.Second)
	}
	return f
}

func (p *planner) breaks() Fault {
	return Fault{Kind: Break, For: p.Between(10*time.Millisecond, 6*time.Second), Requests: true, Log: p.Pick(50, 50) == 0}
}

// deafEpisodes let all coordinators miss reports and watermarks for a while, and one member of each group fall behind just before they hear again: what they know of
// its leases is old then.
func (p *planner) deafEpisodes() {
	for at := p.Between(0, 5*time.Second); at < planLength-10*time.Second; at += p.Between(20*time.Second, 26*time.Second) {
		length := p.Between(5*time.Second, 12*time.Second)
		for _, id := range p.plan.coordinatorIDs() {
			p.plan.Faults = append(p.plan.Faults, Fault{Kind: Break, At: at + p.Between(0, time.Second), For: length, Target: id, Requests: true})
		}
		for g := range p.plan.Groups {
			behind := p.plan.memberIDs()[g*p.plan.Members+p.IntN(p.plan.Members)]
			p.plan.Faults = append(p.plan.Faults, Fault{Kind: Lag, At: at + length - p.Between(0, 3*time.Second), For: p.Between(8*time.Second, 16*time.Second), Target: behind})
		}
	}
}

// fadingLogs let the way from the server on which some members have their logs become slow, and then silent for about a lease, which tells nobody. Their other connection breaks for a moment about then: what
// its tail has may have a gap, so that they apply nothing until they can compare it with the log, and do not know that there is anything to apply.
func (p *planner) fadingLogs() {
	for _, id := range p.plan.memberIDs() {
		if p.Float64() >= 0.6 {
			continue
		}
		for at := p.Between(0, 10*time.Second); at < planLength-15*time.Second; at += p.Between(24*time.Second, 30*time.Second) {
			fading, silent := p.Between(3*time.Second, 7*time.Second), p.Between(13*time.Second, 20*time.Second)
			p.plan.Faults = append(p.plan.Faults,
				Fault{Kind: Slow, At: at, For: fading + time.Second, Target: id, Log: true, In: true, By: p.Between(200*time.Millisecond, 2800*time.Millisecond)},
				Fault{Kind: Cut, At: at + fading, For: silent, Target: id, Log: true, In: true, Out: p.Pick(50, 50) == 0},
				Fault{Kind: Break, At: at + fading + p.Between(-time.Second, 3*time.Second), For: p.Between(10*time.Millisecond, 300*time.Millisecond), Target: id, Requests: true})
		}
	}
}

func (p *planner) lag() Fault { return Fault{Kind: Lag, For: p.around()} }

// shortLag ends about when the member would leave rotation for it.
func (p *planner) shortLag() Fault {
	return Fault{Kind: Lag, For: p.Between(2*time.Second, 6*time.Second)}
}

// longLag often outlives the leases that the member had when it began.
func (p *planner) longLag() Fault {
	f := p.lag()
	if p.Pick(50, 50) == 0 {
		f.For = p.Between(16*time.Second, 22*time.Second)
	}
	return f
}

func (p *planner) drag() Fault {
	return Fault{Kind: Drag, For: p.Between(2*time.Second, 15*time.Second), By: p.Between(10*time.Millisecond, time.Second)}
}

func (p *planner) ponder() Fault {
	return Fault{Kind: Ponder, For: p.Between(5*time.Second, 30*time.Second), By: p.Between(100*time.Millisecond, 1500*time.Millisecond)}
}

func (p *planner) jump() Fault {
	far := []time.Duration{time.Second, time.Hour, 24 * time.Hour, 30 * 365 * 24 * time.Hour}[p.IntN(4)]
	if p.Pick(50, 50) == 0 {
		far = -far
	}
	return Fault{Kind: Jump, For: p.Between(time.Second, 10*time.Second), By: far}
}

func (p *planner) restart() Fault {
	return Fault{Kind: Restart, For: p.Between(10*time.Millisecond, 8*time.Second)}
}
