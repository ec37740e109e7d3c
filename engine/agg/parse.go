package agg

import (
	"errors"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/engine/schema/strictjson"
)

// jsonDepth is the nesting that definitions may have: queries in filters have the greatest.
const jsonDepth = 256

// Parse reads the aggregations of a request, {"NAME":{"KIND":{…},"aggs":{…}}}, and resolves them against a schema. Errors are faults: bad_request for what is not of
// this form, bad_field for a field that does not fit, limit_exceeded past the limits of this package, bad_query and bad_sort as package query gives them.
func Parse(raw []byte, s *schema.Schema) ([]Definition, error) {
	p := &parser{schema: s, r: strictjson.New(string(raw), jsonDepth)}
	defs, err := p.definitions(1)
	if err == nil {
		err = p.r.End()
	}
	var broken *strictjson.Error
	switch {
	case !errors.As(err, &broken):
		return defs, err
	case broken.TooDeep:
		return nil, fault.New(fault.LimitExceeded, "aggregations: %v", err)
	}
	return nil, fault.New(fault.BadRequest, "aggregations: %v", err)
}

// Facet makes the aggregation that lists all values of a field.
func Facet(field string, s *schema.Schema) (Definition, error) {
	d := Definition{Name: field, Kind: Terms, Field: field, Size: MaxBuckets, MinCount: 1, Order: Order{By: ByCount, Desc: true}}
	return d, d.resolveField(s)
}

// Collapsed gives what counts the documents that a search shows which shows one of each value of a field: the distinct values, of several in a document the least, and the documents
// without one. It fails as aggregations on the field do.
func Collapsed(field string, s *schema.Schema) ([]Definition, error) {
	values, without := Definition{Kind: Cardinality, Field: field, Size: 1}, Definition{Kind: Missing, Field: field}
	if err := values.resolveField(s); err != nil {
		return nil, err
	}
	return []Definition{values, without}, without.resolveField(s)
}

type parser struct {
	schema *schema.Schema
	r      *strictjson.Reader
	found  int
}

// object reads an object key by key; what says where it stands.
func (p *parser) object(what string, field func(key string) error) error {
	if p.r.Kind() != strictjson.Object {
		return p.wrong(what, "an object")
	}
	if err := p.r.Enter(); err != nil {
		return err
	}
	for {
		key, ok, err := p.r.Key()
		if err != nil || !ok {
			return err
		}
		if err := field(key); err != nil {
			return err
		}
	}
}

// list reads an array, element by element.
func (p *parser) list(what string, element func(i int) error) error {
	if p.r.Kind() != strictjson.Array {
		return p.wrong(what, "a list")
	}
	if err := p.r.Enter(); err != nil {
		return err
	}
	for i := 0; ; i++ {
		more, err := p.r.More()
		if err != nil || !more {
			return err
		}
		if i == MaxListed {
			return fault.New(fault.LimitExceeded, "%s has more than %d elements", what, MaxListed)
		}
		if err := element(i); err != nil {
			return err
		}
	}
}

// wrong is the error of a value of another type; where the text itself is broken that comes first.
func (p *parser) wrong(what, want string) error {
	if p.r.Kind() == strictjson.None {
		return p.r.Skip()
	}
	return fault.New(fault.BadRequest, "%s is %s, not %s", what, want, p.r.Kind())
}

func (p *parser) text(what string) (string, error) {
	if p.r.Kind() != strictjson.String {
		return "", p.wrong(what, "a string")
	}
	return p.r.String()
}

// definitions reads the aggregations at a depth.
func (p *parser) definitions(depth int) ([]Definition, error) {
	if depth > MaxDepth {
		return nil, fault.New(fault.LimitExceeded, "aggregations nest deeper than %d", MaxDepth)
	}
	var defs []Definition
	err := p.object("aggs", func(name string) error {
		if p.found++; p.found > MaxDefinitions {
			return fault.New(fault.LimitExceeded, "a request has at most %d aggregations", MaxDefinitions)
		}
		if name == "" || len(name) > MaxNameBytes {
			return fault.New(fault.BadRequest, "the name of an aggregation has 1 to %d bytes", MaxNameBytes)
		}
		d, err := p.definition(name, depth)
		defs = append(defs, d)
		return err
	})
	return defs, err
}

// definition reads one aggregation.
func (p *parser) definition(name string, depth int) (Definition, error) {
	d := Definition{Name: name}
	err := p.object("aggregation "+fault.Quote(name), func(key string) (err error) {
		if key == "aggs" {
			d.Below, err = p.definitions(depth + 1)
			return err
		}
		if d.Kind != 0 {
			return fault.New(fault.BadRequest, "aggregation %s says both %s and %s", fault.Quote(name), d.Kind, fault.Quote(key))
		}
		if d.Kind = kindByName(key); d.Kind == 0 {
			return fault.New(fault.BadRequest, "aggregation %s: there is no aggregation %s", fault.Quote(name), fault.Quote(key))
		}
		o := options{p: p, d: &d, minCount: -1, size: -1}
		return o.read()
	})
	if err != nil {
		return d, err
	}
	if d.Kind == 0 {
		return d, fault.New(fault.BadRequest, "aggregation %s says none of terms, stats, histogram, …", fault.Quote(name))
	}
	if len(d.Below) > 0 && !d.Kind.isBucket() {
		return d, fault.New(fault.BadRequest, "aggregation %s: nothing stands below %s", fault.Quote(name), d.Kind)
	}
	return d, d.checkOrder()
}

// checkOrder makes sure that buckets are ordered by a number that is there.
func (d *Definition) checkOrder() error {
	if d.Order.By != ByMetric {
		return nil
	}
	for i := range d.Below {
		b := &d.Below[i]
		if b.Name != d.Order.Name {
			continue
		}
		switch {
		case b.Kind == Stats && d.Order.Part != "", d.Order.Part == "" && (b.Kind.isMetric() && b.Kind != Stats || b.Kind == Cardinality):
			return nil
		}
		return fault.New(fault.BadRequest, "order by %s: it is %s; min, max, sum, avg, cardinality and a part of stats (NAME.avg) order buckets", fault.Quote(d.Order.Name), b.Kind)
	}
	return fault.New(fault.BadRequest, "order by %s: no aggregation of that name stands below", fault.Quote(d.Order.Name))
}

// resolveField finds the field and sees whether it fits.
func (d *Definition) resolveField(s *schema.Schema) error {
	f, ok := s.Lookup(d.Field)
	if !ok {
		return fault.New(fault.BadField, "%s of %s: the collection has no such field", d.Kind, fault.Quote(d.Field))
	}
	d.Type = f.Type
	if f.Type == schema.Text && f.Exact {
		d.Type = schema.Keyword
	}
	fits := false
	switch d.Type {
	case schema.Long, schema.Double:
		fits = d.Kind != DateHistogram
	case schema.Date:
		fits = d.Kind == Terms || d.Kind == Min || d.Kind == Max || d.Kind == Cardinality || d.Kind == DateHistogram || d.Kind == Range || d.Kind == Missing
	case schema.Bool, schema.Keyword:
		fits = d.Kind == Terms || d.Kind == Cardinality || d.Kind == Missing
	}
	if !fits {
		return fault.New(fault.BadField, "field %s is %s, which %s does not take", fault.Quote(d.Field), f.Type, d.Kind)
	}
	return nil
}
