package query

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/schema"
)

// ErrEncoding is what [DecodeNode], [DecodeSortKeys] and [DecodeCandidate] fail with, wrapped: the bytes were not made by their counterparts.
var ErrEncoding = errors.New("malformed query encoding")

// maxEncodedDepth bounds the nesting of an encoded node. Below its own depth [Resolve] adds the spread over fields and the words of a text.
const maxEncodedDepth = maxResolveDepth + 8

// The tags of nodes. They are part of the format: append only.
const (
	tagMatchAll = iota + 1
	tagMatchNone
	tagBool
	tagDisMax
	tagConstantScore
	tagTextTerm
	tagTextPhrase
	tagKeywordSet
	tagKeywordRange
	tagLongRange
	tagLongSet
	tagDoubleRange
	tagDoubleSet
	tagFieldExists
	tagIDs
	tagTermPattern
	tagScaled
	tagNear
	tagAtLeast
	tagFunctions
)

// AppendNode appends the encoding of a resolved node. A node that [Resolve] does not make is an error of the program and panics.
func AppendNode(b []byte, n Node) []byte {
	switch n := n.(type) {
	case *MatchAll:
		b = append(b, tagMatchAll)
		return appendFloat(b, n.Boost)
	case *MatchNone:
		return append(b, tagMatchNone)
	case *Bool:
		b = append(b, tagBool)
		for _, list := range [...][]Node{n.Must, n.Should, n.MustNot, n.Filter} {
			b = appendNodes(b, list)
		}
		return binary.AppendUvarint(b, uint64(n.MinShould))
	case *DisMax:
		b = appendNodes(append(b, tagDisMax), n.Children)
		return appendFloat(b, n.Tie)
	case *ConstantScore:
		b = AppendNode(append(b, tagConstantScore), n.Child)
		return appendFloat(b, n.Boost)
	case *TextTerm:
		b = appendString(append(b, tagTextTerm), n.Field)
		b = appendString(b, n.Term)
		b = appendFloat(b, n.Boost)
		return binary.AppendVarint(b, int64(n.Leaf))
	case *TextPhrase:
		b = appendString(append(b, tagTextPhrase), n.Field)
		b = appendStrings(b, n.Terms)
		for _, offset := range n.Offsets {
			b = binary.AppendUvarint(b, uint64(offset))
		}
		b = binary.AppendUvarint(b, uint64(n.Slop))
		b = append(b, flags(n.Prefix, n.CutFirst, n.CutLast))
		b = appendFloat(b, n.Boost)
		return binary.AppendVarint(b, int64(n.Leaf))
	case *KeywordSet:
		b = appendString(append(b, tagKeywordSet), n.Field)
		b = appendStrings(b, n.Values)
		return appendFloat(b, n.Boost)
	case *KeywordRange:
		b = appendString(append(b, tagKeywordRange), n.Field)
		b = append(b, flags(n.Lo != nil, n.Hi != nil, n.IncLo, n.IncHi))
		for _, end := range [...]*string{n.Lo, n.Hi} {
			if end != nil {
				b = appendString(b, *end)
			}
		}
		return appendFloat(b, n.Boost)
	case *LongRange:
		b = appendString(append(b, tagLongRange), n.Field)
		b = binary.AppendVarint(b, n.Lo)
		b = binary.AppendVarint(b, n.Hi)
		return appendFloat(b, n.Boost)
	case *LongSet:
		b = appendString(append(b, tagLongSet), n.Field)
		b = binary.AppendUvarint(b, uint64(len(n.Values)))
		for _, v := range n.Values {
			b = binary.AppendVarint(b, v)
		}
		return appendFloat(b, n.Boost)
	case *DoubleRange:
		b = appendString(append(b, tagDoubleRange), n.Field)
		b = append(b, flags(n.IncLo, n.IncHi))
		b = appendFloat(b, n.Lo)
		b = appendFloat(b, n.Hi)
		return appendFloat(b, n.Boost)
	case *DoubleSet:
		b = appendString(append(b, tagDoubleSet), n.Field)
		b = binary.AppendUvarint(b, uint64(len(n.Values)))
		for _, v := range n.Values {
			b = appendFloat(b, v)
		}
		return appendFloat(b, n.Boost)
	case *FieldExists:
		b = appendString(append(b, tagFieldExists), n.Field)
		b = append(b, byte(n.Type))
		return appendFloat(b, n.Boost)
	case *IDs:
		b = appendStrings(append(b, tagIDs), n.Values)
		return appendFloat(b, n.Boost)
	case *Near:
		b = appendString(append(b, tagNear), n.Field)
		b = appendPoint(b, n.Point)
		b = appendFloat(b, n.Metres)
		return appendFloat(b, n.Boost)
	case *AtLeast:
		b = AppendNode(append(b, tagAtLeast), n.Child)
		return appendFloat(b, n.Score)
	case *Functions:
		return appendFunctions(append(b, tagFunctions), n)
	case *Scaled:
		b = AppendNode(append(b, tagScaled), n.Child)
		return appendFloat(b, n.Factor)
	case *TermPattern:
		b = appendString(append(b, tagTermPattern), n.Field)
		b = append(b, byte(n.Kind), flags(n.Exact, n.Fold, n.Plain))
		b = appendString(b, n.Text)
		return appendFloat(b, n.Boost)
	}
	panic(fmt.Sprintf("query: %T is not resolved and has no encoding", n))
}

