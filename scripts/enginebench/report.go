package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report writes all figures, and beside the targets what was reached.
func report(w io.Writer, o options, corpus string, peers []*peer, questions []question, results map[string]map[string]*result) {
	r := reporter{o, peers, questions, results}
	fmt.Fprintf(w, "\n# %s, %d documents, of which one in %d is deleted; %d queries; least of %d runs each\n\n",
		corpus, peers[0].figures["index"]["docs"], deletedIn, len(questions), o.rounds*o.times)
	table(w, r.indexing)
	table(w, r.classes)
	table(w, r.targets)
	table(w, r.agreement)
}

func table(w io.Writer, write func(io.Writer)) {
	t := tabwriter.NewWriter(w, 0, 1, 2, ' ', tabwriter.AlignRight)
	write(t)
	t.Flush()
	fmt.Fprintln(w)
}

type reporter struct {
	o         options
	peers     []*peer
	questions []question
	results   map[string]map[string]*result
}

func (r *reporter) indexing(w io.Writer) {
	fmt.Fprintln(w, "indexing\tdocuments a CPU-second\twall s\tindex MB\tpostings MB\tsegments\topen ms\tresident MB\tmapped MB\tCPU of process / thread\t")
	for _, p := range r.peers {
		i, open := p.figures["index"], p.figures["open"]
		fmt.Fprintf(w, "%s\t%.0f\t%.1f\t%s\t%s\t%s\t%.0f\t%s\t%s\t%.2f\t\n", p.name, docsPerSecond(i), seconds(i["wall_ns"]),
			megabytes(i["bytes"]), megabytes(i["postings_bytes"]), orNothing(i["segments"]), 1e3*seconds(open["wall_ns"]),
			megabytes(open["resident_own"]), megabytes(open["resident_mapped"]), r.besides(p.name))
	}
}

func docsPerSecond(index figures) float64 { return float64(index["docs"]) / seconds(index["ns"]) }
func seconds(ns int64) float64            { return float64(ns) / 1e9 }

// megabytes and orNothing print a point for what an engine does not tell.
func megabytes(bytes int64) string {
	if bytes == 0 {
		return "."
	}
	return fmt.Sprintf("%.1f", float64(bytes)/1e6)
}

func orNothing(n int64) string {
	if n == 0 {
		return "."
	}
	return fmt.Sprint(n)
}

// besides tells how much processor time the process of an engine took for each second of the searching thread: what garbage and the like cost besides.
func (r *reporter) besides(engine string) float64 {
	var process, thread int64
	for _, class := range classes(r.questions) {
		cost := r.results[class][engine].cost
		process, thread = process+cost["process_ns"], thread+cost["thread_ns"]
	}
	return float64(process) / float64(thread)
}

func (r *reporter) classes(w io.Writer) {
	fmt.Fprint(w, "us\t")
	for _, p := range r.peers {
		fmt.Fprintf(w, "%s mean\tp50\tp90\tp99\t", p.name)
	}
	for _, p := range r.peers[1:] {
		fmt.Fprintf(w, "%s / %s\t", p.name, r.peers[0].name)
	}
	fmt.Fprintln(w, "allocations\t")
	for _, class := range classes(r.questions) {
		fmt.Fprintf(w, "%s\t", class)
		for _, p := range r.peers {
			took := r.took(class, p.name)
			fmt.Fprintf(w, "%.0f\t%.0f\t%.0f\t%.0f\t", mean(took), percentile(took, 50), percentile(took, 90), percentile(took, 99))
		}
		for _, p := range r.peers[1:] {
			fmt.Fprintf(w, "%.2f\t", r.ratio(class, p.name))
		}
		fmt.Fprintf(w, "%d\t\n", r.results[class][r.peers[0].name].cost["allocs"])
	}
}

// took gives the times of a class on an engine in us, ascending.
func (r *reporter) took(class, engine string) []float64 {
	var us []float64
	for _, q := range r.results[class][engine].queries {
		us = append(us, float64(q.took)/float64(time.Microsecond))
	}
	slices.Sort(us)
	return us
}

// ratio tells how many times as long as the first engine another takes for a class, in the mean.
func (r *reporter) ratio(class, engine string) float64 {
	return mean(r.took(class, engine)) / mean(r.took(class, r.peers[0].name))
}

