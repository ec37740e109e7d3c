package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"
)

// An engine's process reads commands from its standard input and answers on its standard output, one line each, tabs between the parts:
//
//	index               indexes the docs file, deletes what is to be deleted, and waits until merging has come to rest
//	open                opens what is on disk anew, as a restart does
//	run CLASS TIMES     runs the queries of a class, TIMES times each; a line "q" for each query in order: its least time in ns, total, and ids of the hits with commas
//	                    between
//	end                 ends the process
//
// Each is closed by "ok" with figures, name=number, or "error" with words. Figures in ns are of processor time unless the name says wall.

// figures are what an engine measures about itself, by name.
type figures map[string]int64

// contender is an engine in this module.
type contender interface {
	// index does what the command says. Bytes and counts of the index come back; the time is measured around it.
	index(ctx context.Context, folder string) (figures, error)
	// open gives the engine a restart, if it can have one.
	open(ctx context.Context, folder string) error
	// prepare does for a query all that is not searching, and gives what searches.
	prepare(q question) (func(context.Context) (answer, error), error)
	close() error
}

// answer is what a query finds. A total of -1: the engine did not count.
type answer struct {
	total int64
	ids   []string
}

// serve answers commands for an engine until there are no more.
func serve(ctx context.Context, c contender, folder string, commands io.Reader, answers io.Writer) error {
	out := bufio.NewWriter(answers)
	lines := bufio.NewScanner(commands)
	var s server
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		var got figures
		var err error
		switch {
		case f[0] == "index" && len(f) == 1:
			got, err = s.index(ctx, c, folder)
		case f[0] == "open" && len(f) == 1:
			got, err = s.open(ctx, c, folder)
		case f[0] == "run" && len(f) == 3:
			var times int
			if times, err = strconv.Atoi(f[2]); err == nil {
				got, err = s.run(ctx, c, f[1], times, out)
			}
		case f[0] == "end":
			return c.close()
		default:
			err = fmt.Errorf("unknown command %q", lines.Text())
		}
		if err != nil {
			fmt.Fprintf(out, "error\t%s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		} else {
			out.WriteString("ok")
			for name, n := range got {
				fmt.Fprintf(out, "\t%s=%d", name, n)
			}
			out.WriteByte('\n')
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return lines.Err()
}

// server keeps the queries between commands.
type server struct {
	byClass map[string][]func(context.Context) (answer, error)
}

func (s *server) index(ctx context.Context, c contender, folder string) (figures, error) {
	began, wall := processTime(), time.Now()
	got, err := c.index(ctx, folder)
	if err != nil {
		return nil, err
	}
	got["ns"], got["wall_ns"] = int64(processTime()-began), int64(time.Since(wall))
	return got, nil
}

func (s *server) open(ctx context.Context, c contender, folder string) (figures, error) {
	began, wall := processTime(), time.Now()
	if err := c.open(ctx, folder); err != nil {
		return nil, err
	}
	got := figures{"ns": int64(processTime() - began), "wall_ns": int64(time.Since(wall))}
	debug.FreeOSMemory() // what indexing left behind is not the index
	got["resident_own"], got["resident_mapped"] = residentBytes()
	questions, err := readQuestions(folder)
	if err != nil {
		return nil, err
	}
	s.byClass = map[string][]func(context.Context) (answer, error){}
	for _, q := range questions {
		search, err := c.prepare(q)
		if err != nil {
			return nil, fmt.Errorf("%s, %s: %w", q.class, strings.Join(q.words, " "), err)
		}
		s.byClass[q.class] = append(s.byClass[q.class], search)
	}
	return got, nil
}

// run runs the queries of a class in turn, so that none finds its own data warm from the run before.
func (s *server) run(ctx context.Context, c contender, class string, times int, out io.Writer) (figures, error) {
	searches := s.byClass[class]
	if searches == nil {
		return nil, fmt.Errorf("no class %q", class)
	}
	least, answers := make([]time.Duration, len(searches)), make([]answer, len(searches))
	for i := range least {
		least[i] = math.MaxInt64
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	process, threads := processTime(), time.Duration(0)
	for range times {
		for i, search := range searches {
			began := threadTime()
			found, err := search(ctx)
			took := threadTime() - began
			if err != nil {
				return nil, err
			}
			least[i], answers[i] = min(least[i], took), found
			threads += took
		}
	}
	process = processTime() - process
	runtime.ReadMemStats(&after)
	for i, a := range answers {
		fmt.Fprintf(out, "q\t%d\t%d\t%s\n", least[i], a.total, strings.Join(a.ids, ","))
	}
	runs := int64(times * len(searches))
	return figures{"process_ns": int64(process), "thread_ns": int64(threads), "allocs": int64(after.Mallocs-before.Mallocs) / max(runs, 1)}, nil
}
