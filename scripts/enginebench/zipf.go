package main

import (
	"bufio"
	"math"
	"math/rand/v2"
)

// The generated corpus: words by Zipf's law, of which some belong to a document's topic, so that words meet as they do in texts.
const (
	vocabulary  = 300_000
	topics      = 2_000
	topicWords  = 200
	ofTopic     = 0.3  // of a document's words
	meanLength  = 57.6 // words
	lengthSigma = 0.6  // of the logarithm
	shortest    = 5
	longest     = 1000
	topicMin    = 50 // the most frequent word that a topic can have
)

// generate writes documents by the fixed seed.
func generate(docs int, w *bufio.Writer) error {
	r := rand.New(rand.NewPCG(4, 1))
	words := make([][]byte, vocabulary)
	for i := range words {
		words[i] = appendWord(nil, i)
	}
	background := newAlias(zipfWeights(vocabulary))
	within := newAlias(zipfWeights(topicWords))
	ofTopics := make([][topicWords]int32, topics)
	for t := range ofTopics {
		for i := range ofTopics[t] {
			ofTopics[t][i] = int32(logUniform(r, topicMin, vocabulary))
		}
	}
	mu := math.Log(meanLength) - lengthSigma*lengthSigma/2
	var text, line []byte
	for doc := range docs {
		topic := &ofTopics[r.IntN(topics)]
		length := min(max(int(math.Exp(mu+lengthSigma*r.NormFloat64())), shortest), longest)
		text = text[:0]
		for range length {
			word := background.draw(r)
			if r.Float64() < ofTopic {
				word = int(topic[within.draw(r)])
			}
			text = append(append(text, words[word]...), ' ')
		}
		line = appendDoc(line[:0], doc, text[:len(text)-1])
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// appendWord appends the word of a rank: syllables that write it in base 100.
func appendWord(dst []byte, rank int) []byte {
	const consonants, vowels = "bcdfghjklmnpqrstvwxz", "aeiou"
	if rank >= 100 {
		dst = appendWord(dst, rank/100)
	}
	return append(dst, consonants[rank%100/5], vowels[rank%5])
}

func zipfWeights(n int) []float64 {
	w := make([]float64, n)
	for i := range w {
		w[i] = 1 / (float64(i) + 2.7)
	}
	return w
}

// logUniform draws a number from from on and below to whose logarithm is spread evenly.
func logUniform(r *rand.Rand, from, to int) int {
	return min(int(float64(from)*math.Pow(float64(to)/float64(from), r.Float64())), to-1)
}

// alias draws numbers by weights in constant time (Vose's method).
type alias struct {
	keep  []float64
	other []int32
}

func newAlias(weights []float64) *alias {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	a := &alias{make([]float64, len(weights)), make([]int32, len(weights))}
	var small, large []int32
	for i, w := range weights {
		a.keep[i], a.other[i] = w/total*float64(len(weights)), int32(i)
		if a.keep[i] < 1 {
			small = append(small, int32(i))
		} else {
			large = append(large, int32(i))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		s, l := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		a.other[s] = l
		if a.keep[l] -= 1 - a.keep[s]; a.keep[l] < 1 {
			large = large[:len(large)-1]
			small = append(small, l)
		}
	}
	for _, i := range append(small, large...) {
		a.keep[i] = 1
	}
	return a
}

func (a *alias) draw(r *rand.Rand) int {
	i := r.IntN(len(a.keep))
	if r.Float64() < a.keep[i] {
		return i
	}
	return int(a.other[i])
}
