package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

func quarantineCommand() *cli.Command {
	return clientCommand("quarantine", "list the operations that are set aside, since no member could apply them", arguments{}, clientFlags(),
		func(c *cli.Context, link remote.Link) error {
			return show(c, link, remote.Call{Op: ops.Quarantine}, func(w io.Writer, q *wire.QuarantineBody) error {
				_, err := io.WriteString(w, renderQuarantine(q))
				return err
			})
		})
}

// renderQuarantine says what is set aside.
func renderQuarantine(q *wire.QuarantineBody) string {
	var b strings.Builder
	t := layout.Table{Head: []string{"GROUP", "OPERATION", "KIND", "COLLECTION", "ID", "REASON"}}
	for _, o := range q.Operations {
		reason := o.Reason
		if o.Superseded {
			reason = "superseded by a later operation on the id; " + reason
		}
		t.Add(o.Group, wire.Place{Seq: o.Seq, Op: o.Operation}.String(), o.Kind, o.Collection, layout.Cut(layout.Plain(o.ID), 40), layout.Plain(reason))
	}
	if len(q.Operations) > 0 {
		b.WriteString(t.String())
	} else {
		b.WriteString("nothing is set aside\n")
	}
	if len(q.Unanswered) > 0 {
		fmt.Fprintf(&b, "no member answers of %s\n", strings.Join(q.Unanswered, ", "))
	}
	return b.String()
}

func requeueCommand() *cli.Command {
	return clientCommand("requeue", "try an operation again that is set aside, as jetseek quarantine lists it; exit code 1 when it was not applied", arguments{"GROUP OPERATION", 2, 2}, clientFlags(),
		func(c *cli.Context, link remote.Link) error {
			at, err := wire.ParsePlace(c.Args().Get(1))
			if err != nil {
				return usageError{fmt.Errorf("OPERATION is its message and its number, as in 17/3, not %s", fault.Quote(c.Args().Get(1)))}
			}
			body, err := json.Marshal(wire.RequeueRequest{Group: c.Args().First(), Seq: at.Seq, Operation: at.Op})
			if err != nil {
				return err
			}
			answer, err := ask(c, link, remote.Call{Op: ops.Requeue, Body: body})
			if err != nil {
				return err
			}
			done, err := remote.Decode[wire.RequeueBody](answer)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, answer.Body)
			} else {
				_, err = fmt.Fprintf(c.App.Writer, "%s %s version %d, message %d of %s\n", layout.Plain(done.ID), done.Outcome, done.Version, done.Seq, done.Group)
			}
			if err == nil && !done.OK {
				err = errors.New(notRequeued(done.Outcome))
			}
			return err
		})
}

// notRequeued says why an operation that was tried again was not applied.
func notRequeued(outcome string) string {
	switch outcome {
	case "rejected":
		return "it still cannot be applied, and is set aside again: run a version that can, on all members"
	case "superseded":
		return "a later operation on the id was done: that one stands, and this one is forgotten"
	}
	return "its condition does not hold any more: it is forgotten"
}
