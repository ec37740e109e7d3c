package wire_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/jetseek/jetseek/subjects/wire"
)

// Every binary decoder takes any bytes: it gives an error, or a value that comes back the same when it is encoded and decoded again.
func FuzzBinary(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		f.Fatalf("no seeds: %v", err)
	}
	for _, file := range files {
		f.Add(golden(f, strings.TrimSuffix(filepath.Base(file), ".txt")))
	}
	f.Add(append([]byte{0xb1, 4}, bytes.Repeat([]byte{0xff}, 64)...))
	all := forms()
	f.Fuzz(func(t *testing.T, b []byte) {
		for name, form := range all {
			input := b
			if strings.HasPrefix(name, "record") {
				input = withChecksum(b)
			}
			v, err := form.decode(input)
			if err != nil {
				continue
			}
			back, err := form.decode(form.encode(v))
			if err != nil || !reflect.DeepEqual(back, v) {
				t.Fatalf("%s: %+v came back as %+v, %v", name, v, back, err)
			}
		}
		_, headErr := wire.DecodeHead(b)
		_, frameErr := wire.DecodeFrame(b)
		if headErr == nil && frameErr == nil {
			t.Fatalf("%x is a request and a reply", b)
		}
	})
}

// withChecksum makes the checksum right, so that what is behind it is reached.
func withChecksum(b []byte) []byte {
	if len(b) < 72 {
		return b
	}
	b = bytes.Clone(b)
	body := b[:len(b)-4]
	binary.LittleEndian.PutUint32(b[len(body):], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
	return b
}

// A body that is taken is JSON that encoding/json takes too, and comes back the same when it is sent again.
func FuzzSearch(f *testing.F) {
	f.Add([]byte(`{"query":"gc","limit":3,"sort":[{"field":"a","missing":"first"},"b"],"fields":[],"track_total":true}`))
	f.Add([]byte(`{"query":{"bool":{"must":[{"term":{"a":1}}]}},"filters":["x",{"ids":{}}],"min_seq":{"g0":17},"dfs":false}`))
	f.Add([]byte(`{"order":"asc","min_score":1e3,"aggs":{"a":[1,2]},"explain":true}`))
	f.Add([]byte(`{"\u006cimit":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := wire.DecodeSearch(b)
		if err != nil || len(bytes.TrimSpace(b)) == 0 {
			return
		}
		if !json.Valid(b) {
			t.Fatalf("%q is not JSON", b)
		}
		if s.From < 0 || s.Limit < 0 || s.From+s.Limit > wire.MaxPage {
			t.Fatalf("page from %d, limit %d", s.From, s.Limit)
		}
		if s.MinScore != nil && math.IsInf(*s.MinScore, 0) {
			t.Fatal("infinite min_score")
		}
		sent, err := json.Marshal(s)
		if err != nil {
			t.Fatalf("%q does not encode: %v", b, err)
		}
		back, err := wire.DecodeSearch(sent)
		if err != nil {
			t.Fatalf("%q is sent as %q: %v", b, sent, err)
		}
		again, err := json.Marshal(back)
		if err != nil || !bytes.Equal(again, sent) {
			t.Fatalf("%q is sent as %q, then as %q: %v", b, sent, again, err)
		}
	})
}

func FuzzErrorJSON(f *testing.F) {
	f.Add([]byte(`{"error":{"code":"bad_query","message":"x","position":3,"durable":"unknown"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		e, err := wire.DecodeError(b)
		if err != nil {
			return
		}
		back, err := wire.DecodeError(wire.AppendError(nil, e))
		if err == nil && back.Code != e.Code {
			t.Fatalf("%+v came back as %+v", e, back)
		}
	})
}
