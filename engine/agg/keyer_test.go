package agg_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jetseek/jetseek/engine/agg"
)

// What a keyer remembers changes no key, and all values of its span have the key.
func TestKeyersRememberRightly(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	var bodies []string
	for _, unit := range []string{"minute", "hour", "day", "week", "month", "quarter", "year"} {
		for _, zone := range []string{"UTC", "Europe/Oslo", "America/Sao_Paulo", "Australia/Lord_Howe", "+05:30"} {
			bodies = append(bodies, fmt.Sprintf(`{"date_histogram":{"field":"at","calendar_interval":%q,"time_zone":%q}}`, unit, zone))
		}
	}
	bodies = append(bodies, `{"date_histogram":{"field":"at","fixed_interval":"7h","offset":"-5m"}}`, `{"histogram":{"field":"n","interval":1000000007,"offset":-3}}`, `{"terms":{"field":"n"}}`)
	for _, body := range bodies {
		defs, err := agg.Parse([]byte(`{"a":`+body+`}`), testSchema(t))
		if err != nil {
			t.Fatal(err)
		}
		key := func(k *agg.Keyer, v int64) int64 {
			got, err := k.Key(v)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		fresh := func(v int64) int64 {
			k, err := agg.NewKeyer(&defs[0])
			if err != nil {
				t.Fatal(err)
			}
			return key(k, v)
		}
		k, err := agg.NewKeyer(&defs[0])
		if err != nil {
			t.Fatal(err)
		}
		for range 200 {
			v := 1.5e18 + r.Int64N(3e16) // half a year, with clocks that are set
			got := key(k, v)
			lo, hi := k.Span()
			for _, v := range []int64{v, lo, hi, lo + r.Int64N(hi-lo+1)} {
				if want := fresh(v); got != want {
					t.Fatalf("%s: %d has key %d, want %d", body, v, got, want)
				}
			}
		}
	}
}
