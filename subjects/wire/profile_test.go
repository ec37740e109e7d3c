package wire_test

import (
	"bytes"
	"testing"

	"github.com/jetseek/jetseek/engine/query"
	"github.com/jetseek/jetseek/subjects/wire"
)

// A profile is asked for and told beside all else, with aggregations and without.
func TestProfileTravels(t *testing.T) {
	asked, err := wire.DecodeSearchRequest(wire.AppendSearchRequest(nil, &wire.SearchRequest{Head: testHead, Profile: true, Aggs: []byte{1}}))
	if err != nil || !asked.Profile || asked.Score || !bytes.Equal(asked.Aggs, []byte{1}) {
		t.Errorf("%+v, %v", asked, err)
	}
	for _, reply := range []wire.SearchReply{{}, {Aggs: []byte{7}}, {AggsErr: wire.NewError("limit_exceeded", "", "too many")}} {
		reply.Frame, reply.Total, reply.Profile = testFrame, 3, []byte(`{"segments":2}`)
		reply.Candidates = []query.Candidate{{ID: "d1", Score: 5}}
		got, err := wire.DecodeSearchReply(wire.AppendSearchReply(nil, &reply))
		if err != nil || string(got.Profile) != `{"segments":2}` || !bytes.Equal(got.Aggs, reply.Aggs) || (got.AggsErr == nil) != (reply.AggsErr == nil) || len(got.Candidates) != 1 || got.Total != 3 {
			t.Errorf("%+v, %v", got, err)
		}
	}
}
