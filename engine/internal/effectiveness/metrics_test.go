package effectiveness

import (
	"fmt"
	"math"
	"testing"
)

// Worked out by hand, with log2(2) = 1, log2(3) = 1.58496, log2(4) = 2.
func TestMetricsOfOneQuestion(t *testing.T) {
	for _, c := range []struct {
		name    string
		judged  Judgments
		ranking []string
		want    Metrics
	}{
		{"the best order", Judgments{"a": 1, "b": 1, "c": 0}, []string{"a", "b", "c"}, Metrics{1, 1, 1}},
		// Gain 1/1.58496 = .63093 of 1 + .63093; the only one found stands second, (1/2)/2; one of two.
		{"one found late, one not", Judgments{"a": 1, "b": 1}, []string{"x", "a"}, Metrics{.63093 / 1.63093, .25, .5}},
		// Gain 1 + 3/1.58496 = 2.89279 of 3 + 1/1.58496 = 3.63093; both found at once.
		{"grades are gains", Judgments{"a": 1, "b": 3}, []string{"a", "b"}, Metrics{2.89279 / 3.63093, 1, 1}},
		// Places 1 and 3: 1 + 1/2 of 1 + .63093; (1/1 + 2/3)/2.
		{"a gap", Judgments{"a": 1, "b": 1}, []string{"a", "x", "b"}, Metrics{1.5 / 1.63093, (1 + 2.0/3) / 2, 1}},
		{"nothing found", Judgments{"a": 2}, []string{"x", "y"}, Metrics{}},
		{"no ranking", Judgments{"a": 2}, nil, Metrics{}},
		{"grades below 0 are 0", Judgments{"a": 1, "b": -1}, []string{"b", "a"}, Metrics{.63093, .5, 1}},
	} {
		got, n := Evaluate(map[string]Judgments{"q": c.judged}, map[string][]string{"q": c.ranking})
		if !near(got, c.want) || n != 1 {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}

func TestDepths(t *testing.T) {
	ranking := make([]string, 200)
	for i := range ranking {
		ranking[i] = fmt.Sprint(i + 1)
	}
	judged := map[string]Judgments{"q": {"11": 1, "100": 1, "101": 1}}
	got, _ := Evaluate(judged, map[string][]string{"q": ranking})
	if want := (Metrics{0, (1.0/11 + 2.0/100 + 3.0/101) / 3, 2.0 / 3}); !near(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestMeansAreOverAllJudgedQuestions(t *testing.T) {
	judged := map[string]Judgments{"found": {"a": 1}, "not asked": {"a": 1}, "nothing is relevant": {"a": 0}}
	got, n := Evaluate(judged, map[string][]string{"found": {"a"}, "nothing is relevant": {"a"}, "not judged": {"a"}})
	if want := (Metrics{.5, .5, .5}); !near(got, want) || n != 2 {
		t.Errorf("%+v over %d, want %+v over 2", got, n, want)
	}
}

func near(a, b Metrics) bool {
	const rounding = 1e-5
	return math.Abs(a.NDCG10-b.NDCG10) < rounding && math.Abs(a.MAP-b.MAP) < rounding && math.Abs(a.Recall100-b.Recall100) < rounding
}
