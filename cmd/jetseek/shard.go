package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/shard"
	"github.com/jetseek/jetseek/subjects"
)

func shardCommand() *cli.Command {
	return &cli.Command{
		Name:  "shard",
		Usage: "run members only: one of each group that is named",
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "node", EnvVars: []string{variable("node")}, Usage: "`NAME` of this node: node n1 is the member g0/n1 of group g0"},
			&cli.StringFlag{Name: "groups", EnvVars: []string{"JETSEEK_SHARD_GROUPS"}, Usage: "`LIST` of groups to be a member of, as in g0,g1"},
			&cli.StringFlag{Name: "data", Value: filepath.Join(".jetseek", "shard"), EnvVars: []string{variable("data")}, Usage: "keep what members keep for themselves in `DIR`"},
			&cli.DurationFlag{Name: "lease", Value: shard.DefaultLease, EnvVars: []string{variable("lease")},
				Usage: "let members serve for `TIME` without word from their log: also what the first write after a member's death waits for"},
		}, []cli.Flag{indexMemoryFlag()}, keyFlags(), assetFlags(), connectionFlags(), observeFlags()),
		OnUsageError: badUsage,
		Action:       runShard,
	}
}

func runShard(c *cli.Context) error {
	node, groups, err := readMembership(c)
	if err != nil {
		return err
	}
	bind, replicas, err := readAssets(c)
	if err != nil {
		return err
	}
	lease := c.Duration("lease")
	if lease < time.Second || lease > time.Minute/2 {
		return usageError{fmt.Errorf("--lease %s: want 1s to 30s", lease)}
	}
	resources, err := readIndexMemory(c)
	if err != nil {
		return err
	}
	keys, err := readKeys(c)
	if err != nil {
		return err
	}
	p, err := newProcess(c)
	if err != nil {
		return err
	}
	var members []*shard.Member
	var parts []func(context.Context) error
	for _, group := range groups {
		o := shard.Options{Names: p.at.names, Group: group, Node: node, Dir: filepath.Join(c.String("data"), node, group), Bind: bind, Replicas: replicas,
			Lease: lease, Keys: keys, Resources: resources, Log: p.log, Metrics: p.seen.registry}
		m, err := p.member(o)
		if err != nil {
			p.close()
			return err
		}
		members, parts = append(members, m), append(parts, m.Run)
	}
	return p.run(func(ctx context.Context) (string, error) {
		for _, m := range members {
			if err := m.AwaitServing(ctx); err != nil {
				if ctx.Err() == nil {
					p.log.Error("this node will not be ready; its other members go on", "error", err)
				}
				return "", nil
			}
		}
		return p.natsWord(), nil
	}, parts...)
}

// member makes a member with its two connections.
func (p *process) member(o shard.Options) (*shard.Member, error) {
	var err error
	if o.Conn, err = p.connect(subjects.MemberID(o.Group, o.Node)); err != nil {
		return nil, err
	}
	if o.LogConn, err = p.connect(subjects.MemberID(o.Group, o.Node) + "/log"); err != nil {
		return nil, err
	}
	return shard.New(o)
}

// readMembership reads and checks which members to be.
func readMembership(c *cli.Context) (node string, groups []string, err error) {
	if err := noArguments(c); err != nil {
		return "", nil, err
	}
	if node = c.String("node"); node == "" {
		return "", nil, usageError{fmt.Errorf("--node is missing: name this node, as in --node n1")}
	}
	if err := subjects.ValidNode(node); err != nil {
		return "", nil, usageError{fmt.Errorf("--node: %w", err)}
	}
	if c.String("groups") == "" {
		return "", nil, usageError{fmt.Errorf("--groups is missing: name the groups to be a member of, as in --groups g0,g1")}
	}
	if c.String("data") == "" {
		return "", nil, usageError{fmt.Errorf("--data is empty: name a folder")}
	}
	for group := range strings.SplitSeq(c.String("groups"), ",") {
		if err := subjects.ValidGroup(group); err != nil {
			return "", nil, usageError{fmt.Errorf("--groups: %w", err)}
		}
		if slices.Contains(groups, group) {
			return "", nil, usageError{fmt.Errorf("--groups names %s twice", group)}
		}
		groups = append(groups, group)
	}
	return node, groups, nil
}
