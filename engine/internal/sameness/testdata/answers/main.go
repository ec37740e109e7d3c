// Command answers prints, for each layout of package sameness, the hash of its answers.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/jetseek/jetseek/engine/internal/sameness"
)

func main() {
	for _, l := range sameness.Layouts() {
		r, err := sameness.Run(context.Background(), l)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		fmt.Println(r.Hash)
	}
}
