package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/remote"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// defaultURL is where a client command asks when nothing is said: where serve, demo and coordinator listen by default.
const defaultURL = "http://127.0.0.1:7700"

// clientFlags are those of a command that asks a cluster, with its own before them.
func clientFlags(own ...cli.Flag) []cli.Flag {
	return slices.Concat(own, []cli.Flag{
		&cli.StringFlag{Name: "url", EnvVars: []string{variable("url")}, Usage: "ask over HTTP at `URL` (default: " + defaultURL + ", unless --nats, --context or their variables say NATS)"},
		&cli.DurationFlag{Name: "timeout", EnvVars: []string{variable("timeout")}, Usage: "wait for each answer at most `TIME`, as in 5s (default: what suits the operation)"},
		&cli.BoolFlag{Name: "json", EnvVars: []string{variable("json")}, Usage: "print answers as JSON, as they came"},
	}, connectionFlags())
}

// collectionFlag names what a command acts on.
func collectionFlag() cli.Flag {
	return &cli.StringFlag{Name: "collection", Aliases: []string{"c"}, Value: ops.DefaultCollection, EnvVars: []string{variable("collection")}, Usage: "`NAME` of the collection"}
}

// arguments say what stands behind the flags of a command.
type arguments struct {
	words       string // for its help
	least, most int
}

// many is no limit to arguments: the machine has its own.
const many = 1 << 20

// clientCommand makes a command that asks a cluster: do gets a link, which ends with it.
func clientCommand(name, usage string, args arguments, flags []cli.Flag, do func(*cli.Context, remote.Link) error) *cli.Command {
	return &cli.Command{
		Name: name, Usage: usage, ArgsUsage: args.words, Flags: flags, OnUsageError: badUsage,
		Action: func(c *cli.Context) error {
			if n := c.NArg(); n < args.least || n > args.most {
				return usageError{fmt.Errorf("%s takes %s, not %d arguments; see %s --help", name, cmp.Or(args.words, "no argument"), n, c.Command.HelpName)}
			}
			if collection := c.String("collection"); collection != "" {
				if err := subjects.ValidCollection(collection); err != nil {
					return usageError{err}
				}
			}
			link, err := openLink(c)
			if err != nil {
				return err
			}
			defer link.Close()
			return advised(c, do(c, link), link)
		},
	}
}

// openLink opens the way that the flags say: HTTP when a URL is given, NATS when that is, else HTTP on this machine.
func openLink(c *cli.Context) (remote.Link, error) {
	url := c.String("url")
	if url == "" && c.String("nats") == "" && c.String("context") == "" {
		url = defaultURL
	}
	if url != "" {
		link, err := remote.OverHTTP(url)
		if err != nil {
			return nil, usageError{fmt.Errorf("--url: %w", err)}
		}
		return link, nil
	}
	at, err := readConnection(c)
	if err != nil {
		return nil, err
	}
	nc, err := at.open(c.Command.Name)
	if err != nil {
		return nil, fmt.Errorf("%w; start one with jetseek nats, or say where it is with --nats", err)
	}
	// A bench writes as most clients do, and leaves the request ids that a cluster remembers to others.
	return remote.OverNATS(nc, client.Options{Prefix: at.prefix, RequestIDs: c.Command.Name != "bench"})
}

// advised adds to an error of the cluster what to do next.
func advised(c *cli.Context, err error, link remote.Link) error {
	var e *wire.Error
	if !errors.As(err, &e) {
		return err
	}
	advice := ""
	switch {
	case e.Reason == remote.ReasonUnreachable:
		advice = "is one running there? jetseek serve starts a system; --url and --nats say where one is"
	case e.Reason == client.ReasonNoCoordinator:
		advice = "start one with jetseek coordinator --nats " + link.Where()
	case e.Code == fault.NoCollection && c.Command.Name == "index":
		advice = fmt.Sprintf("jetseek collections create %s makes it", c.String("collection"))
	case e.Code == fault.NoCollection:
		advice = "jetseek collections list names those there are"
	case e.Code == fault.Deadline:
		advice = "try again, or give it longer with --timeout"
	case e.Code == fault.Overloaded:
		advice = "try again in a moment"
	case e.Code == fault.Unavailable && e.Reason != "no_map": // that one says itself what to do
		advice = "jetseek status shows the members"
	}
	switch e.Durable {
	case wire.NotDurable:
		advice = join(advice, "nothing was written")
	case wire.DurableUnknown:
		advice = join(advice, "it is not known whether it was written")
	}
	if advice == "" {
		return err
	}
	if e.Reason == remote.ReasonUnreachable || e.Reason == client.ReasonNoCoordinator {
		return errors.New(strings.Replace(err.Error(), " ["+e.Reason+"]", "", 1) + "; " + advice) // which says the reason in words
	}
	return fmt.Errorf("%w; %s", err, advice)
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return b + "; " + a
}

// ask makes a call under the flag --timeout, which is the cluster's budget too where the operation takes one.
func ask(c *cli.Context, link remote.Link, call remote.Call) (remote.Answer, error) {
	if d := c.Duration("timeout"); d > 0 {
		call.Budget = d + time.Second
		if call.Op.Plane() == ops.Write || call.Op == ops.Repair {
			call.Params = with(call.Params, "timeout_ms", fmt.Sprint(max(1, d.Milliseconds())))
		}
	}
	return link.Do(c.Context, call)
}

// with gives parameters with one more.
func with(params map[string]string, name, value string) map[string]string {
	all := map[string]string{name: value}
	for k, v := range params {
		all[k] = v
	}
	return all
}

// show makes a call and prints its answer: as JSON where that is asked for, else as people read it.
func show[T any](c *cli.Context, link remote.Link, call remote.Call, people func(io.Writer, *T) error) error {
	answer, err := ask(c, link, call)
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return printJSON(c.App.Writer, answer.Body)
	}
	body, err := remote.Decode[T](answer)
	if err != nil {
		return err
	}
	return people(c.App.Writer, body)
}

// printJSON prints a body in one line.
func printJSON(w io.Writer, body []byte) error {
	var line bytes.Buffer
	if err := json.Compact(&line, body); err != nil {
		return fmt.Errorf("the reply is no JSON: %w", err)
	}
	line.WriteByte('\n')
	_, err := w.Write(line.Bytes())
	return err
}

// printValue prints a value of ours as a line of JSON.
func printValue(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
