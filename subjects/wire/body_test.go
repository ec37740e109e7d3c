package wire_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

func TestIDBodies(t *testing.T) {
	for body, want := range map[string]string{
		`{"id":"a"}`:                "a",
		`{"id":9007199254740993}`:   "9007199254740993",
		` { "id" : "a b\u00e9😀" } `: "a bé😀",
		`{"id":-7}`:                 "-7",
	} {
		if got, err := wire.DecodeID([]byte(body)); err != nil || got != want {
			t.Errorf("%s: %q, %v", body, got, err)
		}
	}
	for body, code := range map[string]fault.Code{
		``:                        fault.BadRequest,
		`{}`:                      fault.BadRequest,
		`"a"`:                     fault.BadRequest,
		`{"id":"a"}x`:             fault.BadRequest,
		`{"id":"a","id":"b"}`:     fault.BadRequest,
		`{"id":"a","version":1}`:  fault.BadRequest,
		`{"id":"\ud800"}`:         fault.BadRequest,
		`{"id":1.0}`:              fault.BadDocument,
		`{"id":1e3}`:              fault.BadDocument,
		`{"id":true}`:             fault.BadDocument,
		`{"id":null}`:             fault.BadDocument,
		"{\"id\":\"\xff\"}":       fault.BadRequest,
		`{"id":[[[[[[[[[[[[[[[[[`: fault.BadDocument,
	} {
		if got, err := wire.DecodeID([]byte(body)); fault.CodeOf(err) != code {
			t.Errorf("%s: %q, %v, want %s", body, got, err, code)
		}
	}
}

func TestCollectionBodies(t *testing.T) {
	got, err := wire.DecodeCollectionRequest([]byte(`{"name":"books","schema":{"dynamic": true}}`))
	if err != nil || got.Name != "books" || string(got.Schema) != `{"dynamic": true}` {
		t.Errorf("%+v, %v", got, err)
	}
	for _, body := range []string{``, `[]`, `{"name":1}`, `{"name":"a","nam":"b"}`, `{"name":"a"`} {
		if _, err := wire.DecodeCollectionRequest([]byte(body)); fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("%s: %v", body, err)
		}
	}
	for body, want := range map[string]string{``: "", `{}`: "", `{"group":"g0"}`: "g0"} {
		if got, err := wire.DecodeStatusRequest([]byte(body)); err != nil || got != want {
			t.Errorf("status %s: %q, %v", body, got, err)
		}
	}
	for _, body := range []string{`{"groups":"g0"}`, `{"group":0}`, `g0`} {
		if _, err := wire.DecodeStatusRequest([]byte(body)); fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("status %s: %v", body, err)
		}
	}
}

func TestProjectKeepsWhatIsNamed(t *testing.T) {
	const source = `{ "id": "a", "n": 9007199254740993, "a": {"b": 1.50, "c": [ {"d": "x", "e": null}, 2 ]}, "a.f": true, "k\u00e9y": "\u00e9" }`
	for _, c := range []struct {
		name   string
		fields []string
		want   string
	}{
		{"all", nil, source},
		{"none", []string{}, `{}`},
		{"unknown", []string{"z", "a.z", "n.z"}, `{"a":{}}`},
		{"digits stay", []string{"n"}, `{"n":9007199254740993}`},
		{"a whole object", []string{"a"}, `{"a":{"b": 1.50, "c": [ {"d": "x", "e": null}, 2 ]},"a.f":true}`},
		{"inside objects and dotted keys", []string{"a.b", "a.f"}, `{"a":{"b":1.50},"a.f":true}`},
		{"inside lists of objects", []string{"a.c.d"}, `{"a":{"c":[{"d":"x"}]}}`},
		{"escaped keys", []string{"kéy"}, `{"kéy":"\u00e9"}`},
		{"a prefix is no path", []string{"i", "ida"}, `{}`},
	} {
		got, err := wire.Project([]byte(source), c.fields)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		t.Logf("%s: %s", c.name, got)
		if string(got) != c.want {
			t.Errorf("%s:\ngot  %s\nwant %s", c.name, got, c.want)
		}
	}
	if _, err := wire.Project([]byte(`{"a":`), []string{"a"}); err == nil {
		t.Error("half a document was projected")
	}
}

func FuzzProject(f *testing.F) {
	f.Add([]byte(`{"a":{"b":[1,{"c":"x"}]},"a.b":2,"d":null}`), "a.b", "d")
	f.Fuzz(func(t *testing.T, source []byte, one, two string) {
		got, err := wire.Project(source, []string{one, two})
		if err != nil {
			return
		}
		if !json.Valid(source) || !json.Valid(got) {
			t.Fatalf("%q by %q and %q gives %q", source, one, two, got)
		}
		if again, err := wire.Project(got, []string{one, two}); err != nil || string(again) != string(got) {
			t.Fatalf("%q is projected again to %q, %v", got, again, err)
		}
	})
}

func TestDurabilities(t *testing.T) {
	for text, want := range map[string]wire.Durability{
		`{"code":"deadline","message":"m","durable":false}`:     wire.NotDurable,
		`{"code":"deadline","message":"m","durable":true}`:      wire.IsDurable,
		`{"code":"deadline","message":"m","durable":"unknown"}`: wire.DurableUnknown,
		`{"code":"deadline","message":"m"}`:                     "",
	} {
		var info wire.ErrorInfo
		if err := json.Unmarshal([]byte(text), &info); err != nil || info.Durable != want {
			t.Errorf("%s: %q, %v", text, info.Durable, err)
		}
		if b, err := json.Marshal(info); err != nil || string(b) != text {
			t.Errorf("%s is sent as %s, %v", text, b, err)
		}
	}
}

func TestWatermarksInJSON(t *testing.T) {
	w := wire.Watermark{
		Group: "g0", Member: "g0/n1", Incarnation: 1<<63 + 1, Counter: 9, Applied: 300, Head: 301, Digest: testDigest, State: "serving", Leases: testLeases,
	}
	b, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := wire.DecodeWatermark(b); err != nil || !reflect.DeepEqual(*got, w) {
		t.Errorf("%s is %+v, %v", b, got, err)
	}
	if _, err := wire.DecodeWatermark([]byte(`{"digest":"00"}`)); !errors.Is(err, wire.ErrMalformed) {
		t.Error(err)
	}
}

func TestRepliesCarryTheRequestsPlace(t *testing.T) {
	frame := testHead.Reply()
	if want := (wire.Frame{Call: 7, Round: 1, Slot: 2, Last: true}); frame != want {
		t.Errorf("%+v", frame)
	}
}
