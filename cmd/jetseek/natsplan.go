package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/access"
)

func natsPlanCommand() *cli.Command {
	return &cli.Command{
		Name:  "nats-plan",
		Usage: "print the streams and permissions that jetseek needs on a NATS server of others",
		Description: "Prints the users of a nats-server's configuration, one a role, with the subjects that each must publish and subscribe to. With --json it\n" +
			"also has the configuration of every stream, for nats stream add --config. Processes then run with --assets bind and the inbox prefix of their role.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "groups", Value: "g0,g1,g2", EnvVars: []string{"JETSEEK_NATS_PLAN_GROUPS"}, Usage: "`LIST` of groups"},
			&cli.StringFlag{Name: "node", EnvVars: []string{variable("node")}, Usage: "`NAME` of the only node that the member role is for (default: any)"},
			&cli.IntFlag{Name: "replicas", Value: 1, EnvVars: []string{variable("replicas")}, Usage: "`NUMBER` of NATS servers that keep each stream: 1, 3 or 5"},
			&cli.StringFlag{Name: "prefix", EnvVars: []string{variable("prefix")}, Usage: "first `TOKEN` of all subjects (default: " + subjects.DefaultPrefix + ")"},
			&cli.BoolFlag{Name: "json", EnvVars: []string{variable("json")}, Usage: "print everything as JSON"},
		},
		OnUsageError: badUsage,
		Action:       printNATSPlan,
	}
}

func printNATSPlan(c *cli.Context) error {
	if err := noArguments(c); err != nil {
		return err
	}
	var names subjects.Names
	if prefix := c.String("prefix"); prefix != "" {
		var err error
		if names, err = subjects.New(prefix); err != nil {
			return usageError{fmt.Errorf("--prefix: %w", err)}
		}
	}
	replicas, err := readReplicas(c)
	if err != nil {
		return err
	}
	plan, err := access.New(names, access.Options{Groups: strings.Split(c.String("groups"), ","), Node: c.String("node"), Replicas: replicas})
	if err != nil {
		return usageError{err}
	}
	if !c.Bool("json") {
		_, err = fmt.Fprint(c.App.Writer, plan.Snippet())
		return err
	}
	out := json.NewEncoder(c.App.Writer)
	out.SetEscapeHTML(false)
	out.SetIndent("", "  ")
	return out.Encode(plan)
}
