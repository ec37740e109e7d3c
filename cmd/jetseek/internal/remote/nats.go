package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// natsLink leads over NATS.
type natsLink struct {
	conn   *nats.Conn
	client *client.Client
	table  []ops.Op
}

// OverNATS makes a link over an open connection, which it owns.
func OverNATS(conn *nats.Conn, o client.Options) (Link, error) {
	c, err := client.New(conn, o)
	if err != nil {
		conn.Close()
		return nil, err
	}
	return &natsLink{conn: conn, client: c, table: ops.Table()}, nil
}

func (l *natsLink) Where() string { return l.conn.ConnectedUrlRedacted() }

func (l *natsLink) Close() { l.conn.Close() }

// Do makes a call: parameters that the table sends to headers become headers, the others fields of the body.
func (l *natsLink) Do(ctx context.Context, c Call) (Answer, error) {
	op := find(l.table, c.Op)
	request := client.Request{Subject: c.Op.Subject(l.client.Names(), c.Collection), Header: nats.Header{}, Body: c.Body, Write: op.ID.Changes()}
	fields := map[string]any{}
	for name, value := range c.Params {
		switch p := natsParam(op, name); p.To {
		case ops.Header:
			request.Header.Set(p.Key, value)
		case ops.IDHeader:
			wire.SetID(request.Header, value)
		default:
			fields[p.Key] = fieldValue(p.Kind, value)
		}
	}
	if op.ID == ops.CollectionsCreate && c.Body != nil {
		fields["schema"], request.Body = json.RawMessage(c.Body), nil
	}
	if request.Body == nil {
		body, err := json.Marshal(fields)
		if err != nil {
			return Answer{}, err
		}
		request.Body = body
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Budget, c.Op.Budget()))
	defer cancel()
	reply, err := l.client.Do(ctx, request)
	if err != nil {
		return Answer{}, err
	}
	answer := Answer{Status: reply.Status, Body: reply.Body}
	return answer, failure(answer)
}

// natsParam says where a parameter goes over NATS: the operation's own stand in it, the others in its routes.
func natsParam(op *ops.Op, name string) ops.Param {
	for _, list := range [][]ops.Param{op.Params, op.Routes[0].Params} {
		for _, p := range list {
			if p.Name == name {
				return p
			}
		}
	}
	return ops.Param{Name: name, To: ops.Field, Key: name}
}

// fieldValue is a parameter's text as a field of a body.
func fieldValue(kind ops.Kind, text string) any {
	if kind == ops.Whole {
		if n, err := strconv.ParseInt(text, 10, 64); err == nil {
			return n
		}
	}
	return text
}
