package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "enginebench:", err)
		os.Exit(1)
	}
}

// options are what the flags say.
type options struct {
	folder   string // for corpora, queries and indexes
	corpus   string // "generated", or the path of documents in JSON
	docs     int    // at most
	perClass int
	engines  []string
	lucene   []string // the command that starts Lucene's side; none: it is left out
	rounds   int      // of all engines in turn
	times    int      // that a query runs in a round
	warm     int      // that a query runs before
}

func run(ctx context.Context) error {
	var o options
	var serveAs, engines, lucene string
	flag.StringVar(&o.folder, "folder", "", "where corpora, queries and indexes are kept")
	flag.StringVar(&o.corpus, "corpus", "generated", "generated, or a file of documents in JSON, packed by gzip")
	flag.IntVar(&o.docs, "docs", 1_000_000, "documents at most")
	flag.IntVar(&o.perClass, "queries", 25, "queries in a class")
	flag.StringVar(&engines, "engines", "jetseek,lucene,bleve", "who takes part")
	flag.StringVar(&lucene, "lucene", "", "the command of Lucene's side")
	flag.IntVar(&o.rounds, "rounds", 5, "rounds, in which engines take turns")
	flag.IntVar(&o.times, "times", 3, "runs of a query in a round")
	flag.IntVar(&o.warm, "warm", 8, "runs of a query before the first round")
	flag.StringVar(&serveAs, "serve", "", "answer commands as this engine; what the lead starts")
	flag.Parse()
	if o.folder == "" || flag.NArg() > 0 {
		return errors.New("usage: enginebench -folder FOLDER [flags]; scripts/bench-engine does that")
	}
	o.engines, o.lucene = strings.Split(engines, ","), strings.Fields(lucene)
	switch serveAs {
	case "":
		return lead(ctx, o)
	case "jetseek":
		return serve(ctx, &jetseek{}, o.folder, os.Stdin, os.Stdout)
	case "bleve":
		return serve(ctx, &bleveIndex{}, o.folder, os.Stdin, os.Stdout)
	}
	return fmt.Errorf("no engine %q", serveAs)
}

// lead compares the engines over one corpus.
func lead(ctx context.Context, o options) error {
	name := "generated"
	if o.corpus != "generated" {
		name = filepath.Base(filepath.Dir(o.corpus))
	}
	o.folder = filepath.Join(o.folder, name+"-"+strconv.Itoa(o.docs))
	if err := prepare(o); err != nil {
		return err
	}
	questions, err := readQuestions(o.folder)
	if err != nil {
		return err
	}
	peers, err := startAll(ctx, o)
	if err != nil {
		return err
	}
	results, err := measure(peers, questions, o)
	for _, p := range peers {
		if ended := p.end(); err == nil && ended != nil {
			err = fmt.Errorf("%s: %w", p.name, ended)
		}
	}
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	report(out, o, name, peers, questions, results)
	return out.Flush()
}

// prepare makes documents and queries, unless they are there from before.
func prepare(o options) error {
	if err := os.MkdirAll(o.folder, 0o755); err != nil {
		return err
	}
	docs := filepath.Join(o.folder, "docs")
	if _, err := os.Stat(docs); err != nil {
		fmt.Fprintln(os.Stderr, "enginebench: making", docs)
		err := writeFile(docs, func(w *bufio.Writer) error {
			if o.corpus == "generated" {
				return generate(o.docs, w)
			}
			return convertJSON(o.corpus, o.docs, w)
		})
		if err != nil {
			return err
		}
	}
	queries := filepath.Join(o.folder, "queries")
	if qs, err := readQuestions(o.folder); err == nil && len(qs) > 0 && inClass(qs, qs[0].class) == o.perClass {
		return nil
	}
	fmt.Fprintln(os.Stderr, "enginebench: making", queries)
	qs, err := draw(o.folder, o.perClass)
	if err != nil {
		return err
	}
	return writeFile(queries, func(w *bufio.Writer) error { return writeQuestions(w, qs) })
}

func inClass(qs []question, class string) int {
	n := 0
	for _, q := range qs {
		if q.class == class {
			n++
		}
	}
	return n
}

// startAll starts the engines' processes and lets each index and open in turn, alone.
func startAll(ctx context.Context, o options) ([]*peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	var peers []*peer
	for _, name := range o.engines {
		argv := []string{self, "-folder", o.folder, "-serve", name}
		if name == "lucene" {
			if len(o.lucene) == 0 {
				continue
			}
			argv = slices.Concat(o.lucene, []string{o.folder})
		}
		p, err := start(ctx, name, argv)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		peers = append(peers, p)
		for _, command := range []string{"index", "open"} {
			fmt.Fprintf(os.Stderr, "enginebench: %s: %s\n", name, command)
			if p.figures[command], _, err = p.do(command); err != nil {
				return nil, err
			}
		}
	}
	if len(peers) == 0 {
		return nil, exec.ErrNotFound
	}
	return peers, nil
}

// result is all that one engine gave for one class.
type result struct {
	queries []measured // in the order of the queries file; the least time of all runs
	cost    figures    // of the last run
}

// measure runs all classes on all engines in rounds.
func measure(peers []*peer, questions []question, o options) (map[string]map[string]*result, error) {
	results := map[string]map[string]*result{} // by class, then by engine
	for round := -1; round < o.rounds; round++ {
		fmt.Fprintf(os.Stderr, "enginebench: round %d of %d\n", round+1, o.rounds)
		for _, class := range classes(questions) {
			for _, p := range peers {
				times := o.times
				switch {
				case p.name == "bleve":
					times = 1 // nothing in it gets warm that one run does not warm, and it is slow
				case round < 0:
					times = o.warm
				}
				cost, answers, err := p.do("run\t" + class + "\t" + strconv.Itoa(times))
				if err != nil {
					return nil, err
				}
				if round >= 0 {
					keepLeast(results, class, p.name, answers, cost)
				}
			}
		}
	}
	return results, nil
}

func keepLeast(results map[string]map[string]*result, class, engine string, answers []measured, cost figures) {
	if results[class] == nil {
		results[class] = map[string]*result{}
	}
	r := results[class][engine]
	if r == nil {
		results[class][engine] = &result{answers, cost}
		return
	}
	for i := range answers {
		r.queries[i].took = min(r.queries[i].took, answers[i].took)
	}
	r.cost = cost
}

// classes lists the classes in the order of the queries.
func classes(questions []question) []string {
	var names []string
	for _, q := range questions {
		if !slices.Contains(names, q.class) {
			names = append(names, q.class)
		}
	}
	return names
}
