package query_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/geo"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
)

func places(t *testing.T) *corpus {
	t.Helper()
	s, err := schema.Parse([]byte(`{"fields":{"p":{"type":"geo","boost":2},"t":{"type":"text"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	c := newCorpus(s)
	for id, place := range map[string]string{"berlin": `{"lat":52.52,"lon":13.405}`, "potsdam": `{"lat":52.3906,"lon":13.0645}`, "fiji": `{"lat":-18.1416,"lon":178.4419}`,
		"samoa": `{"lat":-13.8333,"lon":-171.7667}`, "edge": `{"lat":0,"lon":180}`, "other edge": `{"lat":0,"lon":-180}`, "pole": `{"lat":90,"lon":0}`} {
		if err := c.put([]byte(fmt.Sprintf(`{"t":"a","p":%s}`, place)), id); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.put([]byte(`{"t":"a"}`), "nowhere"); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestPlacesAreFound(t *testing.T) {
	c := places(t)
	for _, one := range []struct {
		q    string
		want []string
	}{
		{`{"geo_distance":{"field":"p","lat":52.52,"lon":13.405,"distance":"0"}}`, []string{"berlin"}},
		{`{"geo_distance":{"field":"p","lat":52.52,"lon":13.405,"distance":"26km"}}`, []string{"berlin"}},
		{`{"geo_distance":{"field":"p","lat":52.52,"lon":13.405,"distance":"28 km"}}`, []string{"berlin", "potsdam"}},
		{`{"geo_distance":{"field":"p","lat":52.52,"lon":13.405,"distance":28000}}`, []string{"berlin", "potsdam"}},
		{`{"geo_distance":{"field":"p","lat":52.52,"lon":13.405,"distance":"17.5mi"}}`, []string{"berlin", "potsdam"}},
		{`{"geo_distance":{"field":"p","lat":-16,"lon":-176,"distance":"800km"}}`, []string{"fiji", "samoa"}},
		{`{"geo_distance":{"field":"p","lat":0,"lon":-180,"distance":"1m"}}`, []string{"edge", "other edge"}},
		{`{"geo_distance":{"field":"p","lat":89,"lon":170,"distance":"112km"}}`, []string{"pole"}},
		{`{"geo_box":{"field":"p","top":53,"left":13,"bottom":52.52,"right":13.405}}`, []string{"berlin"}},
		{`{"geo_box":{"field":"p","top":0,"left":170,"bottom":-20,"right":-170}}`, []string{"edge", "fiji", "other edge", "samoa"}},
		{`{"geo_box":{"field":"p","top":1,"left":170,"bottom":-1,"right":180}}`, []string{"edge", "other edge"}},
		{`{"geo_box":{"field":"p","top":1,"left":-180,"bottom":-1,"right":-180}}`, []string{"edge", "other edge"}},
		{`{"geo_box":{"field":"p","top":90,"left":-180,"bottom":-90,"right":180}}`, []string{"berlin", "edge", "fiji", "other edge", "pole", "potsdam", "samoa"}},
		{`{"geo_box":{"field":"p","top":-1,"left":-170,"bottom":-2,"right":170}}`, nil},
		{`{"exists":{"field":"p"}}`, []string{"berlin", "edge", "fiji", "other edge", "pole", "potsdam", "samoa"}},
		{`{"bool":{"must_not":{"exists":{"field":"p"}}}}`, []string{"nowhere"}},
		{`{"geo_distance":{"field":"unknown","lat":1,"lon":2,"distance":"5km"}}`, nil},
	} {
		n, err := query.DecodeJSON([]byte(one.q), query.Options{})
		if err != nil {
			t.Fatal(one.q, err)
		}
		if n, err = query.Resolve(n, c.schema, false); err != nil {
			t.Fatal(one.q, err)
		}
		hits, err := c.search(n, nil, nil)
		got := ids(hits)
		slices.Sort(got)
		if err != nil || !slices.Equal(got, one.want) {
			t.Errorf("%s: %q, want %q (%v)", one.q, got, one.want, err)
		}
	}
}

func TestPlacesThatAreNone(t *testing.T) {
	c := places(t)
	for _, one := range []struct {
		q    string
		code fault.Code
	}{
		{`{"geo_distance":{"field":"p","lat":90.1,"lon":2,"distance":"5km"}}`, fault.BadField},
		{`{"geo_distance":{"field":"p","lat":9,"lon":-180.1,"distance":"5km"}}`, fault.BadField},
		{`{"geo_distance":{"field":"p","lat":9,"lon":2}}`, fault.BadQuery},
		{`{"geo_distance":{"field":"p","lat":9,"distance":"5km"}}`, fault.BadQuery},
		{`{"geo_distance":{"field":"p","lat":9,"lon":2,"distance":"-5km"}}`, fault.BadQuery},
		{`{"geo_distance":{"field":"p","lat":9,"lon":2,"distance":"5 parsecs"}}`, fault.BadQuery},
		{`{"geo_distance":{"field":"p","lat":9,"lon":2,"distance":"1e999"}}`, fault.BadQuery},
		{`{"geo_distance":{"field":"p","lat":9,"lon":2,"distance":"infkm"}}`, fault.BadQuery},
		{`{"geo_distance":{"field":"t","lat":9,"lon":2,"distance":"5km"}}`, fault.BadField},
		{`{"geo_box":{"field":"p","top":1,"left":1,"bottom":2,"right":2}}`, fault.BadQuery},
		{`{"geo_box":{"field":"p","top":91,"left":1,"bottom":2,"right":2}}`, fault.BadField},
		{`{"geo_box":{"field":"p","top":1,"left":1,"bottom":0}}`, fault.BadQuery},
		{`{"range":{"p":{"gte":1}}}`, fault.BadField},
		{`{"term":{"p":1}}`, fault.BadField},
	} {
		n, err := query.DecodeJSON([]byte(one.q), query.Options{})
		if err == nil {
			_, err = query.Resolve(n, c.schema, false)
		}
		if fault.CodeOf(err) != one.code {
			t.Errorf("%s: %v, want %s", one.q, err, one.code)
		}
	}
}

func TestSortByDistance(t *testing.T) {
	c := places(t)
	keys, err := query.ResolveSort([]query.SortSpec{{Field: "p", From: &geo.Point{Lat: 52, Lon: 13}}}, c.schema)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := c.search(&query.MatchAll{Boost: 1}, nil, keys)
	if got := fmt.Sprint(ids(hits)[:3], ids(hits)[7]); err != nil || got != "[potsdam berlin pole]nowhere" {
		t.Errorf("%s, %v", got, err)
	}
	for _, bad := range []query.SortSpec{{Field: "p"}, {Field: "t", From: &geo.Point{}}, {Field: "_score", From: &geo.Point{}}, {Field: "num:p", From: &geo.Point{}}} {
		if _, err := query.ResolveSort([]query.SortSpec{bad}, c.schema); fault.CodeOf(err) != fault.BadSort {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	for _, bad := range []geo.Point{{Lat: 91}, {Lon: -181}, {Lat: math.NaN()}} {
		if _, err := query.ResolveSort([]query.SortSpec{{Field: "p", From: &bad}}, c.schema); fault.CodeOf(err) != fault.BadField {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
