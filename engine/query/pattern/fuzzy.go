package pattern

import "slices"

// MaxEdits is the greatest edit distance of [Fuzzy].
const MaxEdits = 2

// Fuzzy compiles a word that matches terms at most so many edits, up to [MaxEdits], away: a character put in, left out or replaced, or two neighbours exchanged, no part
// being edited twice (the optimal string alignment). The first prefix characters must agree.
func Fuzzy(word string, edits, prefix int) *Automaton {
	return newAutomaton(newBands(word, edits, prefix))
}

// Distance measures how many edits lie between a word and terms, for those that its [Fuzzy] matches.
type Distance struct{ bands bands }

// NewDistance makes the measure of a word. It serves one goroutine.
func NewDistance(word string, edits int) *Distance { return &Distance{*newBands(word, edits, 0)} }

// Of gives the distance of a term; false when it is above the edits allowed.
func (d *Distance) Of(term string) (int, bool) {
	row := d.bands.first()
	for _, r := range term {
		var alive bool
		if row, alive = d.bands.next(row, r); !alive {
			return 0, false
		}
	}
	return d.bands.distance(row)
}

// bands is the machine of a fuzzy word: a state is the part around the diagonal of the last two rows of the table of distances between what came of a term and
// the beginnings of the word.
type bands struct {
	word          []rune
	edits, prefix int

	states  []band // the first is dead
	numbers map[band]int
}

// band has for word[:chars-edits+i] its distances at i.
type band struct {
	chars       int32 // of the term, so far
	now, before [2*MaxEdits + 1]uint8
	last        rune // the last of them, where it may be exchanged with the next, else -1
}

func newBands(word string, edits, prefix int) *bands {
	return &bands{word: []rune(word), edits: min(edits, MaxEdits), prefix: prefix}
}

func (b *bands) forget() {
	b.states, b.numbers = append(b.states[:0], band{}), map[band]int{}
}

func (b *bands) size() int { return 100 * len(b.states) }

// far stands for every distance above those allowed.
func (b *bands) far() uint8 { return uint8(b.edits + 1) }

// first gives the row before any character.
func (b *bands) first() band {
	row := band{last: -1}
	for i := range row.now {
		row.now[i], row.before[i] = b.far(), b.far()
		if j := i - b.edits; i <= 2*b.edits && j >= 0 && j <= len(b.word) {
			row.now[i] = uint8(min(j, b.edits+1))
		}
	}
	return row
}

// next gives the row behind one more character, and whether any distance in it is allowed.
func (b *bands) next(row band, r rune) (band, bool) {
	chars := int(row.chars) + 1
	if chars <= b.prefix && (chars > len(b.word) || b.word[chars-1] != r) {
		return band{}, false
	}
	after := band{chars: int32(chars), before: row.now, last: -1}
	alive := false
	for i := range after.now {
		j := chars - b.edits + i
		least := b.far()
		if i > 2*b.edits || j < 0 || j > len(b.word) {
			after.now[i] = least
			continue
		}
		if i+1 <= 2*b.edits {
			least = min(least, row.now[i+1]+1) // put in
		}
		if j > 0 {
			if i > 0 {
				least = min(least, after.now[i-1]+1) // left out
			}
			replaced := row.now[i]
			if b.word[j-1] != r {
				replaced++
			}
			least = min(least, replaced)
			if j > 1 && row.last >= 0 && b.word[j-1] == row.last && b.word[j-2] == r {
				least = min(least, row.before[i]+1) // exchanged
			}
		}
		after.now[i] = least
		alive = alive || least <= uint8(b.edits)
	}
	if b.near(chars, r) {
		after.last = r
	} else {
		after.before = [2*MaxEdits + 1]uint8{}
	}
	return after, alive
}

// near tells whether a character stands in the word where the next row can look.
func (b *bands) near(chars int, r rune) bool { return slices.Contains(b.window(chars), r) }

// window gives the characters of the word that the row behind so many characters is held against.
func (b *bands) window(chars int) []rune {
	from, to := max(chars-b.edits, 0), min(chars+b.edits+1, len(b.word))
	return b.word[min(from, to):to]
}

// distance gives that of the whole word.
func (b *bands) distance(row band) (int, bool) {
	i := len(b.word) - int(row.chars) + b.edits
	if i < 0 || i > 2*b.edits || row.now[i] > uint8(b.edits) {
		return 0, false
	}
	return int(row.now[i]), true
}

func (b *bands) start() int { return b.number(b.first()) }

func (b *bands) step(state int, r rune) int {
	row, alive := b.next(b.states[state], r)
	if !alive {
		return dead
	}
	return b.number(row)
}

func (b *bands) accepts(state int) bool {
	row := b.states[state]
	_, near := b.distance(row)
	return near && int(row.chars) >= min(b.prefix, len(b.word))
}

func (b *bands) meets(state int, lo, hi rune) bool {
	row := b.states[state]
	if _, alive := b.next(row, -1); alive {
		return true // whatever the character is
	}
	for _, r := range b.window(int(row.chars)) {
		if _, alive := b.next(row, r); lo <= r && r <= hi && alive {
			return true
		}
	}
	return false
}

func (b *bands) number(row band) int {
	if n, ok := b.numbers[row]; ok {
		return n
	}
	n := len(b.states)
	b.states = append(b.states, row)
	b.numbers[row] = n
	return n
}
