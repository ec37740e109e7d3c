package embedded

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/engine/bm25"
)

// This file is the brute force that the system is held against: documents in a map, every query evaluated over every document, scores by the
// published formula. It knows nothing of postings, groups, snapshots or messages; of the system it uses the logarithm alone, which has a test of its own.

// refDoc is a document as the reference sees it.
type refDoc struct {
	id      string
	version uint64
	source  string
	text    map[string][]string // field -> tokens
	keyword map[string]string
	long    map[string]int64
	double  map[string]float64
}

// refCollection is a collection of them.
type refCollection map[string]*refDoc

// put writes a document and gives the version that the system must give it.
func (c refCollection) put(d *refDoc) uint64 {
	d.version = 1
	if old := c[d.id]; old != nil {
		d.version = old.version + 1
	}
	c[d.id] = d
	return d.version
}

// refStats are the exact statistics of a collection.
type refStats struct {
	docs, length map[string]uint64
	df           map[string]uint64 // field + NUL + term
}

func (c refCollection) stats() refStats {
	s := refStats{map[string]uint64{}, map[string]uint64{}, map[string]uint64{}}
	for _, d := range c {
		for field, tokens := range d.text {
			if len(tokens) == 0 {
				continue
			}
			s.docs[field]++
			s.length[field] += uint64(len(tokens))
			for _, term := range distinct(tokens) {
				s.df[field+"\x00"+term]++
			}
		}
	}
	return s
}

