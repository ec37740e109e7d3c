package query_test

import (
	"fmt"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// A query goes from text to weighted leaves: parsed, resolved against a schema, asked about, weighed.
func Example() {
	s, err := schema.Parse([]byte(`{"fields":{"title":{"type":"text","boost":2},"year":{"type":"long"}}}`))
	if err != nil {
		panic(err)
	}
	parsed, err := query.Parse(`+compiler year:>=2000`, query.Options{})
	if err != nil {
		panic(err)
	}
	resolved, err := query.Resolve(parsed, s, false)
	if err != nil {
		panic(err)
	}
	leaves := query.Leaves(resolved)
	fields, terms := query.Question(leaves)
	fmt.Println(query.String(parsed), "asks for", fields, terms)

	answer := bm25.Stats{Fields: []bm25.FieldStats{{Docs: 100, TotalLen: 900}}, DF: []uint64{7}}
	weights, err := query.Weigh(leaves, fields, terms, answer)
	if err != nil {
		panic(err)
	}
	fmt.Printf("w %.4f c1 %.4f\n", weights[0].W, weights[0].C1)
	// Output:
	// +compiler year:[2000 TO *} asks for [title] [{title compiler}]
	// w 5.2004 c1 0.1000
}
