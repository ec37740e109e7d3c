package query

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/jetseek/jetseek/engine/query/factor"
	"github.com/jetseek/jetseek/engine/schema"
)

func appendFunctions(b []byte, n *Functions) []byte {
	b = AppendNode(b, n.Child)
	b = binary.AppendUvarint(b, uint64(len(n.List)))
	for _, f := range n.List {
		b = appendFunction(b, f)
	}
	b = append(b, byte(n.Mode), byte(n.Boost))
	b = appendFloat(b, n.MaxBoost)
	return appendFloat(b, n.Limit)
}

func appendFunction(b []byte, f Function) []byte {
	value, _ := f.Of.(*ValueOf)
	near, _ := f.Of.(*Nearness)
	b = append(b, flags(f.Filter != nil, value != nil, near != nil, value != nil && value.Missing != nil))
	if f.Filter != nil {
		b = AppendNode(b, f.Filter)
	}
	b = appendFloat(b, f.Weight)
	switch {
	case value != nil:
		b = append(appendString(b, value.Field), byte(value.Type))
		b = append(appendFloat(b, value.Factor), byte(value.Modifier))
		if value.Missing != nil {
			b = appendFloat(b, *value.Missing)
		}
	case near != nil:
		b = append(appendString(b, near.Field), byte(near.Type), byte(near.Decay.Shape))
		switch near.Type {
		case schema.Date:
			b = binary.AppendVarint(b, near.Time)
		case schema.Geo:
			b = appendPoint(b, near.Place)
		default:
			b = appendFloat(b, near.Origin)
		}
		b = appendFloat(b, near.Decay.Offset)
		b = append(appendFloat(b, near.Decay.Rate), byte(near.Pick))
	case f.Of != nil:
		panic(fmt.Sprintf("query: a measure of type %T has no encoding", f.Of))
	}
	return b
}

func (d *decoder) functions(depth int) Node {
	n := &Functions{Child: d.node(depth + 1)}
	for count := d.count(9); count > 0 && d.err == nil; count-- {
		n.List = append(n.List, d.function(depth))
	}
	n.Mode, n.Boost = factor.Mode(d.byte()), factor.Boost(d.byte())
	if n.MaxBoost, n.Limit = d.float(), d.float(); !(n.MaxBoost >= 0 && n.MaxBoost <= math.MaxFloat64 && n.Limit >= 0 && n.Limit <= MaxScore) {
		d.fail("bad limits of functions")
	}
	if n.Mode.Name() == "" || n.Boost.Name() == "" {
		d.fail("unknown mode of functions")
	}
	return n
}

func (d *decoder) function(depth int) (f Function) {
	bits := d.byte()
	if bits > 15 || bits&6 == 6 || bits&10 == 8 {
		d.fail("bad kind of function")
	}
	if bits&1 != 0 {
		f.Filter = d.node(depth + 1)
	}
	if f.Weight = d.float(); !(f.Weight >= 0 && f.Weight <= math.MaxFloat64) {
		d.fail("bad weight")
	}
	switch {
	case bits&2 != 0:
		f.Of = d.valueOf(bits&8 != 0)
	case bits&4 != 0:
		f.Of = d.nearness()
	}
	return f
}

func (d *decoder) finite() float64 {
	x := d.float()
	if !(x >= -math.MaxFloat64 && x <= math.MaxFloat64) {
		d.fail("a number that is not finite")
	}
	return x
}

func (d *decoder) valueOf(missing bool) *ValueOf {
	m := &ValueOf{Field: d.string(), Type: schema.Type(d.byte()), Factor: d.finite(), Modifier: factor.Modifier(d.byte())}
	if missing {
		x := d.finite()
		m.Missing = &x
	}
	switch m.Type {
	case schema.Long, schema.Double, schema.Bool, schema.Date:
	default:
		d.fail("a field without values to calculate with")
	}
	if m.Modifier.Name() == "" {
		d.fail("unknown modifier")
	}
	return m
}

func (d *decoder) nearness() *Nearness {
	m := &Nearness{Field: d.string(), Type: schema.Type(d.byte())}
	m.Decay.Shape = factor.Shape(d.byte())
	switch m.Type {
	case schema.Long, schema.Double:
		m.Origin = d.finite()
	case schema.Date:
		m.Time = d.varint()
	case schema.Geo:
		m.Place = d.point()
	default:
		d.fail("a field without distances")
	}
	m.Decay.Offset, m.Decay.Rate = d.float(), d.float()
	if m.Pick = factor.Pick(d.byte()); m.Pick.Name() == "" || !m.Decay.Valid() {
		d.fail("bad decay")
	}
	return m
}
