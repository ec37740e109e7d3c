package embedded

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/bm25"
	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/engine/schema"
	"github.com/jetseek/jetseek/subjects/placement"
	"github.com/jetseek/jetseek/subjects/wire"
)

// garbage is what no request and no document is: none of it may do anything but be refused.
func garbage() map[string][]byte {
	random := make([]byte, 4096)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	return map[string][]byte{
		"nothing":             {},
		"a zero":              {0},
		"a megabyte of zeros": make([]byte, 1<<20),
		"random bytes":        random,
		"half an object":      []byte(`{"id":"x","query":`),
		"a list":              []byte(`[{"id":"x"}]`),
		"null":                []byte(`null`),
		"an object and more":  []byte(`{"id":"x"} {"id":"y"}`),
		"no UTF-8":            []byte("{\"id\":\"\xff\xfe\"}"),
		"open brackets":       []byte(strings.Repeat(`{"a":[`, 50_000)),
		"closed too soon":     []byte(`[}`),
	}
}

// broken gives a binary message cut short at every length, with each byte spoilt, and with a tail that does not belong to it.
func broken(good []byte) [][]byte {
	var all [][]byte
	for i := range good {
		spoilt := bytes.Clone(good)
		spoilt[i] ^= 0xff
		all = append(all, good[:i], spoilt)
	}
	return append(all, append(bytes.Clone(good), 0), append(bytes.Clone(good), good...))
}

// binaryRequests are whole requests to a member, which it would answer.
func binaryRequests(coll schema.Incarnation) map[string][]byte {
	head := wire.Head{Call: 1 << 40, Round: 1, Slot: 2, Collection: coll, SchemaVersion: 9, Epoch: 1, BudgetMs: 500}
	return map[string][]byte{
		wire.OpPing: wire.AppendPingRequest(nil, &wire.PingRequest{Head: head}),
		wire.OpGet:  wire.AppendGetRequest(nil, &wire.GetRequest{Head: head, ID: "a"}),
		wire.OpDocs: wire.AppendDocsRequest(nil, &wire.DocsRequest{Head: head, IDs: []string{"a", "b"}}),
		wire.OpStats: wire.AppendStatsRequest(nil, &wire.StatsRequest{Head: head, Fields: []string{"body"},
			Terms: []bm25.FieldTerm{{Field: "body", Term: "word"}}, Pin: true}),
		wire.OpSearch: wire.AppendSearchRequest(nil, &wire.SearchRequest{Head: head, Query: &query.MatchAll{Boost: 1}, Score: true, Limit: 3, Fingerprint: 7}),
	}
}

// Whatever comes on whatever subject: nothing panics, nothing changes, and everything goes on.
func TestGarbageOnEverySubject(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 2, 2)
		s.index("a", client.WriteOptions{})
		before := s.state("default/a")
		inbox := s.coordinatorInbox()

		services := []string{s.names.Admin("status.x"), s.names.Read("DEFAULT", "search"), s.names.Read("default", "nothing"), s.names.Write("default", "nothing")}
		for _, op := range []string{"search", "get"} {
			services = append(services, s.names.Read("default", op))
		}
		for _, op := range []string{"index", "delete", "bulk"} {
			services = append(services, s.names.Write("default", op), s.names.Write("nope", op))
		}
		for _, op := range []string{"create", "show", "drop"} {
			services = append(services, s.names.Admin("collections."+op))
		}
		for _, op := range []string{wire.OpPing, wire.OpGet, wire.OpDocs, wire.OpStats, wire.OpSearch, "nothing"} {
			services = append(services, s.names.Member("g0", "n1", op), s.names.Any("g1", op))
		}
		for name, data := range garbage() {
			for _, subject := range services {
				s.answered(subject, name, data)
			}
		}
		for op, request := range binaryRequests(s.incarnation("default")) {
			s.answered(s.names.Member("g0", "n1", op), "a whole request", request)
			for _, data := range broken(request) {
				s.answered(s.names.Member("g0", "n1", op), fmt.Sprintf("%x", data), data)
			}
			for other := range binaryRequests(0) {
				s.answered(s.names.Member("g0", "n1", other), "a request of another kind", request)
			}
		}

		quiet := []string{s.names.Applied("g0"), s.names.Applied("g9"), s.names.EventMap(), inbox + ".report", inbox + ".1.0.0", inbox + ".ffffffffffffffff.4294967295.4294967295", inbox, inbox + ".x.y.z"}
		for _, data := range append(broken(aWatermark()), broken(aReport())...) {
			for _, subject := range quiet {
				s.publish(subject, "", data)
			}
		}
		for _, data := range garbage() {
			for _, subject := range quiet {
				s.publish(subject, "", data)
			}
		}
		s.unchanged(before, "default/a")
	})
}

