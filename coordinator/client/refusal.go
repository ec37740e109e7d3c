package client

import (
	"errors"
	"strings"

	"github.com/nats-io/nats.go"
)

// refusal tells why the NATS server itself lets a request have no answer, when its last word on this connection was that it refuses the request's
// subject or the inbox of its reply; else "". A server drops what a user may not publish and says so beside the request, which then waits in vain.
func (c *Client) refusal(subject string) string {
	err := c.nc.LastError()
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return ""
	}
	switch said := strings.ToLower(err.Error()); {
	case strings.Contains(said, `publish to "`+subject+`"`):
		return "the NATS server does not let this user publish to " + subject
	case strings.Contains(said, `subscription to "`+strings.ToLower(c.inbox.subject())+`"`):
		return "the NATS server does not let this user read its inbox " + c.inbox.subject() + "; connect with the inbox prefix of the user"
	}
	return ""
}
