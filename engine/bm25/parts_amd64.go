package bm25

import "golang.org/x/sys/cpu"

// parts8 sets dst to what [Part] gives for frequencies and lengths, eight at a time, with AVX-512: the same operations, each rounded by itself, give the same bits.
//
//go:noescape
func parts8(dst *int64, freqs, lengths *uint32, eights int, w *Weight)

// fewForVector is up to how many parts are done as fast one by one: lengths written just before cannot be read eight at a time without a wait.
const fewForVector = 48

// vector does as many parts as the processor has instructions for, and gives how many it did.
func (w *Weight) vector(dst []int64, docs, freqs []uint32, l *Lengths) int {
	if len(docs) < fewForVector || !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512DQ {
		return 0
	}
	var lengths [128]uint32
	done := 0
	for n := min(len(docs), len(lengths)) &^ 7; n > 0; n = min(len(docs)-done, len(lengths)) &^ 7 {
		l.Fill(lengths[:n], docs[done:done+n])
		parts8(&dst[done], &freqs[done], &lengths[0], n/8, w)
		done += n
	}
	return done
}
