package coordinator

import (
	"context"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/subjects/ops"
)

func TestEveryOperationHasItsHandler(t *testing.T) {
	c := &Coordinator{}
	joined, err := join(ops.Table(), c.handlers())
	if err != nil || len(joined) != len(ops.Table()) {
		t.Fatalf("%d of %d operations: %v", len(joined), len(ops.Table()), err)
	}
	none := func(context.Context, string, *nats.Msg) (answerTo, error) { return answerTo{}, nil }
	if _, err := join([]ops.Op{{ID: ops.Search}, {ID: ops.Get}}, map[ops.ID]handler{ops.Search: none}); err == nil || !strings.Contains(err.Error(), "read.get") {
		t.Errorf("an operation without a handler: %v", err)
	}
	if _, err := join([]ops.Op{{ID: ops.Search}}, map[ops.ID]handler{ops.Search: none, "read.x": none}); err == nil || !strings.Contains(err.Error(), "read.x") {
		t.Errorf("a handler without an operation: %v", err)
	}
}