// aWatermark and aReport are whole, and of a member that nobody declared.
func aWatermark() []byte {
	return wire.AppendWatermark(nil, &wire.Watermark{Group: "g0", Member: "g0/stranger", Incarnation: 3, Counter: 1, Applied: 1 << 50, Head: 1 << 50, State: "serving",
		Leases: []wire.LeaseEntry{{Member: "g0/stranger", Incarnation: 3, G: 1, DurationMs: 1 << 31}}})
}

func aReport() []byte {
	return wire.AppendReport(nil, &wire.Report{Group: "g0", Member: "g0/stranger", Incarnation: 3, Counter: 2, Seq: 1 << 50, Serving: true,
		Leases: []wire.LeaseEntry{{Member: "g0/stranger", Incarnation: 3, G: 1, DurationMs: 1 << 31}}})
}

// answered sends a request that is answered at once, well or badly.
func (s *stage) answered(subject, name string, data []byte) {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), 10*time.Second)
	defer cancel()
	if _, err := s.Conn().RequestWithContext(ctx, subject, data); err != nil {
		s.t.Errorf("%s to %s: %v", name, subject, err)
	}
}

func (s *stage) publish(subject, reply string, data []byte) {
	s.t.Helper()
	if err := s.Conn().PublishMsg(&nats.Msg{Subject: subject, Reply: reply, Data: data}); err != nil {
		s.t.Fatal(err)
	}
}

// coordinatorInbox listens where a coordinator hears from members, and gives its inbox.
func (s *stage) coordinatorInbox() string {
	s.t.Helper()
	sub, err := s.Conn().SubscribeSync("_INBOX_JETSEEK.c.>")
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = sub.Unsubscribe() }()
	if _, err := s.Client().Search(s.t.Context(), "default", wire.NewSearch("word")); err != nil {
		s.t.Fatal(err)
	}
	msg, err := sub.NextMsg(time.Second)
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(strings.Split(msg.Subject, ".")[:3], ".")
}

// No request can aim an answer at anything but an inbox: not into a log, not at the server, not at a service.
func TestRepliesGoToInboxesOnly(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		before := s.state("default/a")
		targets := []string{s.names.Log("g0"), s.names.LogOwn("g0"), s.names.Tail("g0"), s.names.Applied("g0"), s.names.Write("default", "index"),
			s.names.Admin("collections.drop"), "$JS.API.STREAM.DELETE." + s.names.Stream("g0"), "$JS.API.STREAM.PURGE." + s.names.Stream("g0"), "$KV.JETSEEK.map", "x", "inbox._x"}
		var heard []string
		for _, subject := range []string{"x", "inbox.>", s.names.Write("default", "index"), s.names.Admin("collections.drop")} {
			if _, err := s.Conn().Subscribe(subject, func(m *nats.Msg) { heard = append(heard, m.Subject) }); err != nil {
				t.Fatal(err)
			}
		}
		first := s.logEnd("g0")
		for _, reply := range append(targets, "_INBOX.*", "_INBOX.>", "_INBOX.a..b", "_", s.coordinatorInbox()+".report", s.coordinatorInbox()+".1.0.0") {
			for _, subject := range []string{s.names.Read("default", "search"), s.names.Read("default", "nothing"), s.names.Admin("members"), s.names.Member("g0", "n1", "ping"), s.names.Any("g0", "nothing")} {
				s.publish(subject, reply, []byte(`{}`))
			}
			for op, request := range binaryRequests(s.incarnation("default")) {
				s.publish(s.names.Member("g0", "n2", op), reply, request)
			}
		}
		// A write without an inbox would be one that nobody hears of: it is not done.
		for _, reply := range targets {
			s.publish(s.names.Read("default", "get"), reply, []byte(`{"id":"a"}`))
			s.publish(s.names.Member("g0", "n1", "ping"), reply, nil)
		}
		if err := s.Conn().Flush(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		if len(heard) > 0 {
			t.Errorf("answers went to %v", heard)
		}
		for _, rec := range s.logSince("g0", first) {
			if len(rec.Ops) != 1 || rec.Ops[0].Kind != wire.KindLease {
				t.Errorf("the log has got %+v", rec)
			}
		}
		s.unchanged(before, "default/a")
	})
}

