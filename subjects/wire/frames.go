package wire

import (
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
)

// A reply that is larger than a message is sent as frames: messages to the same reply subject, in order, each with [HeaderFrame] (its number, from 0) and the last one
// with [HeaderLast] as well. Their bodies, joined, are the reply; the headers of the first frame are the reply's. A reply that fits is one message without these
// headers. Coordinators always take frames from members; anybody else asks for them with [HeaderFrames], and gets too_large otherwise.
const (
	HeaderFrames = "Jetseek-Frames" // request: "1", replies may come in frames
	HeaderFrame  = "Jetseek-Frame"  // reply: the number of this frame
	HeaderLast   = "Jetseek-Last"   // reply: "1" on the last frame
)

const (
	// MaxReplyBytes bounds a reply in frames, so that one answer cannot fill a connection's buffers on its way.
	MaxReplyBytes = 32 << 20
	// MaxDocumentBytes bounds one document.
	MaxDocumentBytes = 16 << 20
	// MaxBulkBytes bounds the body of one bulk.
	MaxBulkBytes = 64 << 20
	// frameRoom is what a frame leaves of a message for headers.
	frameRoom = 4 << 10
	// flushEvery is after how many bytes of frames the sender waits for the server to have taken them.
	flushEvery = 4 << 20
)

// Fits tells whether a reply with little in its headers goes as one message.
func Fits(bytes int, maxPayload int64) bool { return int64(bytes)+frameRoom <= maxPayload }

// Respond sends a reply: as one message if it fits, else in frames. It waits for the server now and then, so that a large reply does not pile up in the
// connection. The caller has checked [MaxReplyBytes] and that the asker takes frames.
func Respond(conn *nats.Conn, reply *nats.Msg) error {
	limit := int(conn.MaxPayload()) - frameRoom
	if len(reply.Data) <= limit {
		return conn.PublishMsg(reply)
	}
	if limit <= 0 {
		return fmt.Errorf("max_payload of %d bytes leaves no room for a frame", conn.MaxPayload())
	}
	rest, unflushed := reply.Data, 0
	for n := 0; len(rest) > 0; n++ {
		frame := nats.NewMsg(reply.Subject)
		if n == 0 {
			for key, values := range reply.Header {
				frame.Header[key] = values
			}
		}
		frame.Header.Set(HeaderFrame, strconv.Itoa(n))
		frame.Data = rest[:min(limit, len(rest))]
		rest = rest[len(frame.Data):]
		if len(rest) == 0 {
			frame.Header.Set(HeaderLast, "1")
		}
		if err := conn.PublishMsg(frame); err != nil {
			return err
		}
		if unflushed += len(frame.Data); unflushed >= flushEvery {
			unflushed = 0
			if err := conn.Flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Joiner joins the frames of one reply.
type Joiner struct {
	first *nats.Msg
	next  int
	data  []byte
}

// Add takes a message of the reply and gives the whole reply when it was the last. Frames out of order, or more than [MaxReplyBytes] of them, are an
// error: NATS keeps the order of one sender, so a frame was lost.
func (j *Joiner) Add(msg *nats.Msg) (*nats.Msg, error) {
	number := msg.Header.Get(HeaderFrame)
	if number == "" {
		return msg, nil
	}
	if n, err := strconv.Atoi(number); err != nil || n != j.next {
		return nil, fmt.Errorf("%w: frame %s of a reply, expected %d", ErrMalformed, strconv.Quote(number), j.next)
	}
	if len(j.data)+len(msg.Data) > MaxReplyBytes {
		return nil, fmt.Errorf("%w: a reply of more than %d bytes", ErrMalformed, MaxReplyBytes)
	}
	if j.next == 0 {
		j.first = msg
	}
	j.next++
	j.data = append(j.data, msg.Data...)
	if msg.Header.Get(HeaderLast) == "" {
		return nil, nil
	}
	whole := *j.first
	whole.Data = j.data
	return &whole, nil
}
