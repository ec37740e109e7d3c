package embedded

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/snippet"
	"github.com/jetseek/jetseek/subjects/wire"
)

// Hits of all groups carry their snippets, whatever else is asked of the source; fuzzy words mark the terms that the groups agreed on.
func TestSnippetsOfAllGroups(t *testing.T) {
	for _, shape := range []Options{{Groups: 1, Members: 1}, {Groups: 3, Members: 2}} {
		db := open(t, shape)
		ctx, c := t.Context(), db.Client()
		if _, err := c.CreateCollection(ctx, "books", json.RawMessage(shapeSchema)); err != nil {
			t.Fatal(err)
		}
		words := []string{"hello", "hallo", "hull"}
		var lines strings.Builder
		for i := range 12 {
			fmt.Fprintf(&lines, `{"id":"%d","title":"old & %s","body":"%s the end","year":%d}`+"\n", i, words[i%3], strings.Repeat("filler ", 40)+words[i%3], i)
		}
		if _, err := c.Bulk(ctx, "books", []byte(lines.String()), client.WriteOptions{}); err != nil {
			t.Fatal(err)
		}
		ask := wire.NewSearch("hello~1 -year:99")
		ask.Limit, ask.Fields = 20, []string{}
		ask.Snippet = snippet.NewOptions("body", "title", "kind")
		ask.Snippet.Size = 20
		found, err := c.Search(ctx, "books", ask)
		if err != nil {
			t.Fatal(err)
		}
		if len(found.Hits) != 8 {
			t.Fatalf("%d hits", len(found.Hits))
		}
		for _, h := range found.Hits {
			var n int
			fmt.Sscan(h.ID, &n)
			want := map[string][]string{"title": {"old &amp; <em>" + words[n%3] + "</em>"}, "body": {"<em>" + words[n%3] + "</em> the end"}}
			if n%3 != 2 {
				want["body"][0] = "filler " + want["body"][0]
			}
			if !reflect.DeepEqual(h.Snippet, want) || string(h.Source) != "{}" {
				t.Errorf("%s: %q, source %s", h.ID, h.Snippet, h.Source)
			}
		}
		ask.Snippet = snippet.NewOptions("year")
		if _, err := c.Search(ctx, "books", ask); codeOf(err) != fault.BadField {
			t.Errorf("snippets of a number: %v", err)
		}
		ask.Snippet = snippet.NewOptions("nowhere")
		if found, err = c.Search(ctx, "books", ask); err != nil || found.Hits[0].Snippet == nil || len(found.Hits[0].Snippet) != 0 {
			t.Errorf("snippets of no field: %+v, %v", found, err)
		}
	}
}
