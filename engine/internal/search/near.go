package search

import (
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/internal/segment"
	"github.com/jetseek/jetseek/engine/internal/segment/docvalues"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

// places are the two columns of a geo field.
type places struct{ lat, lon *docvalues.Column }

// placesOf finds the places of a field in a segment; false when no document there has one.
func placesOf(s *segment.Segment, field string) (places, bool) {
	lat, lon := s.Field(schema.LatName(field)), s.Field(schema.LonName(field))
	if lat == nil || lon == nil || !lat.HasFloats || !lon.HasFloats {
		return places{}, false
	}
	return places{&lat.Floats, &lon.Floats}, true
}

// of gives the place of a document; false when it has none.
func (p *places) of(doc uint32) (geo.Point, bool) {
	lat, end := p.lat.Range(doc)
	lon, end2 := p.lon.Range(doc)
	if lat == end || lon == end2 {
		return geo.Point{}, false
	}
	return geo.Point{Lat: p.lat.Float(lat), Lon: p.lon.Float(lon)}, true
}

// near walks the documents of a band of latitudes, and keeps those that are near enough.
type near struct {
	scorer // of the band
	places places
	from   geo.Point
	metres float64
	score  int64
}

func (e *env) near(n *query.Near) scorer {
	at, ok := placesOf(e.view.Segment, n.Field)
	if !ok {
		return nil
	}
	south, north := geo.Band(n.Point, n.Metres)
	band := e.compile(&query.DoubleRange{Field: schema.LatName(n.Field), Lo: south, Hi: north, IncLo: true, IncHi: true}, false)
	if band == nil {
		return nil
	}
	s := &near{scorer: band, places: at, from: n.Point, metres: n.Metres, score: bm25.Units(n.Boost)}
	return nonEmpty(s, s.settle(band.Doc()) == noDoc)
}

func (s *near) Score() int64 { return s.score }
func (s *near) Next() uint32 { return s.settle(s.scorer.Next()) }

func (s *near) Advance(target uint32) uint32 { return s.settle(s.scorer.Advance(target)) }

// settle goes on from a document of the band to the first that is near enough.
func (s *near) settle(doc uint32) uint32 {
	for doc != noDoc {
		if p, ok := s.places.of(doc); ok && geo.Distance(s.from, p) <= s.metres {
			break
		}
		doc = s.scorer.Next()
	}
	return doc
}
