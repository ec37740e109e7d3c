package client

import (
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

// waiting is a sending that waits for its reply.
type waiting struct {
	joiner  wire.Joiner // of the callback alone
	replies chan<- arrival
}

// arrival is a whole reply, or [nats.ErrNoResponders], or [wire.ErrMalformed] for frames that do not join.
type arrival struct {
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
	i.forget([]string{token}) // a second reply to one request finds nobody
	if err == nil && len(whole.Data) == 0 && whole.Header.Get("Status") == "503" {
		whole, err = nil, nats.ErrNoResponders
	}
	select {
	case w.replies <- arrival{whole, err}:
	default: // it waits for no more
	}
}

// send sends a message, and has its reply delivered to replies until the token that it gives is forgotten. Errors are those of nats.go's publish.
func (i *inbox) send(nc *nats.Conn, msg *nats.Msg, replies chan<- arrival) (token string, err error) {
	if err := i.open(nc); err != nil {
		return "", err
	}
	i.mu.Lock()
	i.last++
	token = strconv.FormatUint(i.last, 36)
	i.calls[token] = &waiting{replies: replies}
	msg.Reply = i.prefix + "." + token
	i.mu.Unlock()
	msg.Header.Set(wire.HeaderFrames, "1")
	if err := nc.PublishMsg(msg); err != nil {
		i.forget([]string{token})
		return "", err
	}
	return token, nil
}

// forget ends the wait for replies.
func (i *inbox) forget(tokens []string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, token := range tokens {
		delete(i.calls, token)
	}
}
