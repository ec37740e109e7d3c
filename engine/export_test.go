package engine

// Overflowing gives options of an index whose merges keep no more than some bytes of each list of a field in memory.
func (o Options) Overflowing(bytes int) Options {
	o.overflowBytes = bytes
	return o
}
