package snowball

// FindAmong passes over the longest entry of a table that stands at the cursor and whose condition holds, and gives its result; 0: there is none.
func (env *Env) FindAmong(table []*Among, ctx any) int32 {
	low, high := 0, len(table)
	commonLow, commonHigh := 0, 0 // bytes that are known to be the same as in the entries at low and high
	for first := true; ; {
		middle := low + (high-low)/2
		common, diff := min(commonLow, commonHigh), 0
		entry := table[middle].Str
		for common < len(entry) {
			if env.Cursor+common == env.Limit {
				diff = -1
				break
			}
			if diff = int(env.current[env.Cursor+common]) - int(entry[common]); diff != 0 {
				break
			}
			common++
		}
		if diff < 0 {
			high, commonHigh = middle, common
		} else {
			low, commonLow = middle, common
		}
		if high-low <= 1 {
			if low > 0 || high == low || !first {
				break
			}
			first = false
		}
	}
	return env.longest(table, low, commonLow, 1, ctx)
}

// FindAmongB is [Env.FindAmong] backwards.
func (env *Env) FindAmongB(table []*Among, ctx any) int32 {
	low, high := 0, len(table)
	commonLow, commonHigh := 0, 0
	for first := true; ; {
		middle := low + (high-low)/2
		common, diff := min(commonLow, commonHigh), 0
		entry := table[middle].Str
		for common < len(entry) {
			if env.Cursor-common == env.LimitBackward {
				diff = -1
				break
			}
			if diff = int(env.current[env.Cursor-1-common]) - int(entry[len(entry)-1-common]); diff != 0 {
				break
			}
			common++
		}
		if diff < 0 {
			high, commonHigh = middle, common
		} else {
			low, commonLow = middle, common
		}
		if high-low <= 1 {
			if low > 0 || high == low || !first {
				break
			}
			first = false
		}
	}
	return env.longest(table, low, commonLow, -1, ctx)
}

// longest goes from the entry that the search ended at, of which so many bytes are in the word, to shorter ones until one is there whole and may be taken.
func (env *Env) longest(table []*Among, at, common, direction int, ctx any) int32 {
	from := env.Cursor
	for at >= 0 {
		entry := table[at]
		if common >= len(entry.Str) {
			env.Cursor = from + direction*len(entry.Str)
			if entry.F == nil {
				return entry.B
			}
			if entry.F(env, ctx) {
				env.Cursor = from + direction*len(entry.Str)
				return entry.B
			}
		}
		at = int(entry.A)
	}
	return 0
}