func appendNodes(b []byte, nodes []Node) []byte {
	b = binary.AppendUvarint(b, uint64(len(nodes)))
	for _, n := range nodes {
		b = AppendNode(b, n)
	}
	return b
}

func appendString(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = appendString(b, s)
	}
	return b
}

func appendFloat(b []byte, x float64) []byte {
	return binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
}

func appendPoint(b []byte, p geo.Point) []byte { return appendFloat(appendFloat(b, p.Lat), p.Lon) }

func flags(set ...bool) (bits byte) {
	for i, one := range set {
		if one {
			bits |= 1 << i
		}
	}
	return bits
}

// DecodeNode reads what [AppendNode] wrote and gives what stands behind it. It checks all that a member relies on: boosts, the order of sets, the bounds of
// nesting. Strings are copies.
func DecodeNode(b []byte) (n Node, rest []byte, err error) {
	d := decoder{b: b}
	n = d.node(0)
	if d.err != nil {
		return nil, nil, d.err
	}
	return n, d.b, nil
}

// decoder reads from the front of b. After the first error it gives zero values.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrEncoding, what)
		d.b = nil
	}
}

func (d *decoder) node(depth int) Node {
	if depth > maxEncodedDepth {
		d.fail("nested too deep")
		return nil
	}
	switch tag := d.byte(); tag {
	case tagMatchAll:
		return &MatchAll{Boost: d.boost()}
	case tagMatchNone:
		return &MatchNone{}
	case tagBool:
		n := &Bool{Must: d.nodes(depth), Should: d.nodes(depth), MustNot: d.nodes(depth), Filter: d.nodes(depth)}
		if n.MinShould = int(d.uvarint(math.MaxInt32)); n.MinShould > len(n.Should) {
			d.fail("more clauses needed than there are")
		}
		return n
	case tagDisMax:
		n := &DisMax{Children: d.nodes(depth), Tie: d.float()}
		if !(n.Tie >= 0 && n.Tie <= math.MaxFloat64) {
			d.fail("bad tie breaker")
		}
		return n
	case tagConstantScore:
		return &ConstantScore{Child: d.node(depth + 1), Boost: d.boost()}
	case tagTextTerm:
		return &TextTerm{Field: d.string(), Term: d.string(), Boost: d.boost(), Leaf: d.leaf()}
	case tagTextPhrase:
		return d.phrase()
	case tagKeywordSet:
		return &KeywordSet{Field: d.string(), Values: d.stringSet(), Boost: d.boost()}
	case tagKeywordRange:
		return d.keywordRange()
	case tagLongRange:
		return &LongRange{Field: d.string(), Lo: d.varint(), Hi: d.varint(), Boost: d.boost()}
	case tagLongSet:
		return &LongSet{Field: d.string(), Values: decodeSet(d, 1, (*decoder).varint), Boost: d.boost()}
	case tagDoubleRange:
		n := &DoubleRange{Field: d.string()}
		bits := d.byte()
		n.IncLo, n.IncHi = bits&1 != 0, bits&2 != 0
		if n.Lo, n.Hi = d.float(), d.float(); n.Lo != n.Lo || n.Hi != n.Hi || bits > 3 {
			d.fail("bad ends of a range")
		}
		n.Boost = d.boost()
		return n
	case tagDoubleSet:
		return &DoubleSet{Field: d.string(), Values: decodeSet(d, 8, (*decoder).float), Boost: d.boost()}
	case tagFieldExists:
		n := &FieldExists{Field: d.string(), Type: schema.Type(d.byte()), Boost: d.boost()}
		if n.Type.String() == "" {
			d.fail("unknown type of field")
		}
		return n
	case tagIDs:
		return &IDs{Values: d.stringSet(), Boost: d.boost()}
	case tagNear:
		n := &Near{Field: d.string(), Point: d.point(), Metres: d.float(), Boost: d.boost()}
		if !(n.Metres >= 0 && n.Metres <= math.MaxFloat64) {
			d.fail("bad distance")
		}
		return n
	case tagAtLeast:
		n := &AtLeast{Child: d.node(depth + 1), Score: d.float()}
		if n.Score != n.Score {
			d.fail("bad least score")
		}
		return n
	case tagFunctions:
		return d.functions(depth)
	case tagScaled:
		n := &Scaled{Child: d.node(depth + 1), Factor: d.float()}
		if !(n.Factor >= 0 && n.Factor <= 1) {
			d.fail("bad factor")
		}
		return n
	case tagTermPattern:
		n := &TermPattern{Field: d.string(), Kind: PatternKind(d.byte())}
		bits := d.byte()
		n.Exact, n.Fold, n.Plain = bits&1 != 0, bits&2 != 0, bits&4 != 0
		if n.Kind < PrefixPattern || n.Kind > CharacterPattern || bits > 7 {
			d.fail("unknown kind of pattern")
		}
		n.Text, n.Boost = d.string(), d.boost()
		return n
	default:
		d.fail("unknown node")
		return nil
	}
}

