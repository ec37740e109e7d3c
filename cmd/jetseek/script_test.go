package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/jetseek/jetseek/coordinator/bridge"
	"github.com/jetseek/jetseek/embedded"
)

// TestMain lets scripts run the command as a process of its own: the test's binary under the name jetseek.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"jetseek": main})
}

// The scripts of testdata/script, each against a system of its own in this process: 2 groups of 2 members, over HTTP at $URL and NATS at $NATS.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: filepath.Join("testdata", "script"), Setup: serveScript, RequireExplicitExec: true})
}

func serveScript(env *testscript.Env) error {
	db, err := embedded.Open(filepath.Join(env.WorkDir, ".data"), embedded.Options{Groups: 2, Members: 2, Listen: true})
	if err != nil {
		return err
	}
	listener, err := bridge.Listen("127.0.0.1:0", false)
	if err != nil {
		return err
	}
	server := bridge.NewServer(listener, bridge.NewHandler(db.Client(), nil), nil)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }() // ends with the script
	env.Defer(func() {
		stop()
		<-ended
		_ = db.Close() // the script is over
	})
	env.Setenv("URL", "http://"+server.Addr())
	env.Setenv("NATS", db.NATSURL())
	env.Setenv("HOME", env.WorkDir)
	for _, name := range []string{"NATS_URL", "NATS_CONTEXT", "JETSEEK_URL", "XDG_CONFIG_HOME", "XDG_STATE_HOME"} {
		env.Setenv(name, "")
	}
	return os.MkdirAll(filepath.Join(env.WorkDir, ".config", "nats", "context"), 0o700)
}
