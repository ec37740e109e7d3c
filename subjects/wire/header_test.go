package wire

import (
	"strings"
	"testing"
)

// A header as NATS carries it: blanks around a value are trimmed, line ends become blanks.
func carried(header map[string][]string) map[string][]string {
	out := map[string][]string{}
	for k, vs := range header {
		for _, v := range vs {
			v = strings.NewReplacer("\r", " ", "\n", " ").Replace(strings.Trim(v, " \t\r\n"))
			out[k] = append(out[k], v)
		}
	}
	return out
}

func TestIDsTravelInHeadersByteForByte(t *testing.T) {
	for _, id := range []string{"a", " a", "a ", "\ta", "a b", "a\nb", "a\r\nb", "50%25", "a+b c", `"q"`, "😀", "\u00a0x\u2003", "\x00", ""} {
		h := map[string][]string{}
		SetID(h, id)
		got, given, err := IDFrom(carried(h))
		if err != nil || !given || got != id {
			t.Errorf("%q came back as %q, %v, %v", id, got, given, err)
		}
	}
	if _, given, err := IDFrom(nil); given || err != nil {
		t.Errorf("no header: given %v, %v", given, err)
	}
	for _, h := range []map[string][]string{
		{HeaderID: {"a", "b"}}, {HeaderID: {"a"}, HeaderIDEscaped: {"a"}}, {HeaderIDEscaped: {"%zz"}},
	} {
		if _, _, err := IDFrom(h); err == nil {
			t.Errorf("%v was taken", h)
		}
	}
}
