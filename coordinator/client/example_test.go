package client_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A write that was answered is seen by the next search. Here the cluster runs in this process; a client of any other is made over nats.Connect(URL).
func Example() {
	dir, err := os.MkdirTemp("", "jetseek")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	db, err := embedded.Open(dir, embedded.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()

	ctx := context.Background()
	c, err := client.New(db.Conn(), client.Options{})
	if err != nil {
		log.Fatal(err)
	}
	wrote, err := c.Index(ctx, "default", []byte(`{"id":"1","title":"The Go programming language"}`), client.WriteOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(wrote.Outcome, "version", wrote.Version, "visible", wrote.Visible)

	found, err := c.Search(ctx, "default", wire.NewSearch("title:programming"))
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range found.Hits {
		fmt.Println(hit.ID, string(hit.Source), "exact", found.Exact)
	}
	// Output:
	// created version 1 visible true
	// 1 {"id":"1","title":"The Go programming language"} exact true
}
