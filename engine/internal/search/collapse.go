package search

import (
	"encoding/binary"
	"math"
	"strings"

	"github.com/jetseek/jetseek/engine/query"
)

// firsts are the values that the documents kept stand for: of each value the first document alone is kept. Whatever comes behind the worst that is kept can be forgotten, also with
// its value: if a document of it comes before that one, it is the first of its value among all that could be kept.
type firsts struct {
	slots  map[string]int32 // where the document of a value is kept
	values []string         // by slot; "" for a document without one
	places []int32          // by slot: in the heap
	buf    []byte
}

// valueOf gives a value as a key of the map, "" for none. A string is a view until the next call.
func (f *firsts) valueOf(k *query.Key) string {
	f.buf = append(f.buf[:0], byte(k.Kind))
	switch k.Kind {
	case query.KeyMissing:
		return ""
	case query.KeyInt:
		f.buf = binary.LittleEndian.AppendUint64(f.buf, uint64(k.Int))
	case query.KeyFloat:
		f.buf = binary.LittleEndian.AppendUint64(f.buf, math.Float64bits(k.Float))
	case query.KeyString:
		f.buf = append(f.buf, k.Str...)
	}
	return view(f.buf)
}

// push notes the value of the next slot.
func (f *firsts) push(value string) {
	f.values, f.places = append(f.values, ""), append(f.places, int32(len(f.places)))
	f.replace(int32(len(f.values)-1), value)
}

// replace notes another value for a slot.
func (f *firsts) replace(slot int32, value string) {
	if old := f.values[slot]; old != "" {
		delete(f.slots, old)
	}
	value = strings.Clone(value)
	if f.values[slot] = value; value != "" {
		f.slots[value] = slot
	}
}

// improve lets a document, whose keys are in next, stand for its value if it comes before the one that does.
func (c *collector) improve(slot int32, e entry) {
	at := int(c.firsts.places[slot])
	if kept := &c.heap[at]; c.compare(c.next, &e, c.keysOf(kept), kept) < 0 {
		e.slot = slot
		c.put(at, e)
	}
}
