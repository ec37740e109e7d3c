package effectiveness

import (
	"math"
	"slices"
)

// Judgments are the grades of documents for one question, by id; above 0 is relevant.
type Judgments map[string]int

// Metrics are means over questions. All are between 0 and 1.
type Metrics struct {
	NDCG10    float64 // discounted gain of the first 10, of what the best order has: grades are gains
	MAP       float64 // precision at each relevant document, 0 for those not found
	Recall100 float64 // how many of the relevant ones are among the first 100
}

// Evaluate gives the means over all questions with a relevant document, found or not, as trec_eval -c does; the second result is how many they are. A ranking is ids, the best
// first, each once; documents without a judgment are not relevant.
func Evaluate(judged map[string]Judgments, rankings map[string][]string) (Metrics, int) {
	questions := make([]string, 0, len(judged))
	for q, judgments := range judged {
		if relevant(judgments) > 0 {
			questions = append(questions, q)
		}
	}
	slices.Sort(questions) // sums of floats depend on their order
	var sum Metrics
	for _, q := range questions {
		sum.NDCG10 += ndcg(judged[q], rankings[q], 10)
		sum.MAP += averagePrecision(judged[q], rankings[q])
		sum.Recall100 += recall(judged[q], rankings[q], 100)
	}
	n := float64(max(len(questions), 1))
	return Metrics{sum.NDCG10 / n, sum.MAP / n, sum.Recall100 / n}, len(questions)
}

func relevant(j Judgments) int {
	n := 0
	for _, grade := range j {
		if grade > 0 {
			n++
		}
	}
	return n
}

// ndcg discounts the gain at place i, from 1, by log2(i+1).
func ndcg(j Judgments, ranking []string, depth int) float64 {
	grades := make([]int, 0, len(j))
	for _, grade := range j {
		grades = append(grades, grade)
	}
	slices.SortFunc(grades, func(a, b int) int { return b - a })
	gain, ideal := 0.0, 0.0
	for i := range depth {
		discount := math.Log2(float64(i) + 2)
		if i < len(ranking) {
			gain += float64(max(j[ranking[i]], 0)) / discount
		}
		if i < len(grades) {
			ideal += float64(max(grades[i], 0)) / discount
		}
	}
	return gain / ideal
}

func averagePrecision(j Judgments, ranking []string) float64 {
	found, sum := 0, 0.0
	for i, id := range ranking {
		if j[id] > 0 {
			found++
			sum += float64(found) / float64(i+1)
		}
	}
	return sum / float64(relevant(j))
}

func recall(j Judgments, ranking []string, depth int) float64 {
	found := 0
	for _, id := range ranking[:min(depth, len(ranking))] {
		if j[id] > 0 {
			found++
		}
	}
	return float64(found) / float64(relevant(j))
}
