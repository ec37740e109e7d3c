package embedded

import (
	"fmt"
	"testing"
	"time"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A group that is silent, and not known to be gone, costs an answer its documents and not the others': they come within the budget, whole with
// their sources, whatever trips the search takes.
func TestSilentGroupLeavesTheOthers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 3, 1)
		counts := map[string]uint64{}
		for n := range 30 {
			counts[s.index(fmt.Sprintf("id-%d", n), client.WriteOptions{}).Group]++
		}
		s.links["g1/n1"].cut()
		for _, budget := range []time.Duration{200 * time.Millisecond, time.Second, 5 * time.Second} {
			for _, query := range []string{"*", "word", "body:word"} {
				body := wire.NewSearch(query)
				body.Limit, body.TimeoutMs = 30, budget.Milliseconds()
				began := time.Now()
				reply, err := s.Client().Search(t.Context(), "default", body)
				took := time.Since(began)
				if err != nil {
					t.Errorf("%s in %s: %v", query, budget, err)
					continue
				}
				if want := counts["g0"] + counts["g2"]; !reply.Partial || reply.Exact || fmt.Sprint(reply.Shards.FailedGroups) != "[g1]" || reply.Total.Value != want || uint64(len(reply.Hits)) != want {
					t.Errorf("%s in %s: %d hits of %d, want %d; %+v %s", query, budget, len(reply.Hits), reply.Total.Value, want, reply.Shards, reply.ExactNote)
				}
				if took > budget {
					t.Errorf("%s took %s of %s", query, took, budget)
				}
			}
		}
		s.links["g1/n1"].mend()
		time.Sleep(10 * time.Second)
	})
}
