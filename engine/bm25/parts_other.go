//go:build !amd64

package bm25

// vector does no parts: there are no instructions for several at a time.
func (w *Weight) vector([]int64, []uint32, []uint32, *Lengths) int { return 0 }
