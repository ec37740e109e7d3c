package wire

import (
	"errors"
	"reflect"
	"testing"

	"github.com/jetseek/jetseek/engine/fault"
)

func TestSlotsComeBack(t *testing.T) {
	q := &SlotsRequest{Head{Call: 7, Round: 1, Slot: 2, Epoch: 3, BudgetMs: 900}}
	if got, err := DecodeSlotsRequest(AppendSlotsRequest(nil, q)); err != nil || !reflect.DeepEqual(got, q) {
		t.Errorf("request: %+v, %v", got, err)
	}
	if head, err := DecodeHead(AppendSlotsRequest(nil, q)); err != nil || head != q.Head {
		t.Errorf("head: %+v, %v", head, err)
	}
	for _, p := range []*SlotsReply{
		{Frame: Frame{Call: 7, Last: true, Seq: 12, Epoch: 3}},
		{Frame: Frame{Call: 7, Last: true}, Slots: []SlotCount{{0, 1}, {1, 1 << 40}, {16383, 9}}},
		{Frame: Frame{Call: 7, Last: true, Err: NewError(fault.Unavailable, ReasonStaleMap, "no")}},
	} {
		raw := AppendSlotsReply(nil, p)
		if got, err := DecodeSlotsReply(raw); err != nil || !reflect.DeepEqual(got, p) {
			t.Errorf("reply: %+v, %v, want %+v", got, err, p)
		}
		for n := range raw {
			if _, err := DecodeSlotsReply(raw[:n]); !errors.Is(err, ErrMalformed) {
				t.Errorf("%d of %d bytes: %v", n, len(raw), err)
			}
		}
	}
	for _, bad := range [][]SlotCount{{{5, 1}, {5, 1}}, {{5, 1}, {4, 1}}, {{16384, 1}}} {
		if _, err := DecodeSlotsReply(AppendSlotsReply(nil, &SlotsReply{Slots: bad})); !errors.Is(err, ErrMalformed) {
			t.Errorf("%v: %v", bad, err)
		}
	}
}

func TestDecodePlanRequest(t *testing.T) {
	if p, err := DecodePlanRequest([]byte(`{"shards":4}`)); err != nil || p.Shards != 4 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{``, `{"shards":"4"}`, `{"shards":4.5}`, `{"shards":4,"shards":5}`, `{"groups":4}`, `[]`} {
		if _, err := DecodePlanRequest([]byte(bad)); fault.CodeOf(err) != fault.BadRequest {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
