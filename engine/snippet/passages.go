package snippet

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// passage is a part of a value that may be shown.
type passage struct {
	text       int // among the values
	start, end int // bytes
	words      int // of the query, different ones, that it holds
	matches    int
}

// passages appends the best passages of a value, as many as the field may have.
func (c *Cutter) passages(list []passage, t *text, at int) ([]passage, error) {
	if !t.longer(c.options.Size) {
		return append(list, c.measured(t, passage{text: at, end: len(t.value)})), nil
	}
	t.count()
	others := len(list)
	used := make([]bool, len(t.matches))
	for range c.options.Number {
		if err := c.pace.step(1 + len(t.matches)); err != nil {
			return nil, err
		}
		first, last := c.densest(t, used)
		if first == last {
			break
		}
		p := passage{text: at}
		p.start, p.end = c.widen(t, list[others:], first, last)
		for i := range t.matches {
			if m := &t.matches[i]; p.start <= m.start && m.start < p.end {
				used[i] = true
			}
		}
		list = append(list, c.measured(t, p))
	}
	return list, nil
}

// measured gives a passage with what it holds.
func (c *Cutter) measured(t *text, p passage) passage {
	from, to := t.within(p.start, p.end)
	for _, m := range t.matches[from:to] {
		if c.counts[m.word]++; c.counts[m.word] == 1 {
			p.words++
		}
		p.matches++
	}
	for _, m := range t.matches[from:to] {
		c.counts[m.word] = 0
	}
	return p
}

// within gives the range of matches that begin between two bytes.
func (t *text) within(start, end int) (from, to int) {
	byStart := func(m match, at int) int { return cmp.Compare(m.start, at) }
	from, _ = slices.BinarySearchFunc(t.matches, start, byStart)
	to, _ = slices.BinarySearchFunc(t.matches, end, byStart)
	return from, to
}

// densest gives the best run of matches that are not used and fit a passage, the first of equals: from first up to last, which are equal where there is none. A match
// that does not fit is a run by itself.
func (c *Cutter) densest(t *text, used []bool) (first, last int) {
	words, bestWords, next := 0, 0, 0
	for i := range t.matches {
		if used[i] {
			continue
		}
		next = max(next, i)
		for next < len(t.matches) && !used[next] && (next == i || t.matches[next].at+t.matches[next].chars <= t.matches[i].at+c.options.Size) {
			if c.counts[t.matches[next].word]++; c.counts[t.matches[next].word] == 1 {
				words++
			}
			next++
		}
		if words > bestWords || words == bestWords && next-i > last-first {
			first, last, bestWords = i, next, words
		}
		if c.counts[t.matches[i].word]--; c.counts[t.matches[i].word] == 0 {
			words--
		}
	}
	return first, last
}

// widen gives the passage around a run of matches: as much on both sides as there is room for, up to whole words, not into others of the same value.
func (c *Cutter) widen(t *text, others []passage, first, last int) (start, end int) {
	start = t.matches[first].start
	chars := 0 // of the matches and what lies between
	for _, m := range t.matches[first:last] {
		end = max(end, m.end)
		chars = max(chars, m.at+m.chars-t.matches[first].at)
	}
	least, most := 0, len(t.value)
	for _, p := range others {
		if p.start <= start {
			least = max(least, p.end)
		} else {
			most = min(most, p.start)
		}
	}
	end = min(end, most) // of scripts without spaces matches overlap
	if chars > c.options.Size {
		return start, min(t.cutWord(start, c.options.Size), most)
	}
	spare := c.options.Size - chars
	from := t.back(start, least, spare/2)
	before := utf8.RuneCountInString(t.value[from:start])
	to := t.forward(end, most, spare-before)
	behind := utf8.RuneCountInString(t.value[end:to])
	from = t.back(from, least, spare-before-behind)
	return min(start, t.wordFrom(from)), max(end, t.wordUpTo(to))
}

// best gives the best passages of all values as they are shown.
func (c *Cutter) best(passages []passage, texts []text) []string {
	slices.SortFunc(passages, func(a, b passage) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.matches, a.matches), cmp.Compare(a.text, b.text), cmp.Compare(a.start, b.start))
	})
	shown := make([]string, min(len(passages), c.options.Number))
	for i := range shown {
		p := passages[i]
		shown[i] = c.show(&texts[p.text], p.start, p.end)
	}
	return shown
}

// beginning gives the beginning of the first value that is not empty, where that is asked for.
func (c *Cutter) beginning(texts []text) []string {
	i := slices.IndexFunc(texts, func(t text) bool { return t.value != "" })
	if i < 0 || c.options.NoMatch == 0 {
		return nil
	}
	t := &texts[i]
	end := t.wordUpTo(t.forward(0, len(t.value), c.options.NoMatch))
	if end == 0 {
		end = t.cutWord(0, c.options.NoMatch)
	}
	return []string{c.show(t, 0, end)}
}

// show writes a passage, with its marks, as HTML.
func (c *Cutter) show(t *text, start, end int) string {
	b := make([]byte, 0, end-start+(end-start)/4)
	from := start
	for i := 0; i < len(t.matches); {
		open, shut := t.matches[i].start, t.matches[i].end
		for i++; i < len(t.matches) && (t.matches[i].start <= shut || neighbours(t.value[shut:t.matches[i].start])); i++ {
			shut = max(shut, t.matches[i].end)
		}
		if open, shut = max(open, start), min(shut, end); open < shut {
			b = appendEscaped(b, t.value[from:open])
			b = append(b, c.options.Open...)
			b = appendEscaped(b, t.value[open:shut])
			b = append(b, c.options.Close...)
			from = shut
		}
	}
	return string(appendEscaped(b, t.value[from:end]))
}

// appendEscaped appends text as it stands in HTML, between tags and in attributes.
func appendEscaped(b []byte, text string) []byte {
	for i := range len(text) {
		switch text[i] {
		case '&':
			b = append(b, "&amp;"...)
		case '<':
			b = append(b, "&lt;"...)
		case '>':
			b = append(b, "&gt;"...)
		case '"':
			b = append(b, "&quot;"...)
		default:
			b = append(b, text[i])
		}
	}
	return b
}
