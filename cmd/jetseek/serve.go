package main

import (
	"context"
	"path/filepath"

	"github.com/urfave/cli/v2"
)

func serveCommand() *cli.Command {
	return &cli.Command{
		Name:         "serve",
		Usage:        "run everything in one process: NATS, all members, a coordinator and HTTP",
		Flags:        append(systemFlags("serve", filepath.Join(".jetseek", "serve"), "JETSEEK_NATS", "NATS_URL"), accessFlags()...),
		OnUsageError: badUsage,
		Action: func(c *cli.Context) error {
			settings, err := readSettings(c)
			if err != nil {
				return err
			}
			return runSystem(c, settings, func(_ context.Context, s *system) (bool, error) {
				say(c, "%s", s.readyLine())
				return false, nil
			})
		},
	}
}
