package placement_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/placement"
)

// The slots of ids never change: documents are stored by them. The figures were computed apart from this code, from the published definitions of FNV-1a and
// of MurmurHash3's finaliser.
func TestGoldenSlots(t *testing.T) {
	for _, c := range []struct {
		id   string
		hash uint32
		slot uint16
	}{
		{"", 0xab3e7c0b, 10959},
		{"a", 0x1a80b1b3, 1696},
		{"foobar", 0x0c0da6dc, 771},
		{"doc-1", 0x5e149ddc, 6021},
		{"doc-2", 0x7db485a6, 8045},
		{"net/http.Client.Do", 0xea65e6f6, 15001},
		{"9007199254740993", 0xf2184b90, 15494},
		{" a b ", 0x813abf12, 8270},
		{"中文文档", 0x6238b4d9, 6286},
		{"日本語", 0xea653092, 15001},
		{"😀", 0x3303a80a, 3264},
		{"👨\u200d👩\u200d👧", 0xa4ef3cde, 10555},
		{"e\u0301", 0xc78fb1fd, 12771}, // not the same id as the next: nothing is normalised
		{"\u00e9", 0x8e4756c7, 9105},
		{strings.Repeat("x", 65536), 0x3e6c7c53, 3995},
	} {
		if h, s := placement.Hash(c.id), placement.Slot(c.id); h != c.hash || s != c.slot || placement.SlotOf(h) != s {
			t.Errorf("%.20q: hash %#x, slot %d, want %#x, %d", c.id, h, s, c.hash, c.slot)
		}
	}
}

// Ids that differ only in their last byte, or only in a number at the end, must spread evenly: chi-squared stays below its value for p = 0.001.
func TestSimilarIDsSpreadEvenly(t *testing.T) {
	families := map[string][]string{}
	for i := range 64 {
		for last := range 256 {
			families["last byte"] = append(families["last byte"], fmt.Sprintf("user:%02d:", i)+string([]byte{byte(last)}))
		}
	}
	for i := range 16384 {
		families["number"] = append(families["number"], fmt.Sprintf("doc-%d", i))
		families["padded"] = append(families["padded"], fmt.Sprintf("%012d", i))
	}
	critical := map[int]float64{2: 10.83, 3: 13.82, 5: 18.47, 8: 24.32, 64: 103.44} // by number of cells
	for name, ids := range families {
		for _, rule := range []placement.Rule{placement.Ring, placement.Modulo, placement.Balanced} {
			for _, groups := range []int{2, 3, 5, 8} {
				table, err := placement.NewTable(rule, groupNames(groups), placement.DefaultVnodes, nil)
				if err != nil {
					t.Fatal(err)
				}
				share, got := make([]float64, groups), make([]float64, groups)
				for _, g := range table {
					share[g] += 1.0 / placement.Slots
				}
				for _, id := range ids {
					got[table[placement.Slot(id)]]++
				}
				if x := chiSquared(got, share, len(ids)); x > critical[groups] {
					t.Errorf("%s, %s, %d groups: chi-squared %.1f above %.2f: %v", name, rule, groups, x, critical[groups], got)
				}
			}
		}
		share, got := make([]float64, 64), make([]float64, 64)
		for i := range share {
			share[i] = 1.0 / 64
		}
		for _, id := range ids {
			got[int(placement.Slot(id))*64/placement.Slots]++
		}
		if x := chiSquared(got, share, len(ids)); x > critical[64] {
			t.Errorf("%s over 64 parts of the slots: chi-squared %.1f", name, x)
		}
	}
}

func chiSquared(got, share []float64, n int) float64 {
	var x float64
	for i := range got {
		want := share[i] * float64(n)
		x += (got[i] - want) * (got[i] - want) / want
	}
	return x
}

func groupNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("g%d", i)
	}
	return names
}

func BenchmarkSlot(b *testing.B) {
	for b.Loop() {
		placement.Slot("net/http.Client.Do")
	}
}
