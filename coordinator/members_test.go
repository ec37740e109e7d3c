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
	at := func(id string, applied uint64) standing {
		s := serving(id)
		s.applied = applied
		return s
	}
	for _, c := range []struct {
		name    string
		members []standing
		turn    uint64
		minSeq  uint64
		want    string
	}{
		{"nobody", nil, 3, 0, "[]"},
		{"in turn", []standing{serving("g0/n2"), serving("g0/n1"), serving("g0/n3")}, 0, 0, "[g0/n1 g0/n2 g0/n3]"},
		{"the next turn", []standing{serving("g0/n2"), serving("g0/n1"), serving("g0/n3")}, 4, 0, "[g0/n2 g0/n3 g0/n1]"},
		{"suspected and silent last", []standing{suspected, silent, serving("g0/n3")}, 1, 0, "[g0/n3 g0/n1 g0/n2]"},
		{"at the sequence first", []standing{at("g0/n4", 6), at("g0/n2", 7), suspected, at("g0/n3", 9)}, 1, 7, "[g0/n3 g0/n2 g0/n4 g0/n1]"},
		{"unknown ones are asked all the same", []standing{{id: "g0/n2"}, {id: "g0/n1"}}, 5, 0, "[g0/n1 g0/n2]"},
	} {
		if got := fmt.Sprint(order(c.members, c.minSeq, c.turn)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
