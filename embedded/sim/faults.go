package sim

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/jetseek/jetseek/embedded/witness"
)

// runFaults lets every fault of the plan come and go, and mends everything when ctx ends.
func (w *World) runFaults(ctx context.Context) {
	var faults sync.WaitGroup
	for _, f := range w.plan.Faults {
		faults.Go(func() {
			if witness.Pause(ctx, f.At) {
				w.befall(ctx, f)
			}
		})
	}
	faults.Wait()
	w.mend()
}

func (w *World) process(id string) *process {
	for _, p := range slices.Concat(w.members, w.coordinators) {
		if p.id == id {
			return p
		}
	}
	panic(fmt.Sprintf("no process %q", id))
}

// befall lets one fault come, waits for as long as it lasts or until ctx ends, and undoes it.
func (w *World) befall(ctx context.Context, f Fault) {
	if f.Kind == Restart {
		w.server.stop()
		witness.Pause(ctx, f.For)
		if err := w.server.start(); err != nil {
			w.note("%v", err)
		}
		return
	}
	p := w.process(f.Target)
	links := p.links(f)
	switch f.Kind {
	case Crash, Power, Rot:
		p.turn <- struct{}{}
		p.kill(f.Kind)
		witness.Pause(ctx, f.For)
		w.startAgain(p)
		<-p.turn
	case Full, Fail:
		p.disk.set(f.Kind)
		witness.Pause(ctx, f.For)
		p.disk.set(0)
	case Hang:
		w.hang(ctx, p, f)
	case Cut:
		each(links, func(l *Link) { l.cut(f.In, f.Out) })
		witness.Pause(ctx, f.For)
		each(links, (*Link).mend)
	case Slow:
		in, out := f.By, f.By
		if !f.In {
			in = 0
		}
		if !f.Out {
			out = 0
		}
		each(links, func(l *Link) { l.slow(in, out) })
		witness.Pause(ctx, f.For)
		each(links, func(l *Link) { l.slow(0, 0) })
	case Break:
		each(links, (*Link).down)
		witness.Pause(ctx, f.For)
		each(links, (*Link).up)
	case Lag:
		p.during(ctx, f, func(g *gate) { hold(&g.apply) }, func(g *gate) { release(&g.apply) })
	case Drag:
		p.during(ctx, f, func(g *gate) { g.drag = f.By }, func(g *gate) { g.drag = 0 })
	case Ponder:
		p.during(ctx, f, func(g *gate) { g.ponder = f.By }, func(g *gate) { g.ponder = 0 })
	case Falter:
		p.during(ctx, f, func(g *gate) { g.falter = true }, func(g *gate) { g.falter = false })
		p.turn <- struct{}{}
		w.revive(p)
		<-p.turn
	case Jump:
		p.clock.jump(f.By)
		witness.Pause(ctx, f.For)
		p.clock.jump(-f.By)
	}
}

func each(links []*Link, do func(*Link)) {
	for _, l := range links {
		do(l)
	}
}

func (p *process) links(f Fault) []*Link {
	var links []*Link
	if f.Requests {
		links = append(links, p.requests)
	}
	if f.Log {
		links = append(links, p.log)
	}
	return links
}

func (p *process) during(ctx context.Context, f Fault, begin, end func(g *gate)) {
	p.holdGate(begin)
	witness.Pause(ctx, f.For)
	p.holdGate(end)
}

// hang stops a process: nothing comes in or goes out, its loops stand, and of its clocks at most one. When it wakes its apply loop may be the last to.
func (w *World) hang(ctx context.Context, p *process, f Fault) {
	links := p.links(f)
	each(links, func(l *Link) { l.cut(true, true) })
	p.clock.stand(f.Mono, f.Wall)
	p.holdGate(func(g *gate) { hold(&g.apply); hold(&g.all) })
	witness.Pause(ctx, f.For)
	p.clock.stand(false, false)
	p.holdGate(func(g *gate) { release(&g.all) })
	each(links, (*Link).mend)
	witness.Pause(ctx, f.By)
	p.holdGate(func(g *gate) { release(&g.apply) })
}

func (w *World) startAgain(p *process) {
	if err := p.start(); err != nil {
		w.note("%s does not start again: %v", p.id, err)
	}
}

// mend undoes what may be left: faults of one process overlap, and one that ends late undoes what another began.
func (w *World) mend() {
	for _, p := range slices.Concat(w.members, w.coordinators) {
		for _, l := range []*Link{p.requests, p.log} {
			l.mend()
			l.slow(0, 0)
			l.up()
		}
		p.clock.stand(false, false)
		p.disk.set(0)
		p.holdGate(func(g *gate) {
			release(&g.apply)
			release(&g.all)
			g.drag, g.ponder, g.falter = 0, 0, false
		})
		w.revive(p)
	}
	if w.poison != nil {
		w.renew()
	}
}

// revive starts a process again that has come to an end by itself: since its disk did not let it start, or since it could not apply what others had applied.
func (w *World) revive(p *process) {
	if p.hasEnded() {
		p.end()
		w.startAgain(p)
	}
}

// renew gives all members software that can apply everything. Those that run the old one have ended before.
func (w *World) renew() {
	for _, p := range w.members {
		p.end()
	}
	w.poison = nil
	for _, p := range w.members {
		w.startAgain(p)
	}
}