func (d *decoder) nodes(depth int) []Node {
	count := d.count(1)
	if count == 0 {
		return nil
	}
	// A node is far larger in memory than one byte: the list grows as its nodes prove to be there.
	var list []Node
	for range count {
		if d.err != nil {
			return nil
		}
		list = append(list, d.node(depth+1))
	}
	return list
}

func (d *decoder) phrase() Node {
	n := &TextPhrase{Field: d.string(), Terms: d.strings()}
	for i := range n.Terms {
		offset := int(d.uvarint(math.MaxInt32))
		if i == 0 && offset != 0 || i > 0 && offset < n.Offsets[i-1] {
			d.fail("offsets of a phrase do not ascend from 0")
			return nil
		}
		n.Offsets = append(n.Offsets, offset)
	}
	n.Slop = int(d.uvarint(math.MaxInt32))
	bits := d.byte()
	n.Prefix, n.CutFirst, n.CutLast = bits&1 != 0, bits&2 != 0, bits&4 != 0
	n.Boost = d.boost()
	if n.Leaf = d.leaf(); bits > 7 || !n.Sound() {
		d.fail("bad ends of a phrase")
	}
	return n
}

func (d *decoder) keywordRange() Node {
	n := &KeywordRange{Field: d.string()}
	bits := d.byte()
	if bits > 15 {
		d.fail("bad ends of a range")
	}
	n.IncLo, n.IncHi = bits&4 != 0, bits&8 != 0
	if bits&1 != 0 {
		lo := d.string()
		n.Lo = &lo
	}
	if bits&2 != 0 {
		hi := d.string()
		n.Hi = &hi
	}
	n.Boost = d.boost()
	return n
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.fail("too short")
		return 0
	}
	c := d.b[0]
	d.b = d.b[1:]
	return c
}

