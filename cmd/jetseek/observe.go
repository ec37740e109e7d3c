package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"time"
	"unicode/utf8"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/urfave/cli/v2"

	"github.com/jetseek/jetseek/coordinator/bridge"
)

// observeFlags are the flags by which an operator looks into a process.
func observeFlags() []cli.Flag {
	const category = "Watching it:"
	return []cli.Flag{
		&cli.StringFlag{Category: category, Name: "log-format", Value: "text", EnvVars: []string{variable("log-format")}, Usage: "write the log on stderr as `text` or json"},
		&cli.StringFlag{Category: category, Name: "log-level", Value: "warn", EnvVars: []string{variable("log-level")}, Usage: "log from this `LEVEL` on: debug, info, warn or error"},
		&cli.IntFlag{Category: category, Name: "slow-ms", Value: 1000, EnvVars: []string{variable("slow-ms")}, Usage: "log searches that take this many `MS` or more; 0: none"},
		&cli.StringFlag{Category: category, Name: "pprof", EnvVars: []string{variable("pprof")}, Usage: "serve profiles (/debug/pprof/) and /metrics on `HOST:PORT` of this machine; port 0 takes a free one"},
	}
}

// observer is how an operator looks into a process: its log, its metrics, and a door of its own for profiles.
type observer struct {
	cli      *cli.Context
	log      *slog.Logger
	slow     time.Duration
	registry *prometheus.Registry
	address  string // of the door; "": none
}

// newObserver reads the flags, and makes what they ask for.
func newObserver(c *cli.Context) (*observer, error) {
	log, err := newLogger(c)
	if err != nil {
		return nil, err
	}
	o := &observer{cli: c, log: log, slow: time.Duration(c.Int("slow-ms")) * time.Millisecond, registry: prometheus.NewRegistry(), address: c.String("pprof")}
	if o.slow < 0 {
		return nil, usageError{fmt.Errorf("--slow-ms %d: at least 0", c.Int("slow-ms"))}
	}
	if o.address != "" {
		if err := bridge.CheckAddress(o.address, false); err != nil { // profiles show memory: --insecure does not open them
			return nil, usageError{fmt.Errorf("--pprof: %w", err)}
		}
	}
	o.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return o, nil
}

// run serves profiles and metrics until the context ends, if a door was asked for.
func (o *observer) run(ctx context.Context) error {
	if o.address == "" {
		return nil
	}
	listener, err := bridge.Listen(o.address, false)
	if err != nil {
		return fmt.Errorf("--pprof: %w; port 0 takes a free one", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.registry, promhttp.HandlerOpts{}))
	server := bridge.NewServer(listener, mux, o.log)
	say(o.cli, "jetseek profiles http=%s", server.Addr())
	return server.Run(ctx)
}

// newLogger makes the log on stderr that the flags ask for.
func newLogger(c *cli.Context) (*slog.Logger, error) {
	level := slog.LevelWarn
	if said := c.String("log-level"); said != "" {
		if err := level.UnmarshalText([]byte(said)); err != nil {
			return nil, usageError{fmt.Errorf("--log-level %q: want debug, info, warn or error", said)}
		}
	}
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: cutValue}
	switch c.String("log-format") {
	case "", "text":
		return slog.New(slog.NewTextHandler(c.App.ErrWriter, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(c.App.ErrWriter, options)), nil
	}
	return nil, usageError{fmt.Errorf("--log-format %q: want text or json", c.String("log-format"))}
}

// loggedBytes bounds a value in the log, whoever has written it. Control characters are escaped by slog's handlers.
const loggedBytes = 256

// cutValue cuts the values of a record; the stack of a panic is ours and stays whole.
func cutValue(_ []string, a slog.Attr) slog.Attr {
	if a.Key == "stack" {
		return a
	}
	text := ""
	switch a.Value.Kind() {
	case slog.KindString:
		text = a.Value.String()
	case slog.KindAny:
		err, ok := a.Value.Any().(error)
		if !ok {
			return a
		}
		text = err.Error()
	default:
		return a
	}
	if len(text) > loggedBytes {
		end := loggedBytes
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return slog.String(a.Key, text)
}
