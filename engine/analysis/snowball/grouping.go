package snowball

import "unicode/utf8"

// A grouping is a set of characters from least to most: a bit for each. What is no UTF-8 is in no grouping and passed over by none.

func in(r rune, set []byte, least, most int32) bool {
	return r >= least && r <= most && set[(r-least)>>3]&(1<<((r-least)&7)) != 0
}

// next gives the character at the cursor; false at the limit and where it is no UTF-8.
func (env *Env) next() (rune, bool) {
	if env.Cursor >= env.Limit {
		return 0, false
	}
	if c := env.current[env.Cursor]; c < utf8.RuneSelf {
		return rune(c), true
	}
	r, _ := utf8.DecodeRune(env.current[env.Cursor:])
	return r, r != utf8.RuneError
}

// previous passes backwards over a character and gives it; false at the limit, where it stays, and where it is no UTF-8.
func (env *Env) previous() (rune, bool) {
	if env.Cursor <= env.LimitBackward {
		return 0, false
	}
	env.PrevChar()
	if c := env.current[env.Cursor]; c < utf8.RuneSelf {
		return rune(c), true
	}
	r, _ := utf8.DecodeRune(env.current[env.Cursor:])
	return r, r != utf8.RuneError
}

// InGrouping passes over a character of the set.
func (env *Env) InGrouping(set []byte, least, most int32) bool {
	r, ok := env.next()
	if !ok || !in(r, set, least, most) {
		return false
	}
	env.NextChar()
	return true
}

// OutGrouping passes over a character that is not of the set.
func (env *Env) OutGrouping(set []byte, least, most int32) bool {
	r, ok := env.next()
	if !ok || in(r, set, least, most) {
		return false
	}
	env.NextChar()
	return true
}

// GoInGrouping passes over all characters of the set, up to one that is not.
func (env *Env) GoInGrouping(set []byte, least, most int32) bool {
	for {
		r, ok := env.next()
		if !ok {
			return false
		}
		if !in(r, set, least, most) {
			return true
		}
		env.NextChar()
	}
}

// GoOutGrouping passes over all characters that are not of the set, up to one that is.
func (env *Env) GoOutGrouping(set []byte, least, most int32) bool {
	for {
		r, ok := env.next()
		if !ok {
			return false
		}
		if in(r, set, least, most) {
			return true
		}
		env.NextChar()
	}
}

// InGroupingB passes backwards over a character of the set.
func (env *Env) InGroupingB(set []byte, least, most int32) bool {
	from := env.Cursor
	r, ok := env.previous()
	if ok && !in(r, set, least, most) {
		env.Cursor = from
		return false
	}
	return ok
}

// OutGroupingB passes backwards over a character that is not of the set.
func (env *Env) OutGroupingB(set []byte, least, most int32) bool {
	from := env.Cursor
	r, ok := env.previous()
	if ok && in(r, set, least, most) {
		env.Cursor = from
		return false
	}
	return ok
}

// GoInGroupingB passes backwards over all characters of the set, up to one that is not.
func (env *Env) GoInGroupingB(set []byte, least, most int32) bool {
	for {
		from := env.Cursor
		r, ok := env.previous()
		if !ok {
			return false
		}
		if !in(r, set, least, most) {
			env.Cursor = from
			return true
		}
	}
}

// GoOutGroupingB passes backwards over all characters that are not of the set, up to one that is.
func (env *Env) GoOutGroupingB(set []byte, least, most int32) bool {
	for {
		from := env.Cursor
		r, ok := env.previous()
		if !ok {
			return false
		}
		if in(r, set, least, most) {
			env.Cursor = from
			return true
		}
	}
}
