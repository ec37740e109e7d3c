package placement_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

func groupsOf(n int) []placement.Group {
	groups := make([]placement.Group, n)
	for i := range groups {
		name := fmt.Sprintf("g%d", i)
		groups[i] = placement.Group{Name: name, Log: wire.UUID{byte(i + 1)}, Generation: 1, Members: []string{name + "/n1", name + "/n2"}}
	}
	return groups
}

func born(t testing.TB, rule placement.Rule, groups int) *placement.Map {
	t.Helper()
	m, err := placement.NewMap(rule, placement.DefaultVnodes, groupsOf(groups))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestMapsComeBackAsTheyWere(t *testing.T) {
	for _, rule := range []placement.Rule{placement.Ring, placement.Modulo, placement.Balanced} {
		m := born(t, rule, 3)
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		back, err := placement.Parse(b)
		if err != nil || !reflect.DeepEqual(back, m) {
			t.Errorf("%s came back otherwise: %v", rule, err)
		}
		t.Logf("%s: %d bytes", rule, len(b))
	}
	one := born(t, placement.Balanced, 1)
	one.Groups[0].Log = wire.UUID{0xab}
	b, err := json.Marshal(one)
	want := `{"epoch":1,"rule":"balanced","vnodes":128,"groups":[{"name":"g0","own_epoch":1,"log":"ab000000000000000000000000000000","generation":1,"members":["g0/n1","g0/n2"]}],"table":[0,16384]}`
	if err != nil || string(b) != want {
		t.Errorf("got %s, %v\nwant %s", b, err, want)
	}
}

func TestMapsThatAreRefused(t *testing.T) {
	good := `{"epoch":1,"rule":"ring","vnodes":128,"groups":[{"name":"g0","own_epoch":1,"log":"ab000000000000000000000000000000","generation":1,"members":["g0/n1"]}],"table":[0,16384]}`
	if _, err := placement.Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string][2]string{
		"unknown key":      {`"epoch"`, `"epoche"`},
		"no epoch":         {`"epoch":1`, `"epoch":0`},
		"unknown rule":     {`"ring"`, `"dice"`},
		"group's name":     {`"name":"g0"`, `"name":"g_0"`},
		"member of others": {`"g0/n1"`, `"g1/n1"`},
		"member twice":     {`"g0/n1"`, `"g0/n1","g0/n1"`},
		"no generation":    {`"generation":1`, `"generation":0`},
		"future ownership": {`"own_epoch":1`, `"own_epoch":2`},
		"broken uuid":      {`"ab00`, `"ab0`},
		"short table":      {`16384`, `16383`},
		"long table":       {`16384`, `16385`},
		"endless run":      {`16384`, `4294967295`},
		"empty run":        {`[0,16384]`, `[0,0,0,16384]`},
		"half a run":       {`[0,16384]`, `[0]`},
		"unknown group":    {`[0,16384]`, `[1,16384]`},
		"trailing bytes":   {`]}]`, `]}] `},
	} {
		broken := strings.Replace(good, change[0], change[1], 1)
		if name == "trailing bytes" {
			broken = good + "{}"
		}
		if m, err := placement.Parse([]byte(broken)); err == nil {
			t.Errorf("%s: %s gives %+v", name, broken, m.Groups)
		}
	}
}

func TestRangesAreTheGroupsSlots(t *testing.T) {
	m := born(t, placement.Ring, 3)
	owned := make([]string, placement.Slots)
	for _, g := range m.Groups {
		next := 0
		for _, r := range m.Ranges(g.Name) {
			if int(r.From) < next || r.To < r.From {
				t.Fatalf("%s: range %v behind slot %d", g.Name, r, next)
			}
			next = int(r.To) + 2 // touching ranges would be one
			for s := int(r.From); s <= int(r.To); s++ {
				owned[s] += g.Name
			}
		}
	}
	for s, name := range owned {
		if name != m.Owner(uint16(s)).Name {
			t.Fatalf("slot %d is in the ranges of %q, and owned by %s", s, name, m.Owner(uint16(s)).Name)
		}
	}
	if m.Ranges("g9") != nil {
		t.Error("a group that is not there has slots")
	}
}

func TestMembersJoin(t *testing.T) {
	m := born(t, placement.Ring, 2)
	next, ok := m.WithMember("g1/n10")
	if !ok || next.Epoch != 2 || next.Validate() != nil {
		t.Fatalf("%t, %+v", ok, next)
	}
	g, _ := next.Group("g1")
	if !reflect.DeepEqual(g.Members, []string{"g1/n1", "g1/n10", "g1/n2"}) || g.OwnEpoch != 1 {
		t.Errorf("%+v", g)
	}
	if old, _ := m.Group("g1"); len(old.Members) != 2 || m.Epoch != 1 {
		t.Error("the old map has changed")
	}
	for _, id := range []string{"g1/n1", "g9/n1", "g1", ""} {
		if _, ok := m.WithMember(id); ok {
			t.Errorf("%q joined", id)
		}
	}
}

func TestGroupsJoinWithoutSlots(t *testing.T) {
	m := born(t, placement.Ring, 3)
	next, ok := m.WithGroup(placement.Group{Name: "a", Generation: 1, Members: []string{"a/n1"}})
	if !ok || next.Validate() != nil {
		t.Fatal("it did not join")
	}
	if next.Groups[0].Name != "a" || next.Counts()[0] != 0 || next.Groups[0].OwnEpoch != 0 {
		t.Errorf("%+v", next.Groups[0])
	}
	if moves := placement.Moves(m, next); len(moves) != 0 {
		t.Errorf("slots moved: %v", moves)
	}
	if _, ok := next.WithGroup(placement.Group{Name: "g1"}); ok {
		t.Error("g1 joined twice")
	}
	grown, err := next.Propose(placement.Balanced, next.Groups)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range grown.Groups {
		if g.OwnEpoch != grown.Epoch {
			t.Errorf("%s has slots of epoch %d in the map of epoch %d", g.Name, g.OwnEpoch, grown.Epoch)
		}
	}
}

func TestMovesAreWhatDiffers(t *testing.T) {
	from, to := born(t, placement.Ring, 3), born(t, placement.Ring, 5)
	at := 0
	for _, m := range placement.Moves(from, to) {
		for ; at < int(m.Slots.From); at++ {
			if from.Owner(uint16(at)).Name != to.Owner(uint16(at)).Name {
				t.Fatalf("slot %d is missing", at)
			}
		}
		for ; at <= int(m.Slots.To); at++ {
			if from.Owner(uint16(at)).Name != m.From || to.Owner(uint16(at)).Name != m.To || m.From == m.To {
				t.Fatalf("slot %d does not move from %s to %s", at, m.From, m.To)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, rule := range []placement.Rule{placement.Ring, placement.Balanced} {
		m, err := placement.NewMap(rule, 4, groupsOf(2))
		if err != nil {
			f.Fatal(err)
		}
		b, err := json.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := placement.Parse(b)
		if err != nil {
			return
		}
		again, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := placement.Parse(again); err != nil || !reflect.DeepEqual(back, m) {
			t.Fatalf("%q came back otherwise: %v", b, err)
		}
	})
}
