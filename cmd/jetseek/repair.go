package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

func repairCommand() *cli.Command {
	return clientCommand("repair", "compare the members of every group, and mend what differs from the log; exit code 1 when a member is not verified", arguments{}, clientFlags(),
		func(c *cli.Context, link remote.Link) error {
			answer, err := ask(c, link, remote.Call{Op: ops.Repair})
			if err != nil {
				return err
			}
			report, err := remote.Decode[wire.RepairBody](answer)
			if err != nil {
				return err
			}
			if c.Bool("json") {
				err = printJSON(c.App.Writer, answer.Body)
			} else {
				_, err = io.WriteString(c.App.Writer, renderRepair(report))
			}
			if err == nil && !report.OK {
				err = errors.New("not all members are verified: jetseek status shows them; end and start one that does not answer, then repair again")
			}
			return err
		})
}

// renderRepair says what a repair has found.
func renderRepair(r *wire.RepairBody) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d members of %d groups verified\n", len(r.Verified), len(r.Members), r.Groups)
	if len(r.RepairedMembers) > 0 {
		fmt.Fprintf(&b, "repaired: %s, %s\n", strings.Join(r.RepairedMembers, " "), documents(r.RepairedDocuments))
	}
	for _, id := range slices.Sorted(maps.Keys(r.Reasons)) {
		fmt.Fprintf(&b, "FAILED %s: %s\n", id, layout.Plain(r.Reasons[id]))
	}
	return b.String()
}
