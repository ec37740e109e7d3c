package main

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/analysis/lang/de"
	"github.com/blevesearch/bleve/v2/analysis/lang/en"
	"github.com/blevesearch/bleve/v2/registry"
	"github.com/blevesearch/bleve/v2/search/query"

	ours "github.com/jetseek/jetseek/engine/analysis"
	ourquery "github.com/jetseek/jetseek/engine/query"
)

// texts gives up to 8 MB of text: descriptions of Debian's packages where they are found, else sentences of the package's own.
func texts(b *testing.B) (all []string, size int) {
	b.Helper()
	add := func(text string) bool {
		all = append(all, text)
		size += len(text)
		return size < 8<<20
	}
	f, err := os.Open(filepath.Join(cmp.Or(os.Getenv("JETSEEK_SHARED"), filepath.Join("..", "..", "..", "shared")), "data", "judged", "debian", "corpus.jsonl.gz"))
	if err != nil {
		b.Logf("made text, since there are no descriptions of packages (JETSEEK_SHARED says where): %v", err)
		for n := 0; add(fmt.Sprintf("The %dth package provides documentation, examples and libraries (development files) for building programs with version %d.%d of it.", n, n%9, n%7)); n++ {
		}
		return all, size
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	var doc struct{ Body string }
	for lines := json.NewDecoder(z); ; {
		if err := lines.Decode(&doc); err != nil && !errors.Is(err, io.EOF) {
			b.Fatal(err)
		} else if err != nil || !add(doc.Body) {
			return all, size
		}
	}
}

// Text analysed by our analyzers and by bleve's of the same name: tokens with positions and offsets.
func BenchmarkAnalysis(b *testing.B) {
	all, size := texts(b)
	cache := registry.NewCache()
	for _, one := range []struct{ name, bleve string }{{"standard", standard.Name}, {"english", en.AnalyzerName}, {"german", de.AnalyzerName}} {
		analyzer, ok := ours.ByName(one.name)
		if !ok {
			b.Fatalf("no analyzer %s", one.name)
		}
		b.Run(one.name+"/jetseek", func(b *testing.B) {
			b.SetBytes(int64(size))
			var tokens []ours.Token
			for b.Loop() {
				for _, text := range all {
					tokens = analyzer.Analyze(tokens[:0], text)
				}
			}
		})
		peer, err := cache.AnalyzerNamed(one.bleve)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(one.name+"/bleve", func(b *testing.B) {
			b.SetBytes(int64(size))
			var tokens analysis.TokenStream
			for b.Loop() {
				for _, text := range all {
					tokens = peer.Analyze([]byte(text))
				}
			}
			_ = tokens
		})
	}
}

// A query of the kind that people type, parsed by both.
func BenchmarkQueryParser(b *testing.B) {
	const q = `+title:compiler "garbage collector"~2 (go OR rust^2.5) -year:[1990 TO 2000] conc* fuzy~1`
	b.Run("jetseek", func(b *testing.B) {
		b.SetBytes(int64(len(q)))
		for b.Loop() {
			if _, err := ourquery.Parse(q, ourquery.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	bleves := strings.NewReplacer("(", "", ")", "", " OR", "", "~2 ", " ", "[1990 TO 2000]", ">1990").Replace(q) // its syntax has no parentheses, slop or closed ranges
	b.Run("bleve", func(b *testing.B) {
		b.SetBytes(int64(len(bleves)))
		for b.Loop() {
			if _, err := query.NewQueryStringQuery(bleves).Parse(); err != nil {
				b.Fatal(err)
			}
		}
	})
}
