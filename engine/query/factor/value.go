package factor

import (
	"math"

	"github.com/jetseek/jetseek/engine/bm25"
)

// Modifier is what field_value_factor makes of a value times its factor.
type Modifier uint8

// The modifiers.
const (
	None       Modifier = iota
	Log                 // to the base of 10
	LogPlus1            // log1p: of x+1
	LogPlus2            // log2p: of x+2
	Ln                  // natural
	LnPlus1             // ln1p: of x+1
	LnPlus2             // ln2p: of x+2
	Square              //
	Sqrt                //
	Reciprocal          // 1/x
	modifiers
)

// Name is how a query names it.
func (m Modifier) Name() string {
	if m >= modifiers {
		return ""
	}
	return [...]string{"none", "log", "log1p", "log2p", "ln", "ln1p", "ln2p", "square", "sqrt", "reciprocal"}[m]
}

// Of gives the modified value.
func (m Modifier) Of(x float64) float64 {
	switch m {
	case Log:
		return Log10(x)
	case LogPlus1:
		return Log10(x + 1)
	case LogPlus2:
		return Log10(x + 2)
	case Ln:
		return bm25.Ln(x)
	case LnPlus1:
		return Log1p(x)
	case LnPlus2:
		return Log1p(x + 1)
	case Square:
		return float64(x * x)
	case Sqrt:
		return math.Sqrt(x)
	case Reciprocal:
		return 1 / x
	}
	return x
}

// Shape is how a decay falls with distance.
type Shape uint8

// The shapes.
const (
	Gauss       Shape = iota
	Exponential       // exp
	Linear
	shapes
)

// Name is how a query names it.
func (s Shape) Name() string {
	if s >= shapes {
		return ""
	}
	return [...]string{"gauss", "exp", "linear"}[s]
}

// Decay falls from 1 at distances up to Offset: at a distance of its scale behind that it is what it was made to be there.
type Decay struct {
	Shape  Shape
	Offset float64 // not negative
	Rate   float64 // made of the scale and the decay there: see [NewDecay]
}

// NewDecay makes a decay that gives decay, between 0 and 1, at a distance of scale, above 0, behind its offset.
func NewDecay(s Shape, scale, offset, decay float64) Decay {
	d := Decay{Shape: s, Offset: offset}
	switch s {
	case Gauss:
		d.Rate = float64(0.5*float64(scale*scale)) / bm25.Ln(decay) // -σ²
	case Exponential:
		d.Rate = bm25.Ln(decay) / scale
	case Linear:
		d.Rate = scale / (1 - decay)
	}
	return d
}

// Valid tells whether the decay falls: its offset and rate are finite, and the rate has the sign of its shape.
func (d *Decay) Valid() bool {
	rate := d.Rate
	if d.Shape != Linear {
		rate = -rate
	}
	return d.Shape < shapes && d.Offset >= 0 && d.Offset <= math.MaxFloat64 && rate > 0 && rate <= math.MaxFloat64
}

// Behind gives how far behind the offset a distance lies.
func (d *Decay) Behind(distance float64) float64 { return max(0, distance-d.Offset) }

// At gives the value at a distance behind the offset.
func (d *Decay) At(behind float64) float64 {
	switch d.Shape {
	case Gauss:
		return Exp(float64(0.5*float64(behind*behind)) / d.Rate)
	case Exponential:
		return Exp(float64(d.Rate * behind))
	}
	return max(0, (d.Rate-behind)/d.Rate)
}

// Pick is which of a document's several distances counts: multi_value_mode.
type Pick uint8

// The picks.
const (
	Least Pick = iota
	Greatest
	Mean
	Total
	picks
)

// Name is how a query names it.
func (p Pick) Name() string {
	if p >= picks {
		return ""
	}
	return [...]string{"min", "max", "avg", "sum"}[p]
}

// Of gives the one distance of several; 0 of none.
func (p Pick) Of(distances []float64) float64 {
	if len(distances) == 0 {
		return 0
	}
	least, greatest, sum := distances[0], distances[0], 0.0
	for _, d := range distances {
		least, greatest, sum = min(least, d), max(greatest, d), sum+d
	}
	switch p {
	case Greatest:
		return greatest
	case Mean:
		return sum / float64(len(distances))
	case Total:
		return sum
	}
	return least
}
