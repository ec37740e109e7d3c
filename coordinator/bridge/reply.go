package bridge

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/ops"
	"github.com/jetseek/jetseek/subjects/wire"
)

// localAnswer makes a reply here instead of passing one on; request is what the route's parameters made.
type localAnswer func(ctx context.Context, c *client.Client, request client.Request) (client.Reply, error)

// health answers that the process lives, and of a named group whether it answers.
func health(ctx context.Context, c *client.Client, request client.Request) (client.Reply, error) {
	var asked struct {
		Group *string `json:"group"`
	}
	if err := json.Unmarshal(request.Body, &asked); err != nil {
		return client.Reply{}, err
	}
	if asked.Group != nil {
		status, err := readiness(ctx, c, request)
		if err != nil {
			return client.Reply{}, err
		}
		up, known := status.Groups[*asked.Group]
		if !known {
			return client.Reply{}, fault.New(fault.NotFound, "no group %s", fault.Quote(*asked.Group))
		}
		if !up {
			return client.Reply{}, wire.NewError(fault.Unavailable, "group_down", "no member of the group serves")
		}
	}
	return jsonReply(http.StatusOK, map[string]string{"status": "ok"}), nil
}

// ready answers 503 until every group answers, and says which does not, or why nothing is known.
func ready(ctx context.Context, c *client.Client, request client.Request) (client.Reply, error) {
	status, err := readiness(ctx, c, request)
	if err != nil {
		return jsonReply(http.StatusServiceUnavailable, struct {
			wire.ReadyBody
			Error *wire.ErrorInfo `json:"error"`
		}{wire.ReadyBody{Groups: map[string]bool{}}, wire.FromError(err).Info()}), nil
	}
	if !status.Ready {
		return jsonReply(http.StatusServiceUnavailable, status), nil
	}
	return jsonReply(http.StatusOK, status), nil
}

func readiness(ctx context.Context, c *client.Client, request client.Request) (*wire.ReadyBody, error) {
	reply, err := c.Do(ctx, request)
	if err == nil {
		err = reply.Err()
	}
	if err != nil {
		return nil, err
	}
	var status wire.ReadyBody
	if err := json.Unmarshal(reply.Body, &status); err != nil {
		return nil, err
	}
	return &status, nil
}

func openAPI(context.Context, *client.Client, client.Request) (client.Reply, error) {
	return jsonReply(http.StatusOK, describe(ops.Table())), nil
}

func jsonReply(status int, v any) client.Reply {
	body, err := json.Marshal(v)
	if err != nil {
		panic("bridge: a reply that is no JSON: " + err.Error())
	}
	return client.Reply{Status: status, Body: body}
}

// writeError answers with an error under its own status.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	writeErrorStatus(w, r, wire.FromError(err).Status(), err)
}

func writeErrorStatus(w http.ResponseWriter, r *http.Request, status int, err error) {
	discardRest(r)
	reply := jsonReply(status, wire.FromError(err).Body())
	w.WriteHeader(reply.Status)
	writeLine(w, reply.Body)
}
