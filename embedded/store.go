package embedded

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

const (
	// storeLook is how often it is looked whether a store that failed has room again.
	storeLook = time.Second
	// storeRoom is how many bytes must find room before the store is opened again.
	storeRoom = 1 << 20
)

// store watches the store of a server that is alone. A store that could not write once, above all since the disk was full, takes nothing more until it is opened again; the
// server does not do that, and says that it happened to its logger alone, which this is.
type store struct {
	srv    *server.Server
	dir    string
	failed atomic.Pointer[string] // what the server said of it; nil: it works
}

// reason tells why the store takes nothing, "" when it does.
func (s *store) reason() string {
	if said := s.failed.Load(); said != nil {
		return *said
	}
	return ""
}

// watch opens the store again when there is room, until ctx ends.
func (s *store) watch(ctx context.Context) {
	look := time.NewTicker(storeLook)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
		}
		if s.failed.Load() != nil && hasRoom(s.dir) == nil {
			s.reopen()
		}
	}
}

// reopen opens the store again. What was acknowledged is in it.
func (s *store) reopen() {
	if err := s.srv.ShutdownJetStream(); err != nil {
		return // tried again at the next look
	}
	s.failed.Store(nil) // what fails from here on counts again
	if err := s.srv.EnableJetStream(&server.JetStreamConfig{StoreDir: s.dir, SyncAlways: true}); err != nil {
		s.fail(err.Error())
	}
}

func (s *store) fail(said string) { s.failed.CompareAndSwap(nil, &said) }

// hasRoom tells whether a file can be written beside the store.
func hasRoom(dir string) (err error) {
	name := filepath.Join(dir, "room")
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(name)) }()
	if _, err := f.Write(make([]byte, storeRoom)); err != nil {
		return err
	}
	return f.Sync()
}

// Errorf makes store the server's logger: what speaks of a write that failed is noted.
func (s *store) Errorf(format string, v ...any) {
	said := fmt.Sprintf(format, v...)
	for _, sign := range []string{"ritical write error", "no space left", "out of space", "resources, will be DISABLED"} {
		if strings.Contains(said, sign) {
			s.fail(said)
			return
		}
	}
}

// The rest of what the server says is not kept.

func (s *store) Warnf(string, ...any)   {}
func (s *store) Fatalf(string, ...any)  {}
func (s *store) Noticef(string, ...any) {}
func (s *store) Debugf(string, ...any)  {}
func (s *store) Tracef(string, ...any)  {}
