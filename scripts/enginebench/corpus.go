package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
)

// tags is how many values the field tag has: a filter by one of them lets a tenth of the documents through.
const tags = 10

// deletedIn is how many documents one is deleted of.
const deletedIn = 20

// mix scrambles a number (splitmix64): what documents get by it is spread evenly, whatever their order.
func mix(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

func tagOf(doc int) string { return "t" + strconv.FormatUint(mix(uint64(doc))%tags, 10) }

// deleted tells whether a document is deleted once all are indexed.
func deleted(doc int) bool { return mix(uint64(doc)+1<<32)%deletedIn == 0 }

// document is one line of the docs file; its bytes hold until the next one.
type document struct {
	number int
	tag    []byte
	words  []byte
}

// documents reads the docs file of a folder. The error is that of reading; nothing follows it.
func documents(folder string) iter.Seq2[document, error] {
	return func(yield func(document, error) bool) {
		f, err := os.Open(filepath.Join(folder, "docs"))
		if err != nil {
			yield(document{}, err)
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(make([]byte, 1<<20), 64<<20)
		for n := 0; lines.Scan(); n++ {
			tag, words, _ := bytes.Cut(lines.Bytes(), []byte{'\t'})
			if !yield(document{n, tag, words}, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(document{}, fmt.Errorf("read documents: %w", err))
		}
	}
}

// writeFile makes a file whole or not at all.
func writeFile(path string, write func(*bufio.Writer) error) error {
	f, err := os.Create(path + ".part")
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = write(w)
	if err == nil {
		err = w.Flush()
	}
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// appendDoc appends a line of the docs file.
func appendDoc(line []byte, doc int, words []byte) []byte {
	line = append(line, tagOf(doc)...)
	line = append(line, '\t')
	line = append(line, words...)
	return append(line, '\n')
}

// convertJSON makes the docs file of documents in JSON, one a line and packed by gzip, of which it takes the words of "body".
func convertJSON(path string, most int, w *bufio.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	var words, line []byte
	each := json.NewDecoder(unpacked)
	for n := 0; n < most; n++ {
		var doc struct {
			Body string `json:"body"`
		}
		if err := each.Decode(&doc); err == io.EOF {
			break
		} else if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		words = appendWords(words[:0], doc.Body)
		line = appendDoc(line[:0], n, words)
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// appendWords appends the runs of ASCII letters and digits of a text in lower case, cut to longestWord, with a blank between two. All else parts words, so that every
// engine's own way to find words gives the same.
func appendWords(dst []byte, text string) []byte {
	const longestWord = 100
	start, length := len(dst), 0
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
			length = 0
			continue
		}
		if length == 0 && len(dst) > start {
			dst = append(dst, ' ')
		}
		if length++; length <= longestWord {
			dst = append(dst, c)
		}
	}
	return dst
}
