package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

func statusCommand() *cli.Command {
	flags := clientFlags(
		&cli.BoolFlag{Name: "watch", Usage: "show it again and again, until Ctrl-C"},
		&cli.DurationFlag{Name: "every", Value: time.Second, Usage: "with --watch: each `TIME`"})
	return clientCommand("status", "show whether the cluster is whole: groups, members, lag, collections; exit code 1 when a group does not serve, or there is an alarm", arguments{}, flags,
		func(c *cli.Context, link remote.Link) error {
			if !c.Bool("watch") {
				return printStatus(c, link)
			}
			if c.Duration("every") < 100*time.Millisecond {
				return usageError{fmt.Errorf("--every %s: at least 100ms", c.Duration("every"))}
			}
			return watch(c, link)
		})
}

func membersCommand() *cli.Command {
	return clientCommand("members", "list the members with their state", arguments{}, clientFlags(), func(c *cli.Context, link remote.Link) error {
		return show(c, link, remote.Call{Op: ops.Members}, func(w io.Writer, m *wire.MembersBody) error {
			if len(m.Members) == 0 {
				_, err := fmt.Fprintln(w, "no members; jetseek shard runs some")
				return err
			}
			_, err := io.WriteString(w, memberTable(m.Members))
			return err
		})
	})
}

func memberTable(members []wire.MemberBody) string {
	t := layout.Table{Head: []string{"MEMBER", "STATE", "APPLIED", "LAG", "DOCUMENTS", "CONTENT", ""}, Right: []bool{false, false, true, true, true}}
	for _, m := range members {
		t.Add(m.Member, m.State, fmt.Sprint(m.Applied), fmt.Sprint(m.Lag), fmt.Sprint(m.Documents), layout.Cut(m.Digest, 9), m.Reason)
	}
	return t.String()
}

// state is all that the status shows.
type state struct {
	Members     []wire.MemberBody     `json:"members"`
	Alarms      []string              `json:"alarms"`
	Sync        string                `json:"sync"`
	Collections []wire.CollectionBody `json:"collections"`
	Note        string                `json:"note,omitempty"` // why the collections could not be listed
}

func readState(c *cli.Context, link remote.Link) (*state, error) {
	var s state
	answer, err := ask(c, link, remote.Call{Op: ops.Members})
	if err != nil {
		return nil, err
	}
	members, err := remote.Decode[wire.MembersBody](answer)
	if err != nil {
		return nil, err
	}
	s.Members, s.Alarms, s.Sync, s.Collections = members.Members, members.Alarms, members.Sync, []wire.CollectionBody{}
	answer, err = ask(c, link, remote.Call{Op: ops.CollectionsList})
	if err != nil {
		s.Note = layout.Plain(err.Error()) // a group that is down cannot count; the members say which
		return &s, nil
	}
	collections, err := remote.Decode[wire.CollectionsBody](answer)
	if err != nil {
		return nil, err
	}
	s.Collections = collections.Collections
	return &s, nil
}

// down gives the groups of which no member serves, in order.
func (s *state) down() []string {
	serves := map[string]bool{}
	for _, m := range s.Members {
		serves[m.Group] = serves[m.Group] || m.State == "serving"
	}
	maps.DeleteFunc(serves, func(_ string, ok bool) bool { return ok })
	return inOrder(serves)
}

// verdict says in a line how the cluster is.
func (s *state) verdict() string {
	behind := 0
	for _, m := range s.Members {
		if m.State != "serving" {
			behind++
		}
	}
	switch down := s.down(); {
	case len(s.Members) == 0:
		return "no members: start some with jetseek shard"
	case len(down) > 0:
		return "not whole: no member serves of " + strings.Join(down, ", ") + "; their documents are missing from answers"
	case behind > 0:
		return fmt.Sprintf("whole, with %d of %d members away", behind, len(s.Members))
	}
	return fmt.Sprintf("whole: all %d members serve", len(s.Members))
}

// quarantined counts the operations that are set aside, of each group as its members say.
func (s *state) quarantined() (n int) {
	most := map[string]int{}
	for _, m := range s.Members {
		most[m.Group] = max(most[m.Group], m.Quarantined)
	}
	for _, of := range most {
		n += of
	}
	return n
}

// signed says whether members sign what they write to the logs.
func (s *state) signed() string {
	without := 0
	for _, m := range s.Members {
		if m.Key == "" && m.State != "down" {
			without++
		}
	}
	switch without {
	case 0:
		return "signed by the cluster's key"
	case len(s.Members):
		return "not signed (no --cluster-key)"
	}
	return fmt.Sprintf("%d members have no --cluster-key", without)
}

func (s *state) String() string {
	var b strings.Builder
	for _, alarm := range s.Alarms {
		b.WriteString("ALARM: " + layout.Plain(alarm) + "\n")
	}
	b.WriteString(s.verdict() + "\n")
	if len(s.Members) > 0 {
		b.WriteString("\n" + memberTable(s.Members))
	}
	if len(s.Members) > 0 {
		fmt.Fprintf(&b, "\nlogs: %s; NATS syncs %s\n", s.signed(), layout.Plain(s.Sync))
	}
	if n := s.quarantined(); n > 0 {
		fmt.Fprintf(&b, "%d operations are set aside: jetseek quarantine lists them\n", n)
	}
	if s.Note != "" {
		fmt.Fprintf(&b, "\ncollections: %s\n", s.Note)
	}
	if len(s.Collections) > 0 {
		t := layout.Table{Head: []string{"COLLECTION", "DOCUMENTS", "GROUPS"}, Right: []bool{false, true}}
		for _, one := range s.Collections {
			t.Add(one.Name, fmt.Sprint(one.Documents), counts(one.Groups))
		}
		fmt.Fprintf(&b, "\n%s", t.String())
	}
	return b.String()
}

func printStatus(c *cli.Context, link remote.Link) error {
	s, err := readState(c, link)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		err = printValue(c.App.Writer, s)
	} else {
		_, err = io.WriteString(c.App.Writer, s.String())
	}
	if err != nil {
		return err
	}
	if down := s.down(); len(down) > 0 || len(s.Members) == 0 {
		return fmt.Errorf("the cluster is not whole: start its shards, jetseek shard --groups …")
	}
	if len(s.Alarms) > 0 {
		return fmt.Errorf("there is an alarm: read what it says to do")
	}
	return nil
}

// watch shows the state again and again; what cannot be read is shown as well. On a terminal each stands where the one before did.
func watch(c *cli.Context, link remote.Link) error {
	again := time.NewTicker(c.Duration("every"))
	defer again.Stop()
	for {
		text := ""
		s, err := readState(c, link)
		switch {
		case c.Context.Err() != nil:
			return nil
		case err != nil:
			text = layout.Plain(advised(c, err, link).Error()) + "\n"
		case c.Bool("json"):
			if err := printValue(c.App.Writer, s); err != nil {
				return err
			}
		default:
			text = s.String()
		}
		if isTerminal(c.App.Writer) {
			text = "\x1b[H\x1b[2J" + text
		}
		if _, err := io.WriteString(c.App.Writer, text+"\n"); err != nil {
			return err
		}
		if wait(c.Context, again.C) != nil {
			return nil
		}
	}
}

func wait(ctx context.Context, tick <-chan time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-tick:
		return nil
	}
}

// inOrder gives the groups that a map has, in the order of groups: g2 before g10.
func inOrder[V any](groups map[string]V) []string {
	return slices.SortedFunc(maps.Keys(groups), placement.CompareGroups)
}
