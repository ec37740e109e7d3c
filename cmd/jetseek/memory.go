package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/shard"
)

// indexMemoryFlag says how much of the documents members keep in memory before they write it to files.
func indexMemoryFlag() cli.Flag {
	return &cli.Int64Flag{Name: "index-memory", Value: engine.DefaultMemory >> 20, EnvVars: []string{variable("index-memory")},
		Usage: "let at most `MIB` MiB of documents wait in memory to be written to files, in all members of this process; writes wait beyond"}
}

func indexMemory(c *cli.Context) int64 { return c.Int64("index-memory") << 20 }

// readIndexMemory gives what the members of this process share.
func readIndexMemory(c *cli.Context) (*engine.Resources, error) {
	mib := c.Int64("index-memory")
	if mib < 1 || mib > 1<<20 {
		return nil, usageError{fmt.Errorf("--index-memory %d: want 1 to %d MiB", mib, 1<<20)}
	}
	return shard.NewResources(indexMemory(c))
}
