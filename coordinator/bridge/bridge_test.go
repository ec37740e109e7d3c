package bridge

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/embedded/natstest"
	"github.com/jetseek/jetseek/subjects/wire"
)

// door is a bridge before a coordinator that answers as it is told.
type door struct {
	t     *testing.T
	nats  *natstest.Server
	http  *httptest.Server
	asked chan *nats.Msg
	reply func(*nats.Msg) *nats.Msg
}

func openDoor(t *testing.T, options ...natstest.Option) *door {
	t.Helper()
	d := &door{t: t, nats: natstest.Start(t, options...), asked: make(chan *nats.Msg, 1000), reply: success("200", "{}")} // more than any test asks
	nc := d.nats.Conn(t)
	_, err := nc.Subscribe("jetseek.>", func(m *nats.Msg) {
		d.asked <- m
		if r := d.reply(m); r != nil {
			_ = m.RespondMsg(r)
		}
	})
	if err == nil {
		err = nc.Flush()
	}
	if err != nil {
		t.Fatal(err)
	}
	d.http = httptest.NewServer(d.handler())
	t.Cleanup(d.http.Close)
	return d
}

func (d *door) handler() http.Handler {
	d.t.Helper()
	c, err := client.New(d.nats.Conn(d.t), client.Options{})
	if err != nil {
		d.t.Fatal(err)
	}
	return NewHandler(c, nil)
}

func success(status, body string) func(*nats.Msg) *nats.Msg {
	return func(*nats.Msg) *nats.Msg {
		return &nats.Msg{Header: nats.Header{wire.HeaderStatus: {status}}, Data: []byte(body)}
	}
}

func failure(status, body string) func(*nats.Msg) *nats.Msg {
	return func(*nats.Msg) *nats.Msg {
		return &nats.Msg{Header: nats.Header{"Nats-Service-Error": {"it failed"}, "Nats-Service-Error-Code": {status}}, Data: []byte(body)}
	}
}

// answer is what came back over HTTP.
type answer struct {
	status int
	header http.Header
	body   string
}

// code is the code of the error in the body, or "".
func (a answer) code() string {
	var body wire.ErrorBody
	if json.Unmarshal([]byte(a.body), &body) != nil {
		return ""
	}
	return string(body.Error.Code)
}

func (d *door) call(method, target, body string, header ...string) answer {
	d.t.Helper()
	r, err := http.NewRequest(method, d.http.URL+target, strings.NewReader(body))
	if err != nil {
		d.t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		d.t.Fatalf("%s %s: %v", method, target, err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		d.t.Fatalf("%s %s: %v", method, target, err)
	}
	return answer{resp.StatusCode, resp.Header, string(text)}
}

// notAsked fails when anything reached the coordinator.
func (d *door) notAsked(what string) {
	d.t.Helper()
	for len(d.asked) > 0 {
		m := <-d.asked
		d.t.Errorf("%s: the coordinator was asked %s %q", what, m.Subject, m.Data)
	}
}
