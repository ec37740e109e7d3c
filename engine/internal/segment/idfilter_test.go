package segment

import (
	"fmt"
	"testing"
)

// A filter lacks no id that is there, and most of those that are not, however many there are.
func TestIDFilter(t *testing.T) {
	for _, docs := range []int{1, 2, 3, 50, 500, 20_000} {
		var b Builder
		b.Reset(7)
		id := func(i int) string { return fmt.Sprintf("id-%d", i) }
		for i := range docs {
			b.Add(id(i), HashID(id(i)), State{Version: 1}, []byte("{}"))
		}
		s, _, err := b.Cut(0, b.Docs())
		if err != nil {
			t.Fatal(err)
		}
		for i := range docs {
			if doc, ok := s.Find(id(i), HashID(id(i))); !ok || doc != uint32(i) {
				t.Fatalf("%d documents: %s is %d, %t", docs, id(i), doc, ok)
			}
		}
		const strangers = 20_000
		passed := 0
		for i := range strangers {
			hash := HashID(id(docs + i))
			if _, ok := s.Find(id(docs+i), hash); ok {
				t.Fatalf("%d documents: found %s", docs, id(docs+i))
			}
			if !s.filter.lacks(hash) {
				passed++
			}
		}
		if passed > strangers/40 {
			t.Errorf("%d documents: %d of %d other ids pass the filter", docs, passed, strangers)
		}
	}
	if (idFilter)(nil).lacks(HashID("a")) {
		t.Error("no filter lacks an id")
	}
}
