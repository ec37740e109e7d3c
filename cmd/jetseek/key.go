package main

import (
	"fmt"
	"os"

	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/subjects/wire"
)

// keyFlags are the flags of every process that writes to logs or applies them.
func keyFlags() []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "cluster-key", EnvVars: []string{variable("cluster-key")},
		Usage: "sign and verify records of logs with the keys in `FILE`, which all processes must have: 64 hex digits a line, the first signs"}}
}

// readKeys gives the keys of the file that the flag names; nil without one. A file that others on this machine may read is refused.
func readKeys(c *cli.Context) (*wire.Keys, error) {
	name := c.String("cluster-key")
	if name == "" {
		return nil, nil
	}
	info, err := os.Stat(name)
	if err != nil {
		return nil, usageError{fmt.Errorf("--cluster-key: %w", err)}
	}
	if info.Mode().Perm()&0o007 != 0 {
		return nil, usageError{fmt.Errorf("--cluster-key %s: everybody on this machine may use the key: chmod 600 %s", name, name)}
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, usageError{fmt.Errorf("--cluster-key: %w", err)}
	}
	keys, err := wire.ParseKeys(text)
	if err != nil {
		return nil, usageError{fmt.Errorf("--cluster-key %s: %w", name, err)}
	}
	return keys, nil
}