func (s *stage) stream(group string) jetstream.Stream {
	s.t.Helper()
	js, err := jetstream.New(s.Conn())
	if err != nil {
		s.t.Fatal(err)
	}
	stream, err := js.Stream(s.t.Context(), s.names.Stream(group))
	if err != nil {
		s.t.Fatal(err)
	}
	return stream
}

func (s *stage) logEnd(group string) uint64 {
	s.t.Helper()
	info, err := s.stream(group).Info(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}
	return info.State.LastSeq
}

// logSince reads the records behind a sequence.
func (s *stage) logSince(group string, seq uint64) []*wire.Record {
	s.t.Helper()
	var records []*wire.Record
	for seq++; seq <= s.logEnd(group); seq++ {
		msg, err := s.stream(group).GetMsg(s.t.Context(), seq)
		if err != nil {
			s.t.Fatal(err)
		}
		rec, err := wire.DecodeRecord(msg.Data)
		if err != nil {
			s.t.Errorf("message %d: %v", seq, err)
			continue
		}
		records = append(records, rec)
	}
	return records
}

// badRecords are messages that should not be in a log and are: no records, and records whose parts do not decode or make no sense.
func badRecords(coll schema.Incarnation) [][]byte {
	slot := placement.Slot("a")
	record := func(r wire.Record) []byte {
		r.Header = wire.Header{Log: wire.UUID{1}, Sender: 2, Counter: 3, Reply: "jetseek.log.g0"}
		return wire.AppendRecord(nil, &r)
	}
	op := func(op wire.Op) []byte {
		op.IfVersion = wire.NoCondition
		return record(wire.Record{Ops: []wire.Op{op}})
	}
	var all [][]byte
	for _, data := range garbage() {
		all = append(all, data)
	}
	put := op(wire.Op{Kind: wire.KindPut, Collection: coll, SchemaVersion: 1, ID: "a", Slot: slot, Body: []byte(`{"id":"a","body":"changed"}`)})
	const format = 4 // the byte that holds the format's number: another one is a newer log
	for i, data := range broken(put) {
		if i%9 == 0 && (len(data) <= format || data[format] == put[format]) {
			all = append(all, data)
		}
	}
	for i := 6; i < 16; i++ { // counts and sizes of the header, under a right checksum
		spoilt := bytes.Clone(put)
		spoilt[i] ^= 0xff
		body := spoilt[:len(spoilt)-4]
		binary.LittleEndian.PutUint32(spoilt[len(body):], crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
		all = append(all, spoilt)
	}
	for _, kind := range []wire.Kind{wire.KindGenesis, wire.KindOwn, wire.KindLease, wire.KindRelease} {
		for _, body := range [][]byte{nil, {0xff}, bytes.Repeat([]byte{0xff}, 64), []byte(`{}`)} {
			all = append(all, op(wire.Op{Kind: kind, Body: body}))
		}
	}
	whole := wire.AppendOwn(nil, &wire.Own{Epoch: 99, Ranges: []wire.SlotRange{{From: 0, To: 1}}})
	return append(all,
		op(wire.Op{Kind: wire.KindOwn, Body: whole}), // not on the subject of its own
		op(wire.Op{Kind: wire.KindGenesis, Body: wire.AppendGenesis(nil, &wire.Genesis{Log: wire.UUID{9}, Group: "g7", Generation: 1, FirstSeq: 1, By: "g7/n1"})}),
		op(wire.Op{Kind: wire.KindPut, Collection: 12345, SchemaVersion: 1, ID: "a", Slot: slot, Body: []byte(`{"id":"a"}`)}),
		op(wire.Op{Kind: wire.KindPut, Collection: coll, SchemaVersion: 1, ID: "a", Slot: slot, Body: []byte(`{"id":`)}),
		op(wire.Op{Kind: wire.KindPut, Collection: coll, SchemaVersion: 1, ID: "a", Slot: slot}),
		op(wire.Op{Kind: wire.KindDelete, Collection: coll, ID: "nobody", Slot: placement.Slot("nobody")}),
		op(wire.Op{Kind: wire.KindDelete, Collection: 12345, ID: "a", Slot: slot}),
		record(wire.Record{}),
		record(wire.Record{Schemas: []wire.SchemaRecord{{Collection: coll, Name: "default", Version: 77, Schema: []byte(`{"fields":`)}}}),
		record(wire.Record{Schemas: []wire.SchemaRecord{{Collection: coll, Name: "default", Version: 78}, {Collection: 4711, Schema: []byte(`{"fields":{"a":{"type":"colour"}}}`)}}}),
	)
}

// What is no record, or a broken one, is passed over by all members alike, when it comes and when it is replayed.
func TestGarbageInALog(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		before := s.state("default/a")
		js, err := jetstream.New(s.Conn())
		if err != nil {
			t.Fatal(err)
		}
		bad := badRecords(s.incarnation("default"))
		for i, data := range bad {
			subject := s.names.Log("g0")
			if i%5 == 4 {
				subject = s.names.LogOwn("g0")
			}
			if rec, err := wire.DecodeRecord(data); err == nil && len(rec.Ops) == 1 && rec.Ops[0].Kind == wire.KindOwn {
				subject = s.names.Log("g0") // a whole entry on its own subject would hold
			}
			if _, err := js.Publish(t.Context(), subject, data); err != nil {
				t.Fatal(err)
			}
			if i%20 == 0 {
				s.index("between", client.WriteOptions{})
			}
		}
		s.remove("between")
		after := s.state("default/a")
		if after.Documents["default/a"] != before.Documents["default/a"] || fmt.Sprint(after.Collections) != fmt.Sprint(before.Collections) {
			t.Errorf("before %+v\nafter  %+v", before, after)
		}
		s.sameDigests()
		for _, id := range []string{"g0/n1", "g0/n2"} {
			s.kill(id)
			s.restart(id)
		}
		s.unchanged(after, "default/a")
	})
}

