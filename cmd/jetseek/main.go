// Command jetseek is the whole of jetseek in one binary; its commands and flags decide what a process is. It holds flags and wiring only, and may import
// every package of the project; of package engine only what looks into files.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/urfave/cli/v2"
)

func main() {
	debug.SetMaxStack(mostStack)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, func() { time.AfterFunc(sameSignal, stop) }) // a signal after that ends the process at once
	// Signals stay caught until the very end: one that came between would turn the exit code into a death by signal.
	os.Exit(program{stdout: os.Stdout, stderr: os.Stderr}.run(ctx, os.Args))
}

// mostStack bounds a goroutine's stack, in bytes: recursion without an end, which nothing recovers from, ends the process before it has taken the machine's memory.
const mostStack = 64 << 20

// sameSignal is how long signals count as the first one: whoever ends a process may tell both it and its process group, as timeout(1) does.
const sameSignal = time.Second

// Exit codes.
const (
	exitFailure = 1
	exitUsage   = 2 // what was said on the command line cannot be done
)

// program is what a process is given beside its command line.
type program struct {
	stdout, stderr io.Writer
	goroot         string // the Go tree that the demo reads; "": this machine's
}

// run does a command and gives the process' exit code.
func (p program) run(ctx context.Context, args []string) int {
	app := p.app()
	err := app.RunContext(ctx, flagsFirst(app.Commands, args))
	if err == nil {
		return 0
	}
	fmt.Fprintf(p.stderr, "jetseek: %v\n", err)
	var usage usageError
	if errors.As(err, &usage) {
		return exitUsage
	}
	return exitFailure
}

// flagsFirst moves flags that stand behind arguments before them, since the parser of flags ends at the first argument. What stands behind -- stays.
func flagsFirst(commands []*cli.Command, args []string) []string {
	at := min(1, len(args))
	var command *cli.Command
	for ; at < len(args); at++ { // the command, and its own commands
		i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.HasName(args[at]) })
		if i < 0 {
			break
		}
		command, commands = commands[i], commands[i].Subcommands
	}
	if command == nil {
		return args
	}
	flags, rest := slices.Clone(args[:at]), []string{}
	for ; at < len(args); at++ {
		switch arg := args[at]; {
		case arg == "--":
			return slices.Concat(flags, []string{"--"}, rest, args[at+1:])
		case len(arg) < 2 || arg[0] != '-':
			rest = append(rest, arg)
		case takesValue(command.Flags, arg) && at+1 < len(args):
			flags, at = append(flags, arg, args[at+1]), at+1
		default:
			flags = append(flags, arg)
		}
	}
	return append(flags, rest...)
}

// takesValue tells whether a flag as it stands on the command line is followed by its value.
func takesValue(flags []cli.Flag, arg string) bool {
	if strings.Contains(arg, "=") {
		return false
	}
	name := strings.TrimLeft(arg, "-")
	i := slices.IndexFunc(flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
	if i < 0 {
		return false
	}
	_, isBool := flags[i].(*cli.BoolFlag)
	return !isBool
}

// usageError is a command line that cannot be done.
type usageError struct{ error }

func (p program) app() *cli.App {
	return &cli.App{
		Name:           "jetseek",
		Usage:          "distributed search on NATS",
		Description:    "Start with: jetseek demo",
		Writer:         p.stdout,
		ErrWriter:      p.stderr,
		HideVersion:    true,
		ExitErrHandler: func(*cli.Context, error) {}, // run decides
		OnUsageError:   badUsage,
		Commands:       p.commands(),
		Action: func(c *cli.Context) error {
			if name := c.Args().First(); name != "" {
				return usageError{fmt.Errorf("no command %q; jetseek --help lists them", name)}
			}
			return cli.ShowAppHelp(c)
		},
	}
}

func (p program) commands() []*cli.Command {
	return []*cli.Command{
		// the whole system in one process
		demoCommand(p.goroot), serveCommand(),
		// a cluster of processes
		natsCommand(), shardCommand(), coordinatorCommand(), natsPlanCommand(),
		// asking one
		indexCommand(), getCommand(), deleteCommand(), searchCommand(), suggestCommand(), explainCommand(), collectionsCommand(),
		statusCommand(), membersCommand(), ringCommand(), planCommand(), repairCommand(), quarantineCommand(), requeueCommand(), benchCommand(),
		// looking into files
		segmentCommand(),
	}
}

// badUsage says what is wrong with the flags, and where to read on.
func badUsage(c *cli.Context, err error, _ bool) error {
	name := "jetseek"
	if c.Command != nil && c.Command.Name != "" {
		name = c.Command.HelpName
	}
	return usageError{fmt.Errorf("%w; see %s --help", err, name)}
}

// noArguments refuses what stands behind the flags of a command that takes nothing.
func noArguments(c *cli.Context) error {
	if c.Args().Present() {
		return usageError{fmt.Errorf("%s takes no argument %q; see %s --help", c.Command.Name, c.Args().First(), c.Command.HelpName)}
	}
	return nil
}
