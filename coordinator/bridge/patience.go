package bridge

import (
	"io"
	"net/http"
	"time"
)

// leastRate is the bytes a second at which the body of a write may come; at it 64 MiB take an hour and eight minutes.
const leastRate = 16 << 10

// patient gives a request's body that moves the connection's time-outs along with what arrives, so that a large body may take its time, and a client that sends
// nothing is cut off when it would be. Without a server that has a time-out it is the body as it is.
func patient(w http.ResponseWriter, r *http.Request) io.Reader {
	server, ok := r.Context().Value(http.ServerContextKey).(*http.Server)
	if !ok || server.ReadTimeout <= 0 {
		return r.Body
	}
	return &patientBody{from: r.Body, connection: http.NewResponseController(w), end: time.Now().Add(server.ReadTimeout)}
}

type patientBody struct {
	from       io.Reader
	connection *http.ResponseController
	end        time.Time // if nothing more arrives
}

func (b *patientBody) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	b.end = b.end.Add(time.Duration(n) * time.Second / leastRate)
	_ = b.connection.SetReadDeadline(b.end) // not every writer has deadlines: then the server's stand
	_ = b.connection.SetWriteDeadline(b.end.Add(slack))
	return n, err
}
