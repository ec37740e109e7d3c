package client

import (
	"context"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/jetseek/jetseek/subjects/wire"
)

// inbox is the client's own wildcard inbox. nats.go's requests deliver one message a reply, and a reply may come in frames.
type inbox struct {
	prefix string

	mu    sync.Mutex // guards the fields below
	sub   *nats.Subscription
	last  uint64
	calls map[string]*waiting // by the last token of the reply subject
}

// waiting is a call that waits for its reply.
type waiting struct {
	joiner wire.Joiner // of the callback alone
	reply  chan joined // has room for one
}

type joined struct {
	msg *nats.Msg
	err error
}

// inboxBytes bounds what waits in the subscription of the inbox; a reply in frames has up to [wire.MaxReplyBytes].
const inboxBytes = 4 * wire.MaxReplyBytes

// open subscribes the inbox, at the first call.
func (i *inbox) open(nc *nats.Conn) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.sub != nil && i.sub.IsValid() {
		return nil
	}
	i.prefix = nc.NewInbox()
	i.calls = make(map[string]*waiting)
	sub, err := nc.Subscribe(i.prefix+".*", i.take)
	if err != nil {
		return err
	}
	i.sub = sub
	return sub.SetPendingLimits(1<<16, inboxBytes)
}

// subject is what the inbox subscribes to.
func (i *inbox) subject() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.prefix + ".*"
}

// take routes one message to its call.
func (i *inbox) take(msg *nats.Msg) {
	token := msg.Subject[strings.LastIndexByte(msg.Subject, '.')+1:]
	i.mu.Lock()
	w := i.calls[token]
	i.mu.Unlock()
	if w == nil {
		return // its call has ended
	}
	whole, err := w.joiner.Add(msg)
	if whole == nil && err == nil {
		return
	}
	select {
	case w.reply <- joined{whole, err}:
	default: // a second reply to one request
	}
}

// request sends a message and waits for its whole reply. Errors are those of nats.go's requests, ctx's, and [wire.ErrMalformed] for frames that do not join.
func (i *inbox) request(ctx context.Context, nc *nats.Conn, msg *nats.Msg) (*nats.Msg, error) {
	if err := i.open(nc); err != nil {
		return nil, err
	}
	w := &waiting{reply: make(chan joined, 1)}
	i.mu.Lock()
	i.last++
	token := strconv.FormatUint(i.last, 36)
	i.calls[token] = w
	msg.Reply = i.prefix + "." + token
	i.mu.Unlock()
	defer func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		delete(i.calls, token)
	}()
	msg.Header.Set(wire.HeaderFrames, "1")
	if err := nc.PublishMsg(msg); err != nil {
		return nil, err
	}
	select {
	case r := <-w.reply:
		if r.err != nil {
			return nil, r.err
		}
		if len(r.msg.Data) == 0 && r.msg.Header.Get("Status") == "503" {
			return nil, nats.ErrNoResponders
		}
		return r.msg, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
