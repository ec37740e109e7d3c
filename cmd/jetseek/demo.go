package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/godocs"
	"github.com/jetseek/jetseek/cmd/jetseek/internal/showcase"
)

func demoCommand(goroot string) *cli.Command {
	flags := append(systemFlags("demo", filepath.Join(".jetseek", "demo"), "JETSEEK_NATS"),
		&cli.BoolFlag{Name: "once", EnvVars: []string{"JETSEEK_ONCE"}, Usage: "end after the queries instead of serving on"},
		&cli.BoolFlag{Name: "reindex", EnvVars: []string{"JETSEEK_REINDEX"}, Usage: "drop the index of an earlier start and make it again"})
	return &cli.Command{
		Name:         "demo",
		Usage:        "see it work: index the documentation of Go's standard library, answer a few queries, and serve",
		Flags:        flags,
		OnUsageError: badUsage,
		Action: func(c *cli.Context) error {
			settings, err := readSettings(c)
			if err != nil {
				return err
			}
			say(c, "starting %d groups of %d members in this process", settings.options.Groups, settings.options.Members)
			return runSystem(c, settings, func(ctx context.Context, s *system) (bool, error) { return demo(ctx, c, s, goroot) })
		},
	}
}

// demo makes the index unless it is there, answers the queries, and tells whether that was all.
func demo(ctx context.Context, c *cli.Context, s *system, goroot string) (end bool, err error) {
	if err := prepareIndex(ctx, c, s, goroot); err != nil {
		return false, err
	}
	say(c, "%s", s.readyLine())
	if err := showcase.Show(ctx, s.db.Client(), c.App.Writer, terminalWidth(c.App.Writer)); err != nil {
		return false, err
	}
	if c.Bool("once") {
		return true, nil
	}
	say(c, "\nAsk for yourself:  curl 'http://%s/search?q=goroutine+leak&limit=3&fields=doc'\nIt serves until Ctrl-C.", s.door.Addr())
	return false, nil
}

// prepareIndex leaves a complete index: that of an earlier start, or a new one.
func prepareIndex(ctx context.Context, c *cli.Context, s *system, goroot string) error {
	client := s.db.Client()
	if c.Bool("reindex") {
		if err := showcase.Drop(ctx, client); err != nil {
			return err
		}
	}
	mark, err := showcase.Indexed(ctx, client)
	if err != nil {
		return err
	}
	if mark != nil {
		say(c, "found the index of %d documents of %s (%s); --reindex makes it again", mark.Documents, mark.Go, mark.Target)
		return nil
	}
	start := time.Now()
	docs, err := godocs.Read(ctx, godocs.Options{Root: goroot})
	if err != nil {
		return fmt.Errorf("%w; the demo reads Go's own source tree: install Go, or set GOROOT", err)
	}
	say(c, "read %d documents of Go's standard library in %s", len(docs), short(time.Since(start)))
	start = time.Now()
	bar := newCounter(c.App.ErrWriter, len(docs))
	err = showcase.Index(ctx, client, docs, func(done int) { bar.at(int64(done)) })
	bar.end()
	if ctx.Err() != nil {
		say(c, "interrupted; the next start completes the index")
		return ctx.Err()
	}
	if err != nil {
		return fmt.Errorf("%w; the next start completes the index", err)
	}
	say(c, "indexed %d documents in %s", len(docs), short(time.Since(start)))
	return nil
}

func short(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
