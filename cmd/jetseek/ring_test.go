package main

import (
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/placement"
)

// The picture has a sign for each run of slots, of the group that the map gives most of them to.
func TestDrawRing(t *testing.T) {
	m, err := placement.NewMap(placement.Modulo, placement.DefaultVnodes, []placement.Group{
		{Name: "g0", Generation: 1, Members: []string{"g0/n1"}}, {Name: "g1", Generation: 1, Members: []string{"g1/n1", "g1/n2"}}})
	if err != nil {
		t.Fatal(err)
	}
	for s := range m.Table { // the upper half is g1's
		m.Table[s] = uint16(s / (placement.Slots / 2))
	}
	got := drawRing(m, 80)
	for _, want := range []string{
		"16384 slots among 2 groups by the rule modulo, epoch 1; each sign stands for 32 slots\n",
		"     0 " + strings.Repeat("0", 64) + "\n", "  6144 " + strings.Repeat("0", 64) + "\n",
		"  8192 " + strings.Repeat("1", 64) + "\n", " 14336 " + strings.Repeat("1", 64) + "\n",
		"1  g1      8192  50.0%  g1/n1 g1/n2\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	for width, columns := range map[int]int{20: 32, 80: 64, 200: 128} {
		if got := drawRing(m, width); !strings.Contains(got, "\n     0 "+strings.Repeat("0", columns)+"\n") {
			t.Errorf("%d wide:\n%s", width, got)
		}
	}
}

func TestFlagsFirst(t *testing.T) {
	commands := program{}.commands()
	for line, want := range map[string]string{
		"jetseek search a --json b -n 3 c":        "jetseek search --json -n 3 a b c",
		"jetseek search a --limit=3 b":            "jetseek search --limit=3 a b",
		"jetseek search a --json -- -b --json":    "jetseek search --json -- a -b --json",
		"jetseek collections create x --schema f": "jetseek collections create --schema f x",
		"jetseek index -":                         "jetseek index -",
		"jetseek surf a --b":                      "jetseek surf a --b",
		"jetseek search a --limit":                "jetseek search --limit a",
		"jetseek":                                 "jetseek",
	} {
		if got := strings.Join(flagsFirst(commands, strings.Fields(line)), " "); got != want {
			t.Errorf("%s\n got %s\nwant %s", line, got, want)
		}
	}
}

func TestAddressesAreShownWithoutSecrets(t *testing.T) {
	for urls, want := range map[string]string{
		"nats://127.0.0.1:4222":               "nats://127.0.0.1:4222",
		"nats://ann:secret@a:1,tls://tok@b:2": "nats://…@a:1,tls://…@b:2",
		"nats://a:1\x00":                      "(an address that cannot be read)",
	} {
		if got := redacted(urls); got != want {
			t.Errorf("%q: %s, want %s", urls, got, want)
		}
	}
}
