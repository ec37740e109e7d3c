package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// corpus is what both systems hold and are asked.
type corpus struct {
	name    string
	docs    [][]byte
	queries []string
}

// schemaOf is the collection's: packages have a section, made documents the same fields.
const schemaOf = `{"fields":{"title":{"type":"text"},"body":{"type":"text"},"section":{"type":"keyword"},"size":{"type":"long"},"weight":{"type":"double"}},"dynamic":false,"default_fields":["title","body"]}`

// packages reads the descriptions of Debian's packages, at most so many documents and queries.
func packages(folder string, docs, queries int) (*corpus, error) {
	c := &corpus{name: "debian"}
	err := lines(filepath.Join(folder, "corpus.jsonl.gz"), func(line []byte) error {
		var d map[string]any
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		doc, err := json.Marshal(map[string]any{"id": d["id"], "title": d["title"], "body": d["body"], "section": d["section"], "size": d["installed_size_kb"], "weight": kilobytes(d["size_bytes"])})
		if c.docs = append(c.docs, doc); err == nil && len(c.docs) == docs {
			err = errEnough
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, lines(filepath.Join(folder, "queries.tsv.gz"), func(line []byte) error {
		_, text, _ := strings.Cut(string(line), "\t")
		words := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(` "'()[]{}:/\^~*?+-!&|<>,;’`, r) })
		if len(words) == 0 {
			return nil
		}
		if c.queries = append(c.queries, strings.ToLower(strings.Join(words[:min(len(words), 5)], " "))); len(c.queries) == queries {
			return errEnough
		}
		return nil
	})
}

func kilobytes(bytes any) any {
	n, ok := bytes.(float64)
	if !ok {
		return nil
	}
	return n / 1000
}

// made makes documents of words that are spread as words are (Zipf), from a fixed seed.
func made(docs, queries int) *corpus {
	c := &corpus{name: "made"}
	r := rand.New(rand.NewPCG(1, 2))
	word := func() string { return fmt.Sprintf("w%d", int(math.Pow(20_000, r.Float64()))) }
	words := func(n int) string {
		all := make([]string, n)
		for i := range all {
			all[i] = word()
		}
		return strings.Join(all, " ")
	}
	for i := range docs {
		c.docs = append(c.docs, fmt.Appendf(nil, `{"id":"d%d","title":%q,"body":%q,"section":"s%d","size":%d,"weight":%g}`,
			i, words(1+r.IntN(8)), words(5+r.IntN(60)), r.IntN(40), i*7919%1000, float64(i%97)/7))
	}
	for range queries {
		c.queries = append(c.queries, words(1+r.IntN(5)))
	}
	return c
}

var errEnough = errors.New("enough")

// lines calls f for each line of a compressed file, until it gives an error; enough is none.
func lines(file string, f func([]byte) error) error {
	opened, err := os.Open(file)
	if err != nil {
		return err
	}
	defer opened.Close()
	z, err := gzip.NewReader(opened)
	if err != nil {
		return err
	}
	scanner := bufio.NewScanner(z)
	scanner.Buffer(nil, 64<<20)
	for scanner.Scan() {
		if err := f(scanner.Bytes()); err == errEnough {
			return nil
		} else if err != nil {
			return err
		}
	}
	return scanner.Err()
}
