package wire_test

import (
	"fmt"
	"testing"

	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

func searchReply() *wire.SearchReply {
	p := &wire.SearchReply{Frame: testFrame, Total: 123456}
	for i := range 200 {
		p.Candidates = append(p.Candidates, query.Candidate{ID: fmt.Sprintf("document-%08d", i*7919), Score: int64(31138512896 - i*1234567)})
	}
	return p
}

func BenchmarkSearchReplyEncode(b *testing.B) {
	p := searchReply()
	buf := wire.AppendSearchReply(nil, p)
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		buf = wire.AppendSearchReply(buf[:0], p)
	}
}

func BenchmarkSearchReplyDecode(b *testing.B) {
	buf := wire.AppendSearchReply(nil, searchReply())
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.DecodeSearchReply(buf); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBatch500(b *testing.B) {
	op := wire.Op{Kind: wire.KindPut, ID: "document-00000001", IfVersion: wire.NoCondition, Body: make([]byte, 1000)}
	batch := wire.NewBatch(900 << 10)
	header := wire.Header{Reply: "_INBOX_JETSEEK.c.0000000000000001.report"}
	b.ReportAllocs()
	for b.Loop() {
		batch.Reset()
		for range 500 {
			batch.Add(&op)
		}
		b.SetBytes(int64(len(batch.Bytes(&header))))
	}
}

func BenchmarkRecordDecode500(b *testing.B) {
	op := wire.Op{Kind: wire.KindPut, ID: "document-00000001", IfVersion: wire.NoCondition, Body: make([]byte, 1000)}
	batch := wire.NewBatch(900 << 10)
	for range 500 {
		batch.Add(&op)
	}
	buf := batch.Bytes(&wire.Header{})
	b.SetBytes(int64(len(buf)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.DecodeRecord(buf); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecodeSearch(b *testing.B) {
	body := []byte(`{"query":"compiler AND gc","filters":["year:2020"],"limit":20,"sort":[{"field":"year","order":"desc"}],"fields":["title"]}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := wire.DecodeSearch(body); err != nil {
			b.Fatal(err)
		}
	}
}
