package factor

// Mode is how the values of the functions that apply to a document become one factor: score_mode.
type Mode uint8

// The modes.
const (
	Multiply Mode = iota
	Sum
	Average // weighted
	First
	Greater // max
	Lesser  // min
	modes
)

// Name is how a query names it.
func (m Mode) Name() string {
	if m >= modes {
		return ""
	}
	return [...]string{"multiply", "sum", "avg", "first", "max", "min"}[m]
}

// Tally makes a factor of values, one after the other. The zero value with a Mode is ready.
type Tally struct {
	Mode    Mode
	applied int
	value   float64
	weights float64
}

// Add takes the value of a function, which its weight is in already. It tells whether more values would change the factor.
func (t *Tally) Add(value, weight float64) (more bool) {
	t.applied++
	if t.applied == 1 {
		t.value, t.weights = value, weight
		return t.Mode != First
	}
	switch t.Mode {
	case Multiply:
		t.value = float64(t.value * value)
	case Sum, Average:
		t.value += value
		t.weights += weight
	case Greater:
		t.value = max(t.value, value)
	case Lesser:
		t.value = min(t.value, value)
	}
	return true
}

// Factor gives the factor: 1 where no function applied, and where weights that must divide are all 0.
func (t *Tally) Factor() float64 {
	summed := t.Mode == Sum || t.Mode == Average
	switch {
	case t.applied == 0, summed && t.weights == 0:
		return 1
	case t.Mode == Average:
		return t.value / t.weights
	}
	return t.value
}

// Boost is how a factor changes a score: boost_mode.
type Boost uint8

// The ways.
const (
	Times Boost = iota // multiply
	Replace
	Plus    // sum
	Between // avg
	Larger  // max
	Smaller // min
	boosts
)

// Name is how a query names it.
func (b Boost) Name() string {
	if b >= boosts {
		return ""
	}
	return [...]string{"multiply", "replace", "sum", "avg", "max", "min"}[b]
}

// Of gives a score under a factor.
func (b Boost) Of(score, factor float64) float64 {
	switch b {
	case Replace:
		return factor
	case Plus:
		return score + factor
	case Between:
		return (score + factor) / 2
	case Larger:
		return max(score, factor)
	case Smaller:
		return min(score, factor)
	}
	return float64(score * factor)
}
