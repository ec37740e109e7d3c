package schema_test

import (
	"fmt"

	"github.com/jetseek/jetseek/engine/schema"
)

func ExampleSchema_Decode() {
	s, err := schema.Parse([]byte(`{"fields":{"title":{"type":"text"},"tags":{"type":"keyword"}}}`))
	if err != nil {
		panic(err)
	}
	doc, added, err := s.Decode([]byte(`{"id":7,"title":"Maps","tags":["go","data"],"size":{"bytes":512}}`))
	if err != nil {
		panic(err)
	}
	fmt.Println("id", doc.ID)
	for _, v := range doc.Values {
		fmt.Println(v.Field.Name, v.Field.Type, v.Strings, v.Ints)
	}
	fmt.Println("adds", added[0].Name)
	// Output:
	// id 7
	// size.bytes long [] [512]
	// tags keyword [go data] []
	// title text [Maps] []
	// adds size.bytes
}
