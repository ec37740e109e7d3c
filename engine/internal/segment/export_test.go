package segment

// Edited is edited for tests of packages that search segments.
func Edited(good, edits []byte) ([]byte, bool) { return edited(good, edits) }
