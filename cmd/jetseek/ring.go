package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

func ringCommand() *cli.Command {
	return clientCommand("ring", "draw which group owns which slots", arguments{}, clientFlags(), func(c *cli.Context, link remote.Link) error {
		if c.Bool("json") {
			return show(c, link, remote.Call{Op: ops.Ring}, func(io.Writer, *wire.RingBody) error { return nil })
		}
		answer, err := ask(c, link, remote.Call{Op: ops.Map})
		if err != nil {
			return err
		}
		m, err := placement.Parse(answer.Body)
		if err != nil {
			return fmt.Errorf("the map cannot be read: %w", err)
		}
		_, err = io.WriteString(c.App.Writer, drawRing(m, terminalWidth(c.App.Writer)))
		return err
	})
}

func planCommand() *cli.Command {
	flags := clientFlags(&cli.IntFlag{Name: "shards", Usage: "count for `NUMBER` of groups"})
	return clientCommand("plan", "count how many documents each rule would move to reach a number of groups; nothing is moved", arguments{}, flags, func(c *cli.Context, link remote.Link) error {
		if c.Int("shards") < 1 {
			return usageError{fmt.Errorf("--shards is missing: how many groups there would be, as in --shards 4")}
		}
		call := remote.Call{Op: ops.Plan, Params: map[string]string{"shards": fmt.Sprint(c.Int("shards"))}}
		return show(c, link, call, func(w io.Writer, p *wire.PlanBody) error {
			_, err := io.WriteString(w, renderPlan(p))
			return err
		})
	})
}

func renderPlan(p *wire.PlanBody) string {
	t := layout.Table{Head: []string{"RULE", "MOVES", "SHARE", "SLOTS", "DOCUMENTS AFTER"}, Right: []bool{false, true, true, true}}
	for _, r := range p.Rules {
		t.Add(r.Rule, fmt.Sprint(r.Moved), fmt.Sprintf("%.1f%%", 100*float64(r.Moved)/float64(max(p.Documents, 1))), fmt.Sprint(r.MovedSlots), counts(r.Counts))
	}
	return fmt.Sprintf("%s, now %s; to %d groups\n\n%s", documents(p.Documents), counts(p.Counts), p.Shards, t.String())
}

// ringRows is how many lines the picture has.
const ringRows = 8

// drawRing draws all slots from left to right, line by line: each place stands for some slots, and shows the sign of the group that owns most of them.
//
//	   0 001102220011…
//	2048 …
func drawRing(m *placement.Map, width int) string {
	signs := "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@#"
	columns := 32
	for columns*2+8 <= min(width, 136) {
		columns *= 2
	}
	per := placement.Slots / (ringRows * columns)
	var b strings.Builder
	fmt.Fprintf(&b, "%d slots among %d groups by the rule %s, epoch %d; each sign stands for %d slots\n\n", placement.Slots, len(m.Groups), m.Rule, m.Epoch, per)
	for from := 0; from < placement.Slots; from += per * columns {
		fmt.Fprintf(&b, "%6d ", from)
		for at := from; at < from+per*columns; at += per {
			b.WriteByte(signs[owner(m.Table[at:at+per])%len(signs)])
		}
		b.WriteByte('\n')
	}
	t := layout.Table{Head: []string{"", "GROUP", "SLOTS", "SHARE", "MEMBERS"}, Right: []bool{false, false, true, true}}
	for i, n := range m.Counts() {
		t.Add(signs[i%len(signs):i%len(signs)+1], m.Groups[i].Name, fmt.Sprint(n), fmt.Sprintf("%.1f%%", 100*float64(n)/placement.Slots), strings.Join(m.Groups[i].Members, " "))
	}
	b.WriteString("\n" + t.String())
	return b.String()
}

// owner is the group that owns most of some slots; of equals the first.
func owner(slots []uint16) int {
	count := map[uint16]int{}
	best := slots[0]
	for _, g := range slots {
		count[g]++
		if count[g] > count[best] || count[g] == count[best] && g < best {
			best = g
		}
	}
	return int(best)
}