func (d *decoder) uvarint(limit uint64) uint64 {
	v, size := binary.Uvarint(d.b)
	if size <= 0 || v > limit {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[size:]
	return v
}

func (d *decoder) varint() int64 {
	v, size := binary.Varint(d.b)
	if size <= 0 {
		d.fail("bad number")
		return 0
	}
	d.b = d.b[size:]
	return v
}

func (d *decoder) float() float64 {
	if len(d.b) < 8 {
		d.fail("too short")
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
	d.b = d.b[8:]
	return x
}

func (d *decoder) point() geo.Point {
	p := geo.Point{Lat: d.float(), Lon: d.float()}
	if !p.Valid() {
		d.fail("bad place")
		return geo.Point{}
	}
	return p
}

func (d *decoder) boost() float64 {
	x := d.float()
	if !(x >= 0 && x <= bm25.MaxWeight) {
		d.fail("bad boost")
		return 0
	}
	return x
}

// leaf reads the index of a scoring leaf, or -1.
func (d *decoder) leaf() int {
	v := d.varint()
	if v < -1 || v > math.MaxInt32 {
		d.fail("bad leaf")
		return 0
	}
	return int(v)
}

// count reads how many elements follow, each of at least size bytes.
func (d *decoder) count(size int) int {
	n := d.uvarint(math.MaxUint32)
	if n > uint64(len(d.b)/size) { // measured behind the number itself
		d.fail("too short")
		return 0
	}
	return int(n)
}

func (d *decoder) string() string {
	size := d.count(1)
	s := string(d.b[:size])
	d.b = d.b[size:]
	return s
}

func (d *decoder) strings() []string {
	return decodeList(d, 1, (*decoder).string)
}

func (d *decoder) stringSet() []string {
	return decodeSet(d, 1, (*decoder).string)
}

// decodeList reads a counted list of elements of at least size bytes.
func decodeList[T any](d *decoder, size int, read func(*decoder) T) []T {
	count := d.count(size)
	if count == 0 {
		return nil
	}
	list := make([]T, 0, min(count, 1<<10))
	for range count {
		if d.err != nil {
			return nil
		}
		list = append(list, read(d))
	}
	return list
}

// decodeSet reads a list whose elements ascend.
func decodeSet[T int64 | float64 | string](d *decoder, size int, read func(*decoder) T) []T {
	list := decodeList(d, size, read)
	for i := 1; i < len(list); i++ {
		if !(list[i-1] < list[i]) {
			d.fail("a set is not in order")
			return nil
		}
	}
	if len(list) == 1 && list[0] != list[0] {
		d.fail("NaN in a set")
	}
	return list
}

// AppendSortKeys appends the encoding of sort keys.
func AppendSortKeys(b []byte, keys []SortKey) []byte {
	b = binary.AppendUvarint(b, uint64(len(keys)))
	for _, k := range keys {
		b = append(b, byte(k.By), byte(k.Type), flags(k.Desc, k.MissingFirst))
		b = appendString(b, k.Field)
		if k.By == ByDistance {
			b = appendPoint(b, k.From)
		}
	}
	return b
}

// DecodeSortKeys reads what [AppendSortKeys] wrote and gives what stands behind it.
func DecodeSortKeys(b []byte) (keys []SortKey, rest []byte, err error) {
	d := decoder{b: b}
	keys = decodeList(&d, 4, (*decoder).sortKey)
	if len(keys) > MaxKeys {
		d.fail("too many sort keys")
	}
	if d.err != nil {
		return nil, nil, d.err
	}
	return keys, d.b, nil
}

func (d *decoder) sortKey() SortKey {
	k := SortKey{By: SortBy(d.byte()), Type: schema.Type(d.byte())}
	bits := d.byte()
	k.Desc, k.MissingFirst = bits&1 != 0, bits&2 != 0
	k.Field = d.string()
	if k.By == ByDistance {
		k.From = d.point()
	}
	if k.By < ByScore || k.By > ByDistance || bits > 3 || k.Type > schema.Vector {
		d.fail("bad sort key")
	}
	return k
}

// AppendCandidate appends the encoding of a candidate of a request with these many keys.
func AppendCandidate(b []byte, c *Candidate) []byte {
	b = appendString(b, c.ID)
	b = binary.AppendVarint(b, c.Score)
	b = binary.AppendUvarint(b, uint64(len(c.Keys)))
	for _, k := range c.Keys {
		b = append(b, byte(k.Kind))
		switch k.Kind {
		case KeyInt:
			b = binary.AppendVarint(b, k.Int)
		case KeyFloat:
			b = appendFloat(b, k.Float)
		case KeyString:
			b = appendString(b, k.Str)
		}
	}
	return b
}

// DecodeCandidate reads what [AppendCandidate] wrote and gives what stands behind it. How many keys there must be is known to the caller, who must check it before
// [CompareKeys].
func DecodeCandidate(b []byte) (c Candidate, rest []byte, err error) {
	d := decoder{b: b}
	c = Candidate{ID: d.string(), Score: d.varint(), Keys: decodeList(&d, 1, (*decoder).key)}
	if len(c.Keys) > MaxKeys {
		d.fail("too many sort keys")
	}
	if d.err != nil {
		return Candidate{}, nil, d.err
	}
	return c, d.b, nil
}

func (d *decoder) key() Key {
	k := Key{Kind: KeyKind(d.byte())}
	switch k.Kind {
	case KeyMissing:
	case KeyInt:
		k.Int = d.varint()
	case KeyFloat:
		if k.Float = d.float(); k.Float != k.Float {
			d.fail("NaN as a sort key")
		}
	case KeyString:
		k.Str = d.string()
	default:
		d.fail("unknown kind of key")
	}
	return k
}

// sortedSet sorts values and drops what stands twice.
func sortedSet[T int64 | float64 | string](values []T) []T {
	slices.Sort(values)
	return slices.Compact(values)
}
