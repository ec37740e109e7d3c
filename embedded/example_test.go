package embedded_test

import (
	"context"
	"fmt"
	"os"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A whole search system inside a program: three groups of two members, and a search that sees what was written before it.
func Example() {
	dir, err := os.MkdirTemp("", "jetseek-example-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	db, err := embedded.Open(dir, embedded.Options{Groups: 3, Members: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer db.Close()

	ctx := context.Background()
	for _, document := range []string{
		`{"id":"1","title":"Dune","year":1965}`,
		`{"id":"2","title":"Children of Dune","year":1976}`,
		`{"id":"3","title":"Solaris","year":1961}`,
	} {
		if _, err := db.Client().Index(ctx, "default", []byte(document), client.WriteOptions{}); err != nil {
			fmt.Println(err)
			return
		}
	}
	found, err := db.Client().Search(ctx, "default", wire.NewSearch("dune AND year:<1970"))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, hit := range found.Hits {
		fmt.Printf("%s %s\n", hit.ID, hit.Source)
	}
	fmt.Println(found.Total.Value, "found, exact:", found.Exact)
	// Output:
	// 1 {"id":"1","title":"Dune","year":1965}
	// 1 found, exact: true
}
