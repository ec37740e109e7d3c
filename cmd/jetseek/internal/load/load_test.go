package load

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// Quantiles are those of the sorted list, at most 1.6 per cent above.
func TestQuantiles(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var times Times
	var list []time.Duration
	for range 10_000 {
		d := time.Duration(r.ExpFloat64() * float64(5*time.Millisecond))
		times.Add(d)
		list = append(list, d)
	}
	slices.Sort(list)
	for _, share := range []float64{0, 0.01, 0.5, 0.9, 0.99, 0.999, 1} {
		want := list[max(int(share*10_000+0.5)-1, 0)]
		if got := times.Quantile(share); got < want || float64(got) > float64(want)*1.016+1 {
			t.Errorf("%v: %s, want %s", share, got, want)
		}
	}
	if times.Max() != list[9999] || times.Count() != 10_000 {
		t.Errorf("max %s of %d", times.Max(), times.Count())
	}
	if (&Times{}).Quantile(0.5) != 0 {
		t.Error("the median of nothing")
	}
}

func TestCountersMeetWithoutGapsOrOverlap(t *testing.T) {
	for i := range 2000 {
		if counterOf(upper(i)) != i || counterOf(upper(i)+1) != i+1 {
			t.Fatalf("counter %d ends at %d, which is in %d; the next is in %d", i, upper(i), counterOf(upper(i)), counterOf(upper(i)+1))
		}
	}
}

// Closed, a client asks when it has its answer: 3 clients, 10 ms each, for a second.
func TestClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := Run(t.Context(), Options{Clients: 3, For: time.Second, Work: func(_ context.Context, n int64) string {
			time.Sleep(10 * time.Millisecond)
			if n == 7 {
				return "odd"
			}
			return ""
		}})
		if n := got.Times.Count(); n < 300 || n > 303 || got.Times.Max() != 10*time.Millisecond || got.Faults["odd"] != 1 {
			t.Errorf("%d pieces, max %s, %v", n, got.Times.Max(), got.Faults)
		}
	})
}

// Open, a stall of 500 ms is in the times of all that was due meanwhile.
func TestOpenCountsFromWhenWorkWasDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got := Run(t.Context(), Options{Clients: 1, For: time.Second, Rate: 100, Work: func(_ context.Context, n int64) string {
			if n == 10 {
				time.Sleep(500 * time.Millisecond)
			}
			return ""
		}})
		if n := got.Times.Count(); n != 101 {
			t.Errorf("%d pieces", n)
		}
		if p50 := got.Times.Quantile(0.65); p50 < 50*time.Millisecond {
			t.Errorf("65 per cent within %s: the stall is hidden", p50)
		}
	})
}

func TestRunEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		for _, rate := range []float64{0, 10} {
			if got := Run(ctx, Options{Clients: 2, For: time.Hour, Rate: rate, Work: func(ctx context.Context, _ int64) string {
				<-ctx.Done()
				return ""
			}}); got.Took > time.Second {
				t.Errorf("it took %s", got.Took)
			}
		}
	})
}