// targets sets what issue 4 asks for beside what was reached.
func (r *reporter) targets(w io.Writer) {
	fmt.Fprintln(w, "target\tat least\treached\t\t")
	line := func(name string, least, reached float64) {
		verdict := "reached"
		if reached < least {
			verdict = "MISSED"
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%s\t\n", name, least, reached, verdict)
	}
	has := func(engine string) bool {
		return slices.ContainsFunc(r.peers[1:], func(p *peer) bool { return p.name == engine })
	}
	if r.peers[0].name != "jetseek" {
		return
	}
	if has("lucene") {
		or, worstOr := r.over("lucene", orTop10, orTop100)
		exact, worstExact := r.over("lucene", orExact)
		and, worstAnd := r.over("lucene", andTop10)
		line("OR top-10 and top-100 against Lucene, mean", 2, or)
		line("…, worst class", 1.3, worstOr)
		line("OR, exact total, against Lucene, mean", 1.5, exact)
		line("…, worst class", 1, worstExact)
		line("AND against Lucene, mean", 1.2, and)
		line("…, worst class", 0.7, worstAnd)
		phrase, _ := r.over("lucene", phrases)
		line("phrases against Lucene, mean", 1, phrase)
		line("…, p99", 2, percentile(r.pooled("lucene", phrases), 99)/percentile(r.pooled("jetseek", phrases), 99))
		line("indexing against Lucene", 0.8, r.indexRatio("lucene"))
		line("size of postings, Lucene's / ours", 1/1.1, float64(r.index("lucene")["postings_bytes"])/float64(r.index("jetseek")["postings_bytes"]))
	}
	if has("bleve") {
		for _, t := range []struct {
			name, group string
			least       float64
		}{{"OR top-10", orTop10, 8}, {"AND", andTop10, 4}, {"phrases", phrases, 4}} {
			reached, _ := r.over("bleve", t.group)
			line(t.name+" against bleve, mean", t.least, reached)
		}
		line("indexing against bleve", 4, r.indexRatio("bleve"))
	}
	filtered, worst := r.filtered()
	line("OR top-10 with no filter / under one of 10 %, mean", 1, filtered)
	line("…, worst class", 1, worst)
	line("50 allocations / the most that a query of a class makes", 1, 50/float64(r.mostAllocs()))
	if r.o.corpus == "generated" && r.o.docs == 1_000_000 {
		for _, t := range []struct {
			class string
			us    float64
		}{{orTop10 + ".2frequent", 600}, {orTop10 + ".5", 300}, {andTop10 + ".2frequent", 600}} {
			line("PISA / ours, "+t.class, 1/1.5, t.us/mean(r.took(t.class, "jetseek")))
		}
	}
}

// over gives the geometric mean, over the classes of groups, of how many times as long another engine takes; and the worst class's.
func (r *reporter) over(engine string, groups ...string) (mean, worst float64) {
	logs, n := 0.0, 0.0
	worst = math.Inf(1)
	for _, class := range classes(r.questions) {
		if slices.Contains(groups, group(class)) {
			ratio := r.ratio(class, engine)
			logs, n, worst = logs+math.Log(ratio), n+1, min(worst, ratio)
		}
	}
	return math.Exp(logs / n), worst
}

// filtered gives how many times as long queries take without their filter.
func (r *reporter) filtered() (geometric, worst float64) {
	logs, n := 0.0, 0.0
	worst = math.Inf(1)
	for _, class := range classes(r.questions) {
		if shape, is := strings.CutPrefix(class, orFiltered+"."); is {
			ratio := mean(r.took(orTop10+"."+shape, "jetseek")) / mean(r.took(class, "jetseek"))
			logs, n, worst = logs+math.Log(ratio), n+1, min(worst, ratio)
		}
	}
	return math.Exp(logs / n), worst
}

// pooled gives the times of all classes of a group in us, ascending.
func (r *reporter) pooled(engine, of string) []float64 {
	var us []float64
	for _, class := range classes(r.questions) {
		if group(class) == of {
			us = append(us, r.took(class, engine)...)
		}
	}
	slices.Sort(us)
	return us
}

func (r *reporter) index(engine string) figures {
	for _, p := range r.peers {
		if p.name == engine {
			return p.figures["index"]
		}
	}
	return nil
}

func (r *reporter) indexRatio(engine string) float64 {
	return docsPerSecond(r.index("jetseek")) / docsPerSecond(r.index(engine))
}

func (r *reporter) mostAllocs() int64 {
	most := int64(1)
	for _, class := range classes(r.questions) {
		most = max(most, r.results[class]["jetseek"].cost["allocs"])
	}
	return most
}

// agreement tells whether the engines found the same: totals, where they are exact, must be equal; hits nearly so, since the others keep lengths with loss and score in
// float32.
func (r *reporter) agreement(w io.Writer) {
	fmt.Fprintln(w, "same answers as "+r.peers[0].name+"\texact totals\tequal\thits in both, %\t")
	for _, p := range r.peers[1:] {
		var totals, equal, hits, same int
		for _, class := range classes(r.questions) {
			ours, theirs := r.results[class][r.peers[0].name].queries, r.results[class][p.name].queries
			for i := range ours {
				if group(class) == orExact {
					if totals++; ours[i].total == theirs[i].total {
						equal++
					}
				}
				hits += len(ours[i].ids)
				for _, id := range ours[i].ids {
					if slices.Contains(theirs[i].ids, id) {
						same++
					}
				}
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t\n", p.name, totals, equal, 100*float64(same)/float64(max(hits, 1)))
	}
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// percentile gives the least of ascending values that p percent of them do not exceed.
func percentile(ascending []float64, p int) float64 {
	return ascending[max((len(ascending)*p+99)/100-1, 0)]
}
