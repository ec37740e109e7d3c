package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/layout"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

func getCommand() *cli.Command {
	return clientCommand("get", "print a document by its id", arguments{"ID", 1, 1}, clientFlags(collectionFlag()), func(c *cli.Context, link remote.Link) error {
		call := remote.Call{Op: ops.Get, Collection: c.String("collection"), Params: map[string]string{"id": c.Args().First()}}
		return show(c, link, call, func(w io.Writer, d *wire.DocReply) error {
			_, err := fmt.Fprintf(w, "%s  version %d, group %s at %d\n%s\n", layout.Plain(d.ID), d.Version, d.Group, d.Seq, indented(d.Source))
			return err
		})
	})
}

// indented is a document as people read it; one that cannot be indented stands as it is.
func indented(source json.RawMessage) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(source); err != nil {
		return string(source)
	}
	return strings.TrimSpace(b.String())
}

func deleteCommand() *cli.Command {
	flags := clientFlags(collectionFlag(), &cli.Uint64Flag{Name: "if-version", Usage: "only if this `VERSION` stands"},
		&cli.BoolFlag{Name: "report", Usage: "tell when each member applied it, or when the lease of one that did not ran out"})
	return clientCommand("delete", "delete documents by their ids, and wait until no member can serve them any more", arguments{"ID…", 1, many}, flags, func(c *cli.Context, link remote.Link) error {
		for _, id := range c.Args().Slice() {
			if err := deleteOne(c, link, id); err != nil {
				return fmt.Errorf("delete %s: %w", fault.Quote(id), err)
			}
		}
		return nil
	})
}

func deleteOne(c *cli.Context, link remote.Link, id string) error {
	call := remote.Call{Op: ops.Delete, Collection: c.String("collection"), Params: map[string]string{"id": id}}
	if c.IsSet("if-version") {
		call.Params["if_version"] = fmt.Sprint(c.Uint64("if-version"))
	}
	if c.Bool("report") {
		call.Params["report"] = "true"
	}
	return show(c, link, call, func(w io.Writer, r *wire.WriteReply) error {
		_, err := fmt.Fprintln(w, layout.Plain(r.ID)+"  "+deleted(r)+reported(r.Report))
		return err
	})
}

// reported says what members had to do with a write, each on a line of its own.
func reported(report []wire.Acknowledged) string {
	var b strings.Builder
	for _, a := range report {
		what := "has not said that it has applied it, and held no lease to serve without it"
		switch {
		case a.AckedAt != nil:
			what = "has applied it, heard at " + a.AckedAt.Format(time.RFC3339Nano)
		case a.LeaseRanOut != nil:
			what = "has not applied it; its lease had run out by " + a.LeaseRanOut.Format(time.RFC3339Nano)
		case a.LeaseUntil != nil:
			what = "has not applied it; its lease runs out by " + a.LeaseUntil.Format(time.RFC3339Nano)
		}
		fmt.Fprintf(&b, "\n  %s %s", layout.Plain(a.Member), what)
	}
	return b.String()
}

// deleted says what became of a delete.
func deleted(r *wire.WriteReply) string {
	switch {
	case r.Outcome == "not_found":
		return "was not there"
	case r.Verified != nil && *r.Verified:
		return fmt.Sprintf("deleted on %d of %d members; none can serve it any more", r.MembersOK, r.Members)
	case r.Durable:
		return fmt.Sprintf("deleted for good, and %d of %d members have applied it; the others will: %s", r.MembersOK, r.Members, strings.Join(r.Behind, ", "))
	}
	return "it is not known whether it was deleted"
}
