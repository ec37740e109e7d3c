package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// peer is the process of one engine, as the lead has it.
type peer struct {
	name    string
	cmd     *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Scanner
	figures map[string]figures // of index and open
}

// start starts the process of an engine. It ends with ctx at the latest.
func start(ctx context.Context, name string, argv []string) (*peer, error) {
	p := &peer{name: name, cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), figures: map[string]figures{}}
	p.cmd.Stderr = os.Stderr
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewScanner(out)
	p.out.Buffer(make([]byte, 1<<16), 1<<20)
	return p, p.cmd.Start()
}

// measured is one query's answer and least time.
type measured struct {
	answer
	took time.Duration
}

// do gives a command and reads the answer to its end.
func (p *peer) do(command string) (figures, []measured, error) {
	fail := func(err error) (figures, []measured, error) {
		return nil, nil, fmt.Errorf("%s: %s: %w", p.name, strings.ReplaceAll(command, "\t", " "), err)
	}
	if _, err := fmt.Fprintln(p.in, command); err != nil {
		return fail(err)
	}
	var answers []measured
	for p.out.Scan() {
		f := strings.Split(p.out.Text(), "\t")
		switch {
		case f[0] == "ok":
			got := figures{}
			for _, figure := range f[1:] {
				name, value, _ := strings.Cut(figure, "=")
				n, err := strconv.ParseInt(value, 10, 64)
				if err != nil {
					return fail(err)
				}
				got[name] = n
			}
			return got, answers, nil
		case f[0] == "error":
			return fail(errors.New(f[1]))
		case f[0] == "q" && len(f) == 4:
			ns, err := strconv.ParseInt(f[1], 10, 64)
			total, err2 := strconv.ParseInt(f[2], 10, 64)
			if err := errors.Join(err, err2); err != nil {
				return fail(err)
			}
			answers = append(answers, measured{answer{total, split(f[3])}, time.Duration(ns)})
		default:
			return fail(fmt.Errorf("answered %q", p.out.Text()))
		}
	}
	return fail(errors.Join(p.out.Err(), io.ErrUnexpectedEOF))
}

func split(ids string) []string {
	if ids == "" {
		return nil
	}
	return strings.Split(ids, ",")
}

// end lets the process end by itself.
func (p *peer) end() error {
	fmt.Fprintln(p.in, "end")
	p.in.Close()
	return p.cmd.Wait()
}
