package web

import (
	"fmt"
	"math"
	"strings"

	"github.com/jetseek/jetseek/subjects/placement"
)

const (
	// colors is how many colours groups take in turn.
	colors = 8
	// ringParts is into how many equal parts the ring is cut at most, so that the picture has a bound: a part is a third of a pixel wide.
	ringParts = 2048
	// ringRadius is that of the middle of the ring, in the units of its picture, whose middle is at 0, 0.
	ringRadius = 80.0
)

// ringView is the ring of slots as a picture: for each group one path over all arcs that it owns. Slot 0 is at the top, and slots run clockwise.
type ringView struct {
	Rule   string
	Vnodes int
	Epoch  uint64
	Slots  uint64
	Arcs   []arcs
}

// arcs are the slots of one group.
type arcs struct {
	Group string
	Color int
	Path  string // of an SVG
}

func drawRing(m *placement.Map, color func(group string) int) *ringView {
	v := &ringView{Rule: string(m.Rule), Vnodes: m.Vnodes, Epoch: m.Epoch, Slots: placement.Slots}
	paths := make([]strings.Builder, len(m.Groups))
	const step = placement.Slots / ringParts
	for from := 0; from < ringParts; {
		group, to := m.Table[from*step], from
		for to < ringParts && m.Table[to*step] == group {
			to++
		}
		addArc(&paths[group], float64(from)/ringParts, float64(to)/ringParts)
		from = to
	}
	for i, g := range m.Groups {
		v.Arcs = append(v.Arcs, arcs{Group: g.Name, Color: color(g.Name), Path: paths[i].String()})
	}
	return v
}

// addArc adds an arc between two shares of the circle. One of more than half of it is drawn as two, since an arc that ends where it begins is nothing.
func addArc(path *strings.Builder, from, to float64) {
	if to-from > 0.5 {
		middle := (from + to) / 2
		addArc(path, from, middle)
		addArc(path, middle, to)
		return
	}
	x1, y1 := onRing(from)
	x2, y2 := onRing(to)
	fmt.Fprintf(path, "M%.2f %.2fA%g %g 0 0 1 %.2f %.2f", x1, y1, ringRadius, ringRadius, x2, y2)
}

func onRing(share float64) (x, y float64) {
	sin, cos := math.Sincos(2 * math.Pi * share)
	return ringRadius * sin, -ringRadius * cos
}
