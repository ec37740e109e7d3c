package coordinator

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/service"
)

// handler answers one request of the public API. collection is "" on the admin plane.
type handler func(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error)

// operation is what the coordinator has for one operation of the table.
type operation struct {
	name   string // for metrics
	handle handler
	meter  *service.Meter
}

// handlers gives the handler of every operation.
func (c *Coordinator) handlers() map[ops.ID]handler {
	return map[ops.ID]handler{
		ops.Search:            c.handleSearch,
		ops.Get:               c.handleGet,
		ops.Explain:           c.handleExplain,
		ops.Analyze:           c.handleAnalyze,
		ops.Suggest:           c.handleSuggest,
		ops.Index:             c.handleIndex,
		ops.Delete:            c.handleDelete,
		ops.Bulk:              c.handleBulk,
		ops.CollectionsCreate: c.handleCreate,
		ops.CollectionsList:   c.handleList,
		ops.CollectionsShow:   c.handleShow,
		ops.CollectionsDrop:   c.handleDrop,
		ops.Status:            c.handleStatus,
		ops.Members:           c.handleMembers,
		ops.Ring:              c.handleRing,
		ops.Placement:         c.handlePlacement,
		ops.Plan:              c.handlePlan,
		ops.Map:               c.handleMap,
		ops.Repair:            c.handleRepair,
		ops.Quarantine:        c.handleQuarantine,
		ops.Requeue:           c.handleRequeue,
	}
}

// join gives every operation of the table its handler; one without the other is a fault of the program.
func join(table []ops.Op, handlers map[ops.ID]handler) (map[ops.ID]*operation, error) {
	joined := make(map[ops.ID]*operation, len(table))
	for i := range table {
		op := &table[i]
		h := handlers[op.ID]
		if h == nil {
			return nil, fmt.Errorf("operation %s has no handler", op.ID)
		}
		joined[op.ID] = &operation{name: string(op.ID), handle: onlyWith(op.Headers(), h), meter: new(service.Meter)}
	}
	for id := range handlers {
		if joined[id] == nil {
			return nil, fmt.Errorf("handler of %s: the table has no such operation", id)
		}
	}
	return joined, nil
}

// onlyWith refuses requests with headers that the operation does not take.
func onlyWith(headers []string, h handler) handler {
	return func(ctx context.Context, collection string, msg *nats.Msg) (answerTo, error) {
		if err := ops.CheckHeaders(msg.Header, headers); err != nil {
			return answerTo{}, err
		}
		return h(ctx, collection, msg)
	}
}

// operation gives what an id names; what there is not answers that there is no such operation.
func (c *Coordinator) operation(id ops.ID) *operation {
	if op := c.operations[id]; op != nil {
		return op
	}
	return &operation{name: "unknown", handle: func(context.Context, string, *nats.Msg) (answerTo, error) {
		return answerTo{}, fault.New(fault.NotFound, "there is no operation %s", fault.Quote(string(id)))
	}}
}

// observe counts an answered request, for discovery and for the metrics.
func (c *Coordinator) observe(op *operation, arrived time.Time, err error) {
	took := time.Since(arrived)
	op.meter.Observe(took, err)
	c.metrics.request(op.name, took, err)
}

// announce makes this coordinator known to the NATS services framework.
func (c *Coordinator) announce() (*service.Service, error) {
	config := service.Config{
		Name: subjects.CoordinatorService, ID: fmt.Sprintf("%016x", c.incarnation), Description: "jetseek coordinator: answers the public API",
	}
	for _, op := range ops.Table() {
		config.Endpoints = append(config.Endpoints, service.Endpoint{
			Name: strings.ReplaceAll(op.ID.Name(), ".", "-"), Subject: op.ID.Subject(c.names, "*"), QueueGroup: subjects.CoordinatorService,
			Metadata: map[string]string{"about": op.About}, Meter: c.operations[op.ID].meter,
		})
	}
	return service.Announce(c.conn, config, nil)
}
