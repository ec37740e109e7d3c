package embedded

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// put writes a document with a body of words.
func (s *stage) put(collection, id, words string, o client.WriteOptions) (*wire.WriteReply, error) {
	return s.Client().Index(s.t.Context(), collection, fmt.Appendf(nil, `{"id":%q,"body":%q}`, id, words), o)
}

// hits asks for words and gives ids, scores and total, as they stand in the answer.
func (s *stage) hits(collection, words string) string {
	s.t.Helper()
	body := wire.NewSearch(words)
	body.TimeoutMs = 30_000
	reply, err := s.Client().Search(s.t.Context(), collection, body)
	if err != nil || !reply.Exact {
		s.t.Fatalf("%s in %s: %+v, %v", words, collection, reply, err)
	}
	text, err := json.Marshal([]any{reply.Hits, reply.Total})
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

// Replaced versions are in no score, whatever of them each member has in files, in memory, or merged away: three members answer alike, one after the other alone, and as an index does that never held them.
func TestScoresFromAnyCopy(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 3)
		if _, err := s.Client().CreateCollection(t.Context(), "fresh", json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
		write := func(collection, id, words string) {
			if _, err := s.put(collection, id, words, client.WriteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		nodes := []string{"g0/n1", "g0/n2", "g0/n3"}
		final := map[string]string{"a": "red apple", "b": "green apple pie", "c": "apple version9 and so on"}
		for _, id := range []string{"a", "b"} {
			write("default", id, final[id])
		}
		for n := range 10 {
			write("default", "c", fmt.Sprintf("apple version%d and so on", n))
			if n == 5 { // it replays the log into other segments
				s.kill("g0/n2")
				s.restart("g0/n2")
			}
		}
		for _, id := range []string{"a", "b", "c"} {
			write("fresh", id, final[id])
		}
		for _, words := range []string{"apple", "version9", "version3", "apple pie", "red OR green OR so"} {
			want := s.hits("fresh", words)
			for range 3 {
				if got := s.hits("default", words); got != want {
					t.Errorf("%s by any member: %s, want %s", words, got, want)
				}
			}
		}
		for _, alone := range nodes {
			for _, id := range nodes {
				if id != alone {
					s.kill(id)
				}
			}
			for _, words := range []string{"apple", "version3", "apple pie"} {
				if got, want := s.hits("default", words), s.hits("fresh", words); got != want {
					t.Errorf("%s by %s: %s, want %s", words, alone, got, want)
				}
			}
			for _, id := range nodes {
				if id != alone {
					s.restart(id)
				}
			}
		}
		s.sameDigests()
	})
}

// What was deleted has no version any more, also for members that have all been killed since: who names the last one it had is refused, who wants it absent is not.
func TestDeletedVersionsAreForgotten(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		s := setStage(t, 1, 2)
		for n := range 3 {
			if reply, err := s.put("default", "x", "word", client.WriteOptions{}); err != nil || reply.Version != uint64(n+1) {
				t.Fatalf("%+v, %v", reply, err)
			}
		}
		if reply, _ := s.remove("x"); reply.Verified == nil || !*reply.Verified {
			t.Fatalf("%+v", reply)
		}
		for _, id := range []string{"g0/n1", "g0/n2"} {
			s.kill(id)
		}
		for _, id := range []string{"g0/n1", "g0/n2"} {
			s.restart(id)
		}
		last, absent := uint64(3), uint64(0)
		if reply, err := s.put("default", "x", "word", client.WriteOptions{IfVersion: &last}); fault.CodeOf(err) != fault.VersionConflict {
			t.Errorf("version 3 again: %+v, %v", reply, err)
		}
		if got := s.hits("default", "word"); got != `[[],{"value":0,"relation":"eq"}]` {
			t.Errorf("after a write that was refused: %s", got)
		}
		if reply, err := s.put("default", "x", "word", client.WriteOptions{IfVersion: &absent}); err != nil || reply.Outcome != "created" || reply.Version != 1 {
			t.Errorf("absent: %+v, %v", reply, err)
		}
	})
}
