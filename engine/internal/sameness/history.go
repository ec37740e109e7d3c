package sameness

import (
	"fmt"
	"math"
	"strings"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/schema"
)

const (
	documents  = 6000 // lists of frequent words then have blocks, runs of blocks, and tails
	operations = 9000 // a third of which write again or delete
	perMessage = 20
	words      = 3000
	collection = schema.Incarnation(1)
)

// chance is splitmix64: the same numbers everywhere.
type chance uint64

func (c *chance) next() uint64 {
	*c += 0x9e3779b97f4a7c15
	z := uint64(*c)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below gives a number under n.
func (c *chance) below(n int) int { return int(c.next() % uint64(n)) }

// rank gives a number under n, small ones more often, as the ranks of words are: its bound doubles by chance. Powers of floating-point numbers are not the
// same everywhere.
func (c *chance) rank(n int) int {
	top := 1
	for top < n && c.below(12) > 0 {
		top *= 2
	}
	return c.below(min(top, n))
}

func (c *chance) word() string { return fmt.Sprintf("w%d", c.rank(words)) }

func (c *chance) text(n int) string {
	list := make([]string, 1+c.below(n))
	for i := range list {
		list[i] = c.word()
	}
	return strings.Join(list, " ")
}

func (c *chance) body() []byte {
	price := float64(c.below(1<<20)) / 8 * math.Pow10(c.below(3)-1)
	return fmt.Appendf(nil, `{"title":%q,"body":[%q,%q],"tag":["t%d","t%d"],"year":%d,"price":%g}`,
		c.text(8), c.text(60), c.text(c.below(40)+1), c.rank(50), c.below(50), 1900+c.below(120), price)
}

func fields() *schema.Schema {
	return &schema.Schema{Fields: []schema.Field{
		{Name: "body", Type: schema.Text, Analyzer: "standard", Boost: 1},
		{Name: "price", Type: schema.Double, Boost: 1},
		{Name: "tag", Type: schema.Keyword, Boost: 1},
		{Name: "title", Type: schema.Text, Analyzer: "standard", Boost: 2},
		{Name: "year", Type: schema.Long, Boost: 1},
	}}
}

// history makes the messages: a schema, puts, puts again and deletes, and a change of the slots owned.
func history() []engine.Message {
	c := chance(1)
	list := []engine.Message{message(1,
		engine.Op{Kind: engine.OpOwn, Epoch: 1, Slots: engine.AllSlots()},
		engine.Op{Kind: engine.OpSchema, Collection: collection, Version: 1, Name: "c", Schema: fields()},
	)}
	var ops []engine.Op
	for n := range operations {
		id := n
		if n >= documents {
			id = c.below(documents)
		}
		op := engine.Op{Kind: engine.OpPut, Collection: collection, ID: fmt.Sprintf("d%d", id), Slot: uint16(id * 37 % engine.Slots), IfVersion: -1}
		if n >= documents && c.below(3) == 0 {
			op.Kind = engine.OpDelete
		} else {
			op.Body = c.body()
		}
		if ops = append(ops, op); len(ops) == perMessage {
			list = append(list, message(uint64(len(list)+1), ops...))
			ops = nil
		}
	}
	owned := &engine.SlotSet{}
	owned.AddRange(0, engine.Slots-2000)
	return append(list, message(uint64(len(list)+1), engine.Op{Kind: engine.OpOwn, Epoch: 2, Slots: owned}))
}

func message(seq uint64, ops ...engine.Op) engine.Message {
	return engine.Message{Log: [16]byte{1}, Seq: seq, Ops: ops}
}
