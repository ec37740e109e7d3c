package coordinator

import (
	"fmt"
	"testing"
)

func TestOrderOfMembers(t *testing.T) {
	serving := func(id string) standing { return standing{id: id, serving: true, heard: true} }
	suspected := serving("g0/n1")
	suspected.suspected = true
	silent := serving("g0/n2")
	silent.heard = false
	for _, c := range []struct {
		name    string
		members []standing
		turn    uint64
		want    string
	}{
		{"nobody", nil, 3, "[]"},
		{"in turn", []standing{serving("g0/n2"), serving("g0/n1"), serving("g0/n3")}, 0, "[g0/n1 g0/n2 g0/n3]"},
		{"the next turn", []standing{serving("g0/n2"), serving("g0/n1"), serving("g0/n3")}, 4, "[g0/n2 g0/n3 g0/n1]"},
		{"suspected and silent last", []standing{suspected, silent, serving("g0/n3")}, 1, "[g0/n3 g0/n1 g0/n2]"},
		{"unknown ones are asked all the same", []standing{{id: "g0/n2"}, {id: "g0/n1"}}, 5, "[g0/n1 g0/n2]"},
	} {
		if got := fmt.Sprint(order(c.members, c.turn)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
