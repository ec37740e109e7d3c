//go:build unix

package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/jetseek/jetseek/embedded/witness"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := tortureAll(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "torture:", err)
		os.Exit(1)
	}
}

// totalsMark begins the line on which the totals of all schedules stand, as JSON.
const totalsMark = "TOTALS "

// tortureAll plays the schedules that the arguments name.
func tortureAll(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("torture", flag.ContinueOnError)
	first := flags.Uint64("first", 1, "play seeds from `SEED`")
	count := flags.Int("count", 1, "play `NUMBER` of seeds")
	profile := flags.String("profile", "", "only schedules of `PROFILE`: "+strings.Join(profiles[:], ", ")+" (default: by seed)")
	length := flags.Duration("length", 25*time.Second, "let faults come for `TIME`")
	parts := flags.Int("parts", 1, "play `NUMBER` of schedules at a time")
	bin := flags.String("binary", "", "`FILE` of the jetseek to run (default: one that is built now)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *profile != "" && !slices.Contains(profiles[:], *profile) || *count < 1 || *parts < 1 || *length <= 0 || flags.NArg() > 0 {
		return errors.New("bad arguments: see -help")
	}
	dir, err := os.MkdirTemp("", "torture-bin-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if *bin == "" {
		if *bin, err = build(ctx, dir); err != nil {
			return err
		}
	}
	var totals witness.Totals
	var failed []error
	var mu sync.Mutex // guards both
	places := make(chan struct{}, *parts)
	var all sync.WaitGroup
	for seed := *first; seed < *first+uint64(*count) && ctx.Err() == nil; seed++ {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			mix := *profile
			if mix == "" {
				mix = profiles[seed%uint64(len(profiles))]
			}
			began := time.Now()
			got, figures, err := playSeed(ctx, MakePlan(seed, mix, *length), *bin, os.TempDir())
			mu.Lock()
			defer mu.Unlock()
			totals.Add(got)
			if err != nil {
				failed = append(failed, err)
				fmt.Fprintln(os.Stderr, err)
				return
			}
			fmt.Printf("seed %d %s: %d operations, %d acknowledged, %d verified deletes, %d reads behind them, lost %d, served %d; %s; %s\n",
				seed, mix, got.Operations, got.Acked, got.Deletes, got.Reads, got.Lost, got.Served, figures, time.Since(began).Round(time.Second))
		})
	}
	all.Wait()
	line, err := json.Marshal(totals)
	if err != nil {
		return err
	}
	fmt.Printf("%s%s\n", totalsMark, line)
	if len(failed) > 0 {
		return fmt.Errorf("%d of %d schedules failed", len(failed), *count)
	}
	return ctx.Err()
}

// build builds the command as it is shipped.
func build(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "jetseek")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "github.com/jetseek/jetseek/cmd/jetseek").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return bin, nil
}
