package bridge

import (
	"encoding/json"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
)

// Any query string is either refused as bad_request or becomes a body that is one JSON object.
func FuzzReadParams(f *testing.F) {
	for _, c := range []string{"q=a&limit=1", "min_seq=g0:17,g1:3", "knn=v:1,2e5", "aggs={}", "aggs=[1]x", "fields=", "filter=a&filter=%00", "track_total=7",
		"min_score=-0.0", "sort=%22&order=%5c", "collection=a&collapse=%F0%9F%98%80", "q=%ff", "knn=a:b:1", "&&=&q"} {
		f.Add(c)
	}
	params := routes()["/search"]["GET"].Params
	f.Fuzz(func(t *testing.T, query string) {
		c, err := readParams(params, nil, query)
		if err != nil {
			if fault.CodeOf(err) != fault.BadRequest {
				t.Errorf("%q: %v", query, err)
			}
			return
		}
		var object map[string]json.RawMessage
		if err := json.Unmarshal(c.body(), &object); err != nil {
			t.Errorf("%q gives %s: %v", query, c.body(), err)
		}
	})
}