// The tail is a subject like any other until permissions are set: what is no record of the stream cannot take the place of one, and a sequence that is claimed there
// is no hole.
func TestGarbageOnTheTail(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		s.index("a", client.WriteOptions{})
		before := s.state("default/a")
		good := wire.AppendRecord(nil, &wire.Record{Header: wire.Header{Log: wire.UUID{1}}, Ops: []wire.Op{
			{Kind: wire.KindDelete, Collection: s.incarnation("default"), ID: "a", Slot: placement.Slot("a"), IfVersion: wire.NoCondition}}})
		newer := wire.AppendRecord(nil, &wire.Record{Ops: []wire.Op{{Kind: wire.KindRefound + 1, IfVersion: wire.NoCondition}}})
		forge := func(stream, seq string, data []byte) {
			msg := nats.NewMsg(s.names.Tail("g0"))
			msg.Header = nats.Header{"Nats-Stream": {stream}, "Nats-Subject": {s.names.Log("g0")}, "Nats-Sequence": {seq}, "Nats-Last-Sequence": {"1"}}
			msg.Data = data
			if err := s.Conn().PublishMsg(msg); err != nil {
				t.Fatal(err)
			}
		}
		for round := range 3 {
			for name, data := range garbage() {
				if len(data) < 1<<20 {
					for ahead := range uint64(3) {
						forge(s.names.Stream("g0"), fmt.Sprint(s.logEnd("g0")+1+ahead), data)
					}
				}
				s.publish(s.names.Tail("g0"), "", data)
				s.publish(s.names.TailOwn("g0"), "", data)
				reply, _ := s.remove("nobody")
				if !reply.OK || reply.Verified == nil || !*reply.Verified {
					t.Fatalf("round %d, behind %s: %+v", round, name, reply)
				}
			}
			next := s.logEnd("g0") + 1
			forge(s.names.Stream("g0"), fmt.Sprint(next), newer)
			forge("JETSEEK_g1", fmt.Sprint(next), good)
			for _, seq := range []string{"", "-1", "x", "0", "1", "18446744073709551615", "18446744073709551616", fmt.Sprint(uint64(1) << 62), fmt.Sprint(next + 5), fmt.Sprint(next + 500)} {
				forge(s.names.Stream("g0"), seq, good)
				s.index("between", client.WriteOptions{})
			}
			time.Sleep(5 * time.Second)
		}
		s.remove("between")
		if after := s.state("default/a"); after.Documents["default/a"] != before.Documents["default/a"] {
			t.Errorf("the document was %s and is %s", before.Documents["default/a"], after.Documents["default/a"])
		}
		s.sameDigests()
		s.kill("g0/n2")
		s.restart("g0/n2")
		s.sameDigests()
		s.expectServing()
	})
}

