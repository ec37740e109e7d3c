package docvalues

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/segment/labels"
)

// findings counts what a check reports.
func findings(check func(Report)) (n int) {
	check(func(int, string, ...any) { n++ })
	return n
}

func TestVerify(t *testing.T) {
	column := func(starts []uint32, values ...int64) *Column {
		c, err := Open(AppendMulti(nil, starts, values))
		if err != nil {
			t.Fatal(err)
		}
		return &c
	}
	bits := Ordered
	for name, c := range map[string]struct{ got, want int }{
		"ascending":      {findings(func(r Report) { column([]uint32{0, 2, 3}, 1, 2, 1).Verify(true, r) }), 0},
		"equal":          {findings(func(r Report) { column([]uint32{0, 2, 3}, 1, 1, 1).Verify(false, r) }), 0},
		"distinct":       {findings(func(r Report) { column([]uint32{0, 2, 3}, 1, 1, 1).Verify(true, r) }), 1},
		"descending":     {findings(func(r Report) { column([]uint32{0, 3}, 3, 2, 1).Verify(false, r) }), 2},
		"within":         {findings(func(r Report) { column([]uint32{0, 1, 2}, 5, 9).VerifyWithin(5, 9, r) }), 0},
		"outside":        {findings(func(r Report) { column([]uint32{0, 1, 2}, 4, 10).VerifyWithin(5, 9, r) }), 2},
		"absent":         {findings(func(r Report) { column([]uint32{0, 0, 1}, 5).VerifyWithin(5, 9, r) }), 1},
		"doubles":        {findings(func(r Report) { column([]uint32{0, 2}, bits(-1), bits(2)).VerifyFloats(r) }), 0},
		"not a number":   {findings(func(r Report) { column([]uint32{0, 1}, bits(math.NaN())).VerifyFloats(r) }), 1},
		"minus zero":     {findings(func(r Report) { column([]uint32{0, 1}, bits(math.Copysign(0, -1))).VerifyFloats(r) }), 1},
		"bounds":         {findings(func(r Report) { damagedBounds(column([]uint32{0, 2, 3}, 1, 2, 9)).Verify(true, r) }), 1},
		"falling double": {findings(func(r Report) { column([]uint32{0, 2}, bits(2), bits(-1)).VerifyFloats(r) }), 1},
	} {
		if c.got != c.want {
			t.Errorf("%s: %d findings, want %d", name, c.got, c.want)
		}
	}
}

// damagedBounds moves the bounds of the first block.
func damagedBounds(c *Column) *Column {
	c.bounds = append([]byte{c.bounds[0] + 1}, c.bounds[1:]...)
	return c
}

// FuzzVerify checks and dumps anything as a column.
func FuzzVerify(f *testing.F) {
	for _, all := range columns(rand.New(rand.NewPCG(4, 4))) {
		f.Add(encode(all), true)
	}
	f.Fuzz(func(t *testing.T, b []byte, flag bool) {
		var out bytes.Buffer
		p := labels.New(&out, flag)
		Dump(p, b, 0, AsFloat)
		if err := p.Flush(); err != nil {
			t.Fatal(err)
		}
		c, err := Open(b)
		if (err != nil) != strings.Contains(out.String(), "CORRUPT: corrupt") {
			t.Fatalf("opened: %v, dumped:\n%s", err, out.String())
		}
		ignore := func(int, string, ...any) {}
		c.Verify(flag, ignore)
		c.VerifyFloats(ignore)
		c.VerifyWithin(0, 9, ignore)
	})
}
