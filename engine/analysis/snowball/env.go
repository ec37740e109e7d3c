// Package snowball is what the stemmers below it run on: one package a language, generated from the algorithms of the Snowball project
// (https://snowballstem.org, 3-clause BSD, see COPYING) by its own compiler. scripts/snowball makes them anew. It imports nothing of the project.
//
// An [Env] holds a word while the Stem function of a language works on it. This runtime does what the project's own for Go does, on a buffer that is kept
// from word to word: the other makes a new string at every replacement.
package snowball

import "unicode/utf8"

// Env is the word that a stemmer works on. Its exported fields are the state of the algorithm, in bytes of the word, and not for others.
type Env struct {
	Cursor, Limit, LimitBackward int
	Bra, Ket                     int // the slice that is replaced
	current                      []byte
}

// Among is one entry of a sorted table of endings.
type Among struct {
	Str string
	A   int32 // the entry that is the longest proper ending or beginning of this one, -1: none
	B   int32 // result
	F   func(env *Env, ctx any) bool
}

// Stem gives what the algorithm makes of a word. It may share memory with the word.
func (env *Env) Stem(word string, algorithm func(*Env) bool) string {
	env.current = append(env.current[:0], word...)
	env.Cursor, env.Limit, env.LimitBackward, env.Bra, env.Ket = 0, len(word), 0, 0, 0
	algorithm(env)
	if n := len(env.current); n <= len(word) && word[:n] == string(env.current) {
		return word[:n] // most stems are the beginning of their word and need no copy
	}
	return string(env.current)
}

// RuneCount gives the length of the word in characters.
func (env *Env) RuneCount() int { return utf8.RuneCount(env.current) }

// SliceTo gives the slice.
func (env *Env) SliceTo() string { return string(env.current[env.Bra:env.Ket]) }

// SliceFrom replaces the slice.
func (env *Env) SliceFrom(s string) {
	bra := env.Bra
	env.replace(bra, env.Ket, s)
	env.Ket = bra + len(s)
}

// SliceDel deletes the slice.
func (env *Env) SliceDel() { env.SliceFrom("") }

// Insert replaces what lies between two places, and keeps the slice where it was.
func (env *Env) Insert(bra, ket int, s string) {
	grown := env.replace(bra, ket, s)
	if bra <= env.Bra {
		env.Bra += grown
	}
	if bra <= env.Ket {
		env.Ket += grown
	}
}

// replace puts s where current[bra:ket] is, and gives by how much the word has grown.
func (env *Env) replace(bra, ket int, s string) int {
	end := max(bra, ket)
	grown := len(s) - (ket - bra)
	old := len(env.current)
	if more := len(s) - (end - bra); more > 0 {
		env.current = append(env.current, make([]byte, more)...)
	}
	moved := copy(env.current[bra+len(s):], env.current[end:old])
	copy(env.current[bra:], s)
	env.current = env.current[:bra+len(s)+moved]
	env.Limit += grown
	if env.Cursor >= ket {
		env.Cursor += grown
	} else if env.Cursor > bra {
		env.Cursor = bra
	}
	return grown
}

// EqS passes over s.
func (env *Env) EqS(s string) bool {
	if env.Cursor >= env.Limit || len(env.current)-env.Cursor < len(s) || string(env.current[env.Cursor:env.Cursor+len(s)]) != s {
		return false
	}
	env.Cursor = env.boundary(env.Cursor + len(s))
	return true
}

// EqSB passes backwards over s.
func (env *Env) EqSB(s string) bool {
	at := env.Cursor - len(s)
	if at < env.LimitBackward || string(env.current[at:env.Cursor]) != s || env.boundary(at) != at {
		return false
	}
	env.Cursor = at
	return true
}

// boundary gives the first place at or behind one that is between two characters.
func (env *Env) boundary(at int) int {
	for at > 0 && at < len(env.current) && !utf8.RuneStart(env.current[at]) {
		at++
	}
	return at
}

// NextChar passes over a character.
func (env *Env) NextChar() { env.Cursor = env.boundary(env.Cursor + 1) }

// PrevChar passes backwards over a character.
func (env *Env) PrevChar() {
	env.Cursor--
	for env.Cursor > 0 && env.Cursor < len(env.current) && !utf8.RuneStart(env.current[env.Cursor]) {
		env.Cursor--
	}
}

// Hop passes over n characters, or none where there are fewer.
func (env *Env) Hop(n int) bool {
	at := env.Cursor
	for ; n > 0; n-- {
		if at >= env.Limit {
			return false
		}
		at = min(env.boundary(at+1), env.Limit)
	}
	env.Cursor = at
	return true
}

// HopBack passes backwards over n characters, or none where there are fewer.
func (env *Env) HopBack(n int) bool {
	at := env.Cursor
	for ; n > 0; n-- {
		if at <= env.LimitBackward {
			return false
		}
		at--
		for at > env.LimitBackward && at < len(env.current) && !utf8.RuneStart(env.current[at]) {
			at--
		}
	}
	env.Cursor = at
	return true
}
