package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/cmd/jetseek/internal/natscontext"
	"github.com/jetseek/jetseek/subjects"
)

// connectionFlags are the flags of every command that needs a NATS of someone else.
func connectionFlags() []cli.Flag {
	return append([]cli.Flag{
		textFlag("nats", "`URL` of the NATS server; several with commas (default: "+nats.DefaultURL+")", "NATS_URL"),
		textFlag("prefix", "first `TOKEN` of all subjects of the cluster (default: "+subjects.DefaultPrefix+")"),
	}, accessFlags()...)
}

// textFlag makes a flag that says how to reach NATS. In help texts they stand by themselves: few readers need them.
func textFlag(name, usage string, variables ...string) cli.Flag {
	return &cli.StringFlag{Name: name, Category: "Reaching NATS:", EnvVars: append([]string{variable(name)}, variables...), Usage: usage}
}

// accessFlags say as whom to connect. They have the names and variables of the nats command line, and like there a flag stands before its variable, and
// both before the context.
func accessFlags() []cli.Flag {
	return []cli.Flag{
		textFlag("context", "connect as the nats command line does with its context `NAME`", "NATS_CONTEXT"),
		textFlag("creds", "`FILE` of credentials", "NATS_CREDS"),
		textFlag("nkey", "`FILE` of an nkey seed", "NATS_NKEY"),
		textFlag("user", "`NAME` of the user", "NATS_USER"),
		textFlag("password", "`PASSWORD` of the user; its variable keeps it out of the list of processes", "NATS_PASSWORD"),
		textFlag("tlscert", "`FILE` of the client's certificate", "NATS_CERT"),
		textFlag("tlskey", "`FILE` of its key", "NATS_KEY"),
		textFlag("tlsca", "`FILE` of the authority that vouches for the server", "NATS_CA"),
		textFlag("inbox-prefix", "`PREFIX` of the inboxes of requests (default: _INBOX)"),
	}
}

// connection is how to reach a NATS server, and the cluster's names there.
type connection struct {
	url     string
	options []nats.Option
	names   subjects.Names
	prefix  string // "": the default
}

// readConnection puts flags, variables and the context together.
func readConnection(c *cli.Context) (*connection, error) {
	from := &natscontext.Context{}
	if name := c.String("context"); name != "" {
		folder, err := natscontext.Folder(os.Getenv)
		if err != nil {
			return nil, err
		}
		if from, err = natscontext.Load(folder, name); err != nil {
			return nil, usageError{err}
		}
	}
	conn := &connection{url: cmp.Or(c.String("nats"), from.URL, nats.DefaultURL), prefix: c.String("prefix")}
	if conn.prefix != "" {
		var err error
		if conn.names, err = subjects.New(conn.prefix); err != nil {
			return nil, usageError{fmt.Errorf("--prefix: %w", err)}
		}
	}
	return conn, conn.authenticate(c, from)
}

// authenticate adds who we are. Of several ways the one that is said nearest counts: what a flag says hides what the context says.
func (conn *connection) authenticate(c *cli.Context, from *natscontext.Context) error {
	user, password := c.String("user"), c.String("password")
	creds, nkey := c.String("creds"), c.String("nkey")
	if user == "" && creds == "" && nkey == "" {
		user, password, creds, nkey = from.User, from.Password, from.Creds, from.NKey
		if from.Token != "" {
			conn.options = append(conn.options, nats.Token(from.Token))
		}
	}
	if user != "" {
		conn.options = append(conn.options, nats.UserInfo(user, password))
	}
	if creds != "" {
		conn.options = append(conn.options, nats.UserCredentials(creds))
	}
	if nkey != "" {
		option, err := nats.NkeyOptionFromSeed(nkey)
		if err != nil {
			return usageError{fmt.Errorf("nkey %s: %w", nkey, err)}
		}
		conn.options = append(conn.options, option)
	}
	if cert, key := cmp.Or(c.String("tlscert"), from.Cert), cmp.Or(c.String("tlskey"), from.Key); cert != "" || key != "" {
		conn.options = append(conn.options, nats.ClientCert(cert, key))
	}
	if ca := cmp.Or(c.String("tlsca"), from.CA); ca != "" {
		conn.options = append(conn.options, nats.RootCAs(ca))
	}
	if prefix := cmp.Or(c.String("inbox-prefix"), from.InboxPrefix); prefix != "" {
		if !subjects.IsInbox(prefix + ".x") {
			return usageError{fmt.Errorf("--inbox-prefix %q: want tokens with dots between them, the first with an underscore before it, as in _INBOX_ann", prefix)}
		}
		conn.options = append(conn.options, nats.CustomInboxPrefix(prefix))
	}
	return nil
}

// awaitPause is the time between two tries to reach a server that is not there yet.
const awaitPause = 250 * time.Millisecond

// await waits until the server is there, and says once that it waits. A server that does not let us in is an error.
func (conn *connection) await(c *cli.Context, name string) error {
	for waited := false; ; waited = true {
		nc, err := conn.open(name)
		if err == nil {
			nc.Close()
			return nil
		}
		if !errors.Is(err, nats.ErrNoServers) && !errors.Is(err, nats.ErrTimeout) {
			return err
		}
		if !waited {
			sayWaiting(c, conn)
		}
		if err := sleep(c.Context, awaitPause); err != nil {
			return err
		}
	}
}

// sayWaiting says that a process waits for its NATS server.
func sayWaiting(c *cli.Context, conn *connection) {
	say(c, "waiting for NATS at %s", redacted(conn.url))
}

// dialTimeout bounds one try to reach a server.
const dialTimeout = 2 * time.Second

// open connects once, for a command that asks and ends. The error says where it looked.
func (conn *connection) open(name string, options ...nats.Option) (*nats.Conn, error) {
	all := append([]nats.Option{nats.Name("jetseek " + name), nats.Timeout(dialTimeout)}, conn.options...)
	nc, err := nats.Connect(conn.url, append(all, options...)...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS at %s: %w", redacted(conn.url), err)
	}
	return nc, nil
}
