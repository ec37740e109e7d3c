package factor

// Named gives the modifier, shape, pick, mode or boost of a name.
func Named[T interface {
	~uint8
	Name() string
}](name string) (T, bool) {
	for t := T(0); t.Name() != ""; t++ {
		if t.Name() == name {
			return t, true
		}
	}
	return 0, false
}