// A kind or a format that this software does not know stops the members of the group, and no others: what they skipped might decide what follows.
func TestALogOfANewerVersion(t *testing.T) {
	future := wire.AppendRecord(nil, &wire.Record{Ops: []wire.Op{{Kind: wire.KindRefound + 1, IfVersion: wire.NoCondition}}})
	format := wire.AppendRecord(nil, &wire.Record{})
	format[4]++
	for name, data := range map[string][]byte{"kind": future, "format": format} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				s := setStage(t, 2, 2)
				lost, kept := s.idOf("g0", 0), s.idOf("g1", 0)
				s.index(lost, client.WriteOptions{})
				s.index(kept, client.WriteOptions{})
				js, err := jetstream.New(s.Conn())
				if err != nil {
					t.Fatal(err)
				}
				if _, err := js.Publish(t.Context(), s.names.Log("g0"), data); err != nil {
					t.Fatal(err)
				}
				time.Sleep(5 * time.Second)
				members, err := s.Client().Members(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range members {
					failed := m.Group == "g0"
					if (m.State == "failed") != failed || strings.Contains(m.Reason, "log of a newer version") != failed {
						t.Errorf("%+v", m)
					}
				}
				read := func(id string) request {
					return request{op: "read.default.get", body: fmt.Sprintf(`{"id":%q}`, id), http: "GET /doc?id=" + id}
				}
				s.expect(refused{"read", read(lost), 503, "unavailable", wire.ReasonNotServing, "", -1})
				s.expect(refused{"the whole", request{op: "read.default.search", body: `{"partial":"fail"}`, http: "GET /search?partial=fail"}, 503, "unavailable", "partial", "", -1})
				s.expect(refused{"readiness", request{http: "GET /health?group=g0"}, 503, "unavailable", "group_down", "", -1})
				if got := s.overNATS(read(kept), time.Second); got.status != 200 {
					t.Errorf("the other group: %d %s", got.status, got.body)
				}
				reply, err := s.Client().Search(t.Context(), "default", wire.NewSearch("word"))
				if err != nil || !reply.Partial || fmt.Sprint(reply.Shards.FailedGroups) != "[g0]" || reply.Total.Value != 1 {
					t.Errorf("%+v, %v", reply, err)
				}
			})
		})
	}
}
