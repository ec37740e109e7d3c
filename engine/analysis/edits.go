package analysis

import "sort"

// edits are the places where a text was changed, ascending: what leads from the changed text back to the one before.
type edits []edit

// edit is a run of the text that was replaced; nothing between two runs has changed.
type edit struct {
	from, to     int // in the changed text; the same where the run was removed
	start, until int // in the text before
}

// start gives where the character at a place of the changed text began: the run's beginning inside a run.
func (e edits) start(at int) int {
	i := sort.Search(len(e), func(i int) bool { return e[i].from > at }) - 1
	switch {
	case i < 0:
		return at
	case at < e[i].to:
		return e[i].start
	}
	return e[i].until + at - e[i].to
}

// end gives where the character before a place of the changed text ended: the run's end inside a run.
func (e edits) end(at int) int {
	i := sort.Search(len(e), func(i int) bool { return e[i].from >= at }) - 1
	switch {
	case i < 0:
		return at
	case at <= e[i].to:
		return e[i].until
	}
	return e[i].until + at - e[i].to
}

// rewriter writes a changed text run by run.
type rewriter struct {
	text  string // before
	done  int    // bytes of text that were taken
	out   []byte
	where edits
}

// keep takes n bytes as they are.
func (w *rewriter) keep(n int) {
	w.out = append(w.out, w.text[w.done:w.done+n]...)
	w.done += n
}

// replace takes n bytes and writes others.
func (w *rewriter) replace(n int, by string) {
	w.where = append(w.where, edit{len(w.out), len(w.out) + len(by), w.done, w.done + n})
	w.out = append(w.out, by...)
	w.done += n
}

// result takes the rest as it is.
func (w *rewriter) result() (string, edits) {
	if len(w.where) == 0 {
		return w.text, nil
	}
	w.keep(len(w.text) - w.done)
	return string(w.out), w.where
}
