package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/errgroup"

	"github.com/jetseek/jetseek/coordinator/bridge"
	"github.com/jetseek/jetseek/embedded"
)

// systemFlags are the flags of a command that runs the whole system in this process. A flag's environment variable is JETSEEK_FLAG; the number of groups
// has one for each command, since groups are names to other commands. natsVariables name the NATS to use: NATS_URL only where nobody is surprised by it.
func systemFlags(command, data string, natsVariables ...string) []cli.Flag {
	return append(slices.Concat(observeFlags(), httpFlags(), keyFlags()),
		&cli.IntFlag{Name: "groups", Value: 3, EnvVars: []string{"JETSEEK_" + strings.ToUpper(command) + "_GROUPS"},
			Usage: "`NUMBER` of groups that the documents are divided among"},
		&cli.IntFlag{Name: "members", Value: 2, EnvVars: []string{"JETSEEK_MEMBERS"}, Usage: "`NUMBER` of members of each group, which hold the same documents"},
		&cli.StringFlag{Name: "data", Value: data, EnvVars: []string{"JETSEEK_DATA"}, Usage: "keep everything in `DIR`"},
		indexMemoryFlag(),
		&cli.StringFlag{Name: "nats", EnvVars: natsVariables, Usage: "use the NATS at `URL` instead of an embedded server"},
		&cli.IntFlag{Name: "nats-port", EnvVars: []string{"JETSEEK_NATS_PORT"},
			Usage: "let other NATS clients of this machine connect on `PORT`; 0 takes a free one; without it the embedded server does not listen"},
		&cli.StringFlag{Name: "prefix", EnvVars: []string{"JETSEEK_PREFIX"}, Usage: "first `TOKEN` of all NATS subjects (default: jetseek)"},
	)
}

// settings are the flags, checked.
type settings struct {
	http     string
	insecure bool
	data     string
	options  embedded.Options
	at       *connection // to a NATS of others; nil: an embedded server
	seen     *observer
}

func readSettings(c *cli.Context) (settings, error) {
	if err := noArguments(c); err != nil {
		return settings{}, err
	}
	s := settings{http: c.String("http"), insecure: c.Bool("insecure"), data: c.String("data"), options: embedded.Options{
		Groups: c.Int("groups"), Members: c.Int("members"), NATSURL: c.String("nats"), Listen: c.IsSet("nats-port"), NATSPort: c.Int("nats-port"),
		Prefix: c.String("prefix"),
	}}
	if c.String("nats") != "" || c.String("context") != "" {
		at, err := readConnection(c)
		if err != nil {
			return s, err
		}
		s.at, s.options.NATSURL, s.options.NATSOptions = at, at.url, at.options
	}
	o := s.options
	switch {
	case o.Groups < 1:
		return s, usageError{fmt.Errorf("--groups %d: at least 1", o.Groups)}
	case o.Members < 1:
		return s, usageError{fmt.Errorf("--members %d: at least 1", o.Members)}
	case o.NATSPort < 0 || o.NATSPort > 65535:
		return s, usageError{fmt.Errorf("--nats-port %d: want 0 to 65535", o.NATSPort)}
	case o.Listen && o.NATSURL != "":
		return s, usageError{fmt.Errorf("--nats-port is for the embedded server, and --nats (or NATS_URL) uses another: say one of them")}
	case s.data == "":
		return s, usageError{fmt.Errorf("--data is empty: name a folder")}
	}
	if _, err := readIndexMemory(c); err != nil {
		return s, err
	}
	s.options.IndexMemory = indexMemory(c)
	if err := bridge.CheckAddress(s.http, s.insecure); err != nil {
		return s, usageError{fmt.Errorf("--http: %w", err)}
	}
	var err error
	if s.options.Keys, err = readKeys(c); err != nil {
		return s, err
	}
	if s.seen, err = newObserver(c); err != nil {
		return s, err
	}
	s.options.Log, s.options.Slow, s.options.Metrics = s.seen.log, s.seen.slow, s.seen.registry
	return s, nil
}

// system is everything in one process, with its HTTP door open.
type system struct {
	db   *embedded.DB
	door *bridge.Server
}

// readyLine tells that the system is ready, and where.
func (s *system) readyLine() string {
	line := "jetseek ready http=" + s.door.Addr()
	if url := s.db.NATSURL(); url != "" {
		line += " nats=" + redacted(url) // it may hold a password
	}
	return line
}

// runSystem starts the system, does work, and serves until the context ends, a part fails, or work gives an error or says that it is the end. It returns
// when all is closed: first the door, then the rest.
func runSystem(c *cli.Context, s settings, work func(context.Context, *system) (end bool, err error)) (err error) {
	log := s.seen.log
	listener, err := bridge.Listen(s.http, s.insecure)
	if err != nil {
		return fmt.Errorf("%w; choose another with --http, port 0 takes a free one", err)
	}
	db, err := openSystem(c, s)
	if err != nil {
		_ = listener.Close() // what matters is why it did not open
		if c.Context.Err() != nil && errors.Is(err, context.Canceled) {
			return nil // a signal came before it was open
		}
		return err
	}
	defer func() {
		if e := db.Close(); err == nil {
			err = e
		}
	}()
	sys := &system{db: db, door: bridge.NewServer(listener, bridge.Measured(bridge.NewHandler(db.Client(), log), s.seen.registry), log)}

	ctx, stop := context.WithCancel(c.Context)
	defer stop()
	parts, ctx := errgroup.WithContext(ctx)
	parts.Go(func() error { return sys.door.Run(ctx) })
	parts.Go(func() error { return s.seen.run(ctx) })
	parts.Go(func() error { // ends with the system, or ends it
		select {
		case err := <-db.Failed():
			return err
		case <-ctx.Done():
			return nil
		}
	})
	parts.Go(func() error {
		end, err := work(ctx, sys)
		if end {
			stop()
		}
		return err
	})
	err = parts.Wait()
	if c.Context.Err() != nil && isInterruption(err) {
		return nil // a signal cut the work short: a clean end
	}
	return err
}

// openSystem opens the system, after the NATS of others is there where it uses one.
func openSystem(c *cli.Context, s settings) (*embedded.DB, error) {
	if s.at != nil {
		if err := s.at.await(c, c.Command.Name); err != nil {
			return nil, err
		}
	}
	return embedded.OpenContext(c.Context, s.data, s.options)
}

// say prints a line for people on stderr. There is nobody to tell when that fails.
func say(c *cli.Context, format string, args ...any) {
	_, _ = fmt.Fprintf(c.App.ErrWriter, format+"\n", args...)
}
