package schema

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
)

func TestRedeclare(t *testing.T) {
	parse := func(text string) *Schema {
		s, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	const (
		analyzers = `"analyzers":{"mine":{"filters":["lowercase"]},"ask":{"filters":["lowercase"]}}`
		declared  = `{"fields":{"t":{"type":"text","analyzer":"mine"},"n":{"type":"long"}},` + analyzers + `}`
	)
	before := parse(declared)
	s, err := before.With([]Field{{Name: "d", Type: Text, Analyzer: "standard", Boost: 1, Exact: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, next, want, refused string }{
		{"the same", declared, `{"fields":{"d":{"type":"text","exact":true},"n":{"type":"long"},"t":{"type":"text","analyzer":"mine"}},`, ""},
		{"a field more", strings.Replace(declared, `"n":`, `"k":{"type":"keyword"},"n":`, 1), `"k":{"type":"keyword"}`, ""},
		{"an analyzer more", strings.Replace(declared, `"ask":`, `"new":{},"ask":`, 1), `"new":{"tokenizer":"standard"}`, ""},
		{"a field that documents added", strings.Replace(declared, `"n":`, `"d":{"type":"text","exact":true,"boost":2},"n":`, 1), `"d":{"type":"text","exact":true,"boost":2}`, ""},
		{"what concerns queries", `{"fields":{"t":{"type":"text","analyzer":"mine","boost":3,"search_analyzer":"english"},"n":{"type":"long"}},"default_fields":["t"],"dynamic":"strict",` + analyzers + `}`,
			`"dynamic":"strict","default_fields":["t"]`, ""},
		{"an analyzer that nothing is indexed by", strings.Replace(declared, `"ask":{"filters":["lowercase"]}`, `"ask":{"tokenizer":"letter"}`, 1), `"ask":{"tokenizer":"letter"}`, ""},
		{"a field less", `{"fields":{"t":{"type":"text","analyzer":"mine"}},` + analyzers + `}`, "", `"n"`},
		{"nothing", `{}`, "", "taken away"},
		{"another type", strings.Replace(declared, `"long"`, `"double"`, 1), "", `field "n" is "n":{"type":"long"}`},
		{"another analyzer", strings.Replace(declared, `,"analyzer":"mine"`, "", 1), "", `"t"`},
		{"another definition", strings.Replace(declared, `"mine":{"filters":["lowercase"]}`, `"mine":{}`, 1), "", `analyzer "mine"`},
		{"another type of a field that documents added", strings.Replace(declared, `"n":`, `"d":{"type":"keyword"},"n":`, 1), "", `"d"`},
	} {
		got, err := s.Redeclare(before, parse(c.next))
		if c.refused != "" {
			if fault.CodeOf(err) != fault.Exists || !strings.Contains(err.Error(), c.refused) {
				t.Errorf("%s: %v, want exists with %s", c.name, err, c.refused)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		text, _ := got.MarshalJSON()
		if !strings.Contains(string(text), c.want) || !got.has("d") {
			t.Errorf("%s: %s, want %s", c.name, text, c.want)
		}
	}
}
