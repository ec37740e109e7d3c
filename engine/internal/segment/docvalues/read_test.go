package docvalues_test

import (
	"math"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
)

// Values that are read together are those that are read one by one, in lanes of every width.
func TestReadTogether(t *testing.T) {
	for _, step := range []int64{0, 1, 200, 1 << 20, math.MaxInt64 / 400} {
		values := make([]int64, 301)
		for i := range values {
			values[i] = -7 + int64(i*i%len(values))*step
		}
		col, err := docvalues.Open(docvalues.Append(nil, values))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]int64, 200)
		if col.Read(got, 100); !slices.Equal(got, values[100:300]) {
			t.Errorf("step %d: %v", step, got)
		}
		if col.Pick(got[:3], []uint32{0, 17, 300}); !slices.Equal(got[:3], []int64{values[0], values[17], values[300]}) {
			t.Errorf("step %d: %v", step, got[:3])
		}
		if least, greatest, any := col.Extent(); !any || !col.Single() || slices.ContainsFunc(values, func(v int64) bool { return uint64(v-least) > uint64(greatest-least) }) {
			t.Errorf("step %d: %d to %d", step, least, greatest)
		}
	}
}
