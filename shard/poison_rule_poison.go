//go:build poison

package shard

import (
	"bytes"
	"os"

	"github.com/jetseek/jetseek/engine"
)

// poison breaks the engine on purpose: documents with a magic word make it panic, go on for ever, or end the process in one of the ways that cannot be recovered from.
func poison() func(*engine.Op) {
	return func(op *engine.Op) {
		switch {
		case bytes.Contains(op.Body, []byte("poison-panic")):
			panic("poison")
		case bytes.Contains(op.Body, []byte("poison-exit")):
			os.Exit(3)
		case bytes.Contains(op.Body, []byte("poison-recursion")):
			recurse(1)
		case bytes.Contains(op.Body, []byte("poison-endless")):
			select {}
		}
	}
}

func recurse(n int) int { return recurse(n+1) + n }