func distinct(tokens []string) []string {
	sorted := slices.Clone(tokens)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

func (s refStats) idf(field, term string) float64 {
	n, df := float64(s.docs[field]), float64(s.df[field+"\x00"+term])
	return bm25.Ln(1 + (n-df+0.5)/(df+0.5))
}

// part is one term's or phrase's share of a score, in units of 2^-32.
func (s refStats) part(field string, boost, idf float64, tf, length int) int64 {
	if tf == 0 {
		return 0
	}
	w := float64(boost * idf)
	avgdl := float64(s.length[field]) / float64(s.docs[field])
	c1 := 0.9 / avgdl
	f := float64(tf)
	return int64(float64(4294967296*w) * (f / (f + (0.3 + float64(c1*float64(length))))))
}

// refQuery is a node of a query: how it is written, and what it does with a document.
type refQuery interface {
	String() string
	// eval tells whether a document matches under an enclosing boost, and its score.
	eval(s refStats, d *refDoc, boost float64) (bool, int64)
}

var defaultFields = []string{"title", "body"}

// fieldBoost is what the test's schema says.
func fieldBoost(field string) float64 {
	if field == "title" {
		return 2
	}
	return 1
}

// refWord is word, field:word, "a phrase" or field:"a phrase", with ^boost.
type refWord struct {
	field string // "": the default fields
	terms []string
	boost float64
}

func (q refWord) String() string {
	s := strings.Join(q.terms, " ")
	if len(q.terms) > 1 {
		s = `"` + s + `"`
	}
	if q.field != "" {
		s = q.field + ":" + s
	}
	if q.boost != 1 {
		s += "^" + strconv.FormatFloat(q.boost, 'g', -1, 64)
	}
	return s
}

func (q refWord) eval(s refStats, d *refDoc, boost float64) (bool, int64) {
	fields := defaultFields
	if q.field != "" {
		fields = []string{q.field}
	}
	matched, sum := false, int64(0)
	for _, field := range fields {
		tokens := d.text[field]
		tf := 0
		for at := 0; at+len(q.terms) <= len(tokens); at++ {
			if slices.Equal(tokens[at:at+len(q.terms)], q.terms) {
				tf++
			}
		}
		if tf == 0 {
			continue
		}
		matched = true
		idf := 0.0
		for _, term := range q.terms {
			idf += s.idf(field, term)
		}
		sum += s.part(field, float64(float64(boost*q.boost)*fieldBoost(field)), idf, tf, len(tokens))
	}
	return matched, sum
}

// refPattern is pref*, wi?d* or /reg.x/, over the default fields or the keyword.
type refPattern struct {
	field, text string // as written
	like        *regexp.Regexp
}

func (q refPattern) String() string {
	if q.field != "" {
		return q.field + ":" + q.text
	}
	return q.text
}

func (q refPattern) eval(_ refStats, d *refDoc, boost float64) (bool, int64) {
	if q.field != "" {
		v, ok := d.keyword[q.field]
		return constant(ok && q.like.MatchString(v), boost)
	}
	matched, sum := false, int64(0)
	for _, field := range defaultFields {
		if slices.ContainsFunc(d.text[field], q.like.MatchString) {
			_, score := constant(true, float64(boost*fieldBoost(field)))
			matched, sum = true, sum+score
		}
	}
	return matched, sum
}

// refFuzzy is field:word~edits.
type refFuzzy struct {
	field, word string
	edits       int
	boost       float64
}

func (q refFuzzy) String() string {
	return fmt.Sprintf("%s:%s~%d^%s", q.field, q.word, q.edits, strconv.FormatFloat(q.boost, 'g', -1, 64))
}

func (q refFuzzy) eval(s refStats, d *refDoc, boost float64) (bool, int64) {
	matched, best := false, int64(0)
	for _, term := range distinct(d.text[q.field]) {
		edits := alignment(q.word, term)
		if edits > q.edits {
			continue
		}
		tf := 0
		for _, token := range d.text[q.field] {
			if token == term {
				tf++
			}
		}
		score := s.part(q.field, float64(float64(boost*q.boost)*fieldBoost(q.field)), s.idf(q.field, term), tf, len(d.text[q.field]))
		if edits > 0 {
			factor := max(0, 1-float64(edits)/float64(len(q.word)))
			score = int64(float64(4294967296 * float64(float64(score)/4294967296*factor)))
		}
		matched, best = true, max(best, score)
	}
	return matched, best
}

// alignment is the optimal string alignment of two words of ASCII.
func alignment(a, b string) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range d[0] {
		d[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			d[i][j] = min(d[i-1][j], d[i][j-1]) + 1
			if cost := d[i-1][j-1]; a[i-1] == b[j-1] {
				d[i][j] = min(d[i][j], cost)
			} else {
				d[i][j] = min(d[i][j], cost+1)
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// refNear is field:"two words"~slop.
type refNear struct {
	field string
	terms [2]string
	slop  int
}

func (q refNear) String() string {
	return fmt.Sprintf(`%s:"%s %s"~%d`, q.field, q.terms[0], q.terms[1], q.slop)
}

func (q refNear) eval(s refStats, d *refDoc, boost float64) (bool, int64) {
	tokens, tf := d.text[q.field], 0
	for i, a := range tokens {
		for j, b := range tokens {
			if gap := j - 1 - i; a == q.terms[0] && b == q.terms[1] && i != j && max(gap, -gap) <= q.slop {
				tf++
				break
			}
		}
	}
	idf := s.idf(q.field, q.terms[0]) + s.idf(q.field, q.terms[1])
	return tf > 0, s.part(q.field, float64(boost*fieldBoost(q.field)), idf, tf, len(tokens))
}

// refKey is keyword:value.
type refKey struct{ field, value string }

func (q refKey) String() string { return q.field + ":" + q.value }

func (q refKey) eval(_ refStats, d *refDoc, boost float64) (bool, int64) {
	v, ok := d.keyword[q.field]
	return constant(ok && v == q.value, boost)
}

// refRange is field:[lo TO hi] on a long or a double.
type refRange struct {
	field        string
	lo, hi       float64
	incLo, incHi bool
}

func (q refRange) String() string {
	brackets := [2]string{"{", "}"}
	if q.incLo {
		brackets[0] = "["
	}
	if q.incHi {
		brackets[1] = "]"
	}
	return fmt.Sprintf("%s:%s%s TO %s%s", q.field, brackets[0], bound(q.lo), bound(q.hi), brackets[1])
}

func bound(v float64) string {
	if math.IsInf(v, 0) {
		return "*"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func (q refRange) eval(_ refStats, d *refDoc, boost float64) (bool, int64) {
	v, ok := d.double[q.field]
	if n, isLong := d.long[q.field]; isLong {
		v, ok = float64(n), true
	}
	above := v > q.lo || q.incLo && v == q.lo
	below := v < q.hi || q.incHi && v == q.hi
	return constant(ok && above && below, boost)
}

func constant(matched bool, boost float64) (bool, int64) {
	if !matched {
		return false, 0
	}
	return true, int64(float64(boost * 4294967296))
}

// refBool is clauses in parentheses: AND, OR, or with + and -.
type refBool struct {
	op      string // AND, OR, NOT (first AND NOT second), + (must the first, may the others, - the last)
	clauses []refQuery
	boost   float64
}

func (q refBool) String() string {
	var parts []string
	for i, c := range q.clauses {
		s := c.String()
		switch {
		case q.op == "+" && i == 0:
			s = "+" + s
		case q.op == "+" && i == len(q.clauses)-1:
			s = "-" + s
		}
		parts = append(parts, s)
	}
	join := map[string]string{"AND": " AND ", "OR": " OR ", "NOT": " AND NOT ", "+": " "}[q.op]
	s := "(" + strings.Join(parts, join) + ")"
	if q.boost != 1 {
		s += "^" + strconv.FormatFloat(q.boost, 'g', -1, 64)
	}
	return s
}

func (q refBool) eval(s refStats, d *refDoc, boost float64) (bool, int64) {
	boost = float64(boost * q.boost)
	hits, all, sum := 0, true, int64(0)
	matched := make([]bool, len(q.clauses))
	scores := make([]int64, len(q.clauses))
	for i, c := range q.clauses {
		matched[i], scores[i] = c.eval(s, d, boost)
		if matched[i] {
			hits++
			sum += scores[i]
		} else {
			all = false
		}
	}
	last := len(q.clauses) - 1
	switch q.op {
	case "AND":
		return all, pick(all, sum)
	case "OR":
		return hits > 0, sum
	case "NOT":
		return matched[0] && !matched[1], pick(matched[0] && !matched[1], scores[0])
	}
	ok := matched[0] && !matched[last]
	return ok, pick(ok, sum)
}

func pick(ok bool, score int64) int64 {
	if !ok {
		return 0
	}
	return score
}

// refAll is *.
type refAll struct{}

func (refAll) String() string { return "*" }

func (refAll) eval(_ refStats, _ *refDoc, boost float64) (bool, int64) { return constant(true, boost) }

// refHit is one hit.
type refHit struct {
	id     string
	score  int64
	source string
}

// refSort is one sort key.
type refSort struct {
	field string // _score, _id, or a field
	desc  bool
}

// search gives a page of the total order and the total.
func (c refCollection) search(q refQuery, filters []refQuery, sorts []refSort, from, limit int) ([]refHit, uint64) {
	s := c.stats()
	type ranked struct {
		doc   *refDoc
		score int64
	}
	var found []ranked
	for _, d := range c {
		ok, score := q.eval(s, d, 1)
		for _, f := range filters {
			pass, _ := f.eval(s, d, 1)
			ok = ok && pass
		}
		if ok {
			found = append(found, ranked{d, score})
		}
	}
	if len(sorts) == 0 {
		sorts = []refSort{{"_score", true}}
	}
	slices.SortFunc(found, func(a, b ranked) int {
		for _, key := range sorts {
			if order := key.compare(a.doc, b.doc, a.score, b.score); order != 0 {
				return order
			}
		}
		return cmp.Compare(a.doc.id, b.doc.id)
	})
	total := uint64(len(found))
	found = found[min(from, len(found)):min(from+limit, len(found))]
	hits := make([]refHit, len(found))
	for i, f := range found {
		hits[i] = refHit{f.doc.id, f.score, f.doc.source}
	}
	return hits, total
}

// compare orders two documents by one key; those without a value come last in both orders.
func (k refSort) compare(a, b *refDoc, scoreA, scoreB int64) int {
	order := 0
	switch k.field {
	case "_score":
		order = cmp.Compare(scoreA, scoreB)
	case "_id":
		order = cmp.Compare(a.id, b.id)
	default:
		va, okA := a.value(k.field)
		vb, okB := b.value(k.field)
		if !okA || !okB {
			return cmp.Compare(missing(okA), missing(okB))
		}
		order = va.compare(vb)
	}
	if k.desc {
		return -order
	}
	return order
}

func missing(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

type refValue struct {
	text   string
	long   int64
	double float64
}

func (v refValue) compare(o refValue) int {
	return cmp.Or(cmp.Compare(v.text, o.text), cmp.Compare(v.long, o.long), cmp.Compare(v.double, o.double))
}

func (d *refDoc) value(field string) (refValue, bool) {
	if v, ok := d.keyword[field]; ok {
		return refValue{text: v}, true
	}
	if v, ok := d.long[field]; ok {
		return refValue{long: v}, true
	}
	v, ok := d.double[field]
	return refValue{double: v}, ok
}

// sameJSON tells whether two texts are the same JSON, digit for digit.
func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}
