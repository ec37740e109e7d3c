package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/engine"
)

func segmentCommand() *cli.Command {
	return &cli.Command{
		Name: "segment", Usage: "look into files of an index", OnUsageError: badUsage,
		Subcommands: []*cli.Command{
			{
				Name: "dump", Usage: "print a segment file as labelled bytes", ArgsUsage: "FILE",
				Description: "Each line has an offset, a length, bytes in hexadecimal, and what they mean. The comment of package engine/internal/segment\n" +
					"describes the format and numbers the kinds of sections.",
				Flags: []cli.Flag{
					&cli.IntFlag{Name: "section", Usage: "only sections of kind `N`"},
					&cli.StringFlag{Name: "field", Usage: "only sections of field `NAME`"},
					&cli.StringFlag{Name: "term", Usage: "only what belongs to the term or exact value `T`: its block of the dictionary, its lists"},
					&cli.BoolFlag{Name: "full", Usage: "print long pieces whole"},
				},
				OnUsageError: badUsage,
				Action:       dumpSegment,
			},
			{
				Name: "verify", Usage: "prove every structure of segment files", ArgsUsage: "FILE|FOLDER...",
				Description: "Prints one line for all that does not hold, and then ends with exit code 1. A folder is one in which\n" +
					"a member that does not run keeps an index: its manifest, the segments that this names, and that they agree.\n" +
					"A line that begins with \"note\" is no fault: what a crash left over, which the next start removes.",
				OnUsageError: badUsage,
				Action:       verifySegments,
			},
		},
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" {
				return usageError{fmt.Errorf("segment has no command %q; see %s --help", name, c.Command.HelpName)}
			}
			return cli.ShowSubcommandHelp(c)
		},
	}
}

func dumpSegment(c *cli.Context) error {
	if c.NArg() != 1 {
		return usageError{fmt.Errorf("%s takes one file; see %s --help", c.Command.Name, c.Command.HelpName)}
	}
	return engine.DumpSegment(c.App.Writer, c.Args().First(), engine.DumpOptions{
		Section: c.Int("section"), Field: c.String("field"), Term: c.String("term"), Full: c.Bool("full"),
	})
}

func verifySegments(c *cli.Context) error {
	if !c.Args().Present() {
		return usageError{fmt.Errorf("%s takes files and folders; see %s --help", c.Command.Name, c.Command.HelpName)}
	}
	findings := 0
	for _, path := range c.Args().Slice() {
		before := findings
		err := engine.Verify(c.Context, path, func(f engine.Finding) {
			if f.Note {
				fmt.Fprintf(c.App.Writer, "%s: note: %s\n", path, f.Text)
				return
			}
			findings++
			fmt.Fprintf(c.App.Writer, "%s: %s\n", path, f.Text)
		})
		if err != nil {
			return err
		}
		if findings == before {
			fmt.Fprintf(c.App.Writer, "%s: everything holds\n", path)
		}
	}
	if findings > 0 {
		return fmt.Errorf("faults found: %d", findings)
	}
	return nil
}
