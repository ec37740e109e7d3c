package bridge

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/jetseek/jetseek/coordinator/bridge/web"
	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects"
	"github.com/jetseek/jetseek/subjects/wire"
)

const (
	// bodyRoom bounds the bytes of all request bodies in memory at one time; beyond it a request is refused with overloaded.
	bodyRoom = 256 << 20
	// longestBudget bounds every wait, whatever a caller asks for.
	longestBudget = 10 * time.Minute
	// grace is how much longer than a budget the bridge waits for the coordinator's own answer to a budget that ran out.
	grace = time.Second
	// slack is what a client gets beside the budget, to take the reply.
	slack = 5 * time.Second
)

// handler serves all routes of the table.
type handler struct {
	client *client.Client
	log    *slog.Logger
	mux    *http.ServeMux
	origin *http.CrossOriginProtection // a web page of another origin may not write
	room   *semaphore.Weighted

	replies replyWriter
}

// NewHandler makes the handler of the whole API. log gets panics and nothing else; nil: none.
func NewHandler(c *client.Client, log *slog.Logger) http.Handler {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	h := &handler{client: c, log: log, mux: http.NewServeMux(), origin: http.NewCrossOriginProtection(), room: semaphore.NewWeighted(bodyRoom)}
	for path, methods := range routes() {
		h.mux.Handle(path, h.serve(methods))
	}
	web.New(c, log).Register(h.mux)
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeError(w, r, fault.New(fault.NotFound, "no such path %s; /openapi.json lists them", fault.Quote(r.URL.Path)))
	})
	return h
}

func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if v := recover(); v != nil {
			h.log.Error("panic while serving a request", "method", r.Method, "panic", v, "stack", string(debug.Stack()))
			writeError(w, r, wire.NewError(fault.Unavailable, wire.ReasonInternal, "an internal error"))
		}
	}()
	setHeaders(w.Header())
	if !isCleanPath(r) {
		writeError(w, r, fault.New(fault.BadRequest, "the path is not in its plain form"))
		return
	}
	if err := h.origin.Check(r); err != nil {
		writeError(w, r, fault.New(fault.Forbidden, "writes from another origin are refused"))
		return
	}
	h.mux.ServeHTTP(w, r)
}

// setHeaders sets what every reply of the API says.
func setHeaders(header http.Header) {
	header.Set("Content-Type", "application/json")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
}

// isCleanPath refuses what two readers of a path could understand differently: empty and dot segments, parameters, encoded slashes, controls.
func isCleanPath(r *http.Request) bool {
	path := r.URL.Path
	if !strings.HasPrefix(path, "/") || strings.Contains(path, "//") || strings.ContainsAny(path, ";\\") ||
		strings.Contains(strings.ToLower(r.URL.EscapedPath()), "%2f") {
		return false
	}
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return false
		}
	}
	return !strings.ContainsFunc(path, func(c rune) bool { return c < ' ' || c == 0x7f })
}

// serve handles one path by the method's route.
func (h *handler) serve(methods map[string]*route) http.HandlerFunc {
	allow := make([]string, 0, len(methods)+1)
	for m := range methods {
		allow = append(allow, m)
	}
	if methods["GET"] != nil {
		allow = append(allow, "HEAD")
	}
	slices.Sort(allow)
	return func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		rt := methods[method]
		if rt == nil {
			w.Header().Set("Allow", strings.Join(allow, ", "))
			writeErrorStatus(w, r, http.StatusMethodNotAllowed, fault.New(fault.BadRequest, "method %s is not for this path; use %s",
				fault.Quote(r.Method), strings.Join(allow, ", ")))
			return
		}
		reply, err := h.answer(w, r, rt)
		if err != nil {
			writeError(w, r, err)
			return
		}
		h.replies.write(w, r, reply)
	}
}

// answer takes a request through the steps of its route.
func (h *handler) answer(w http.ResponseWriter, r *http.Request, rt *route) (client.Reply, error) {
	c, err := readParams(rt.Params, r.PathValue, r.URL.RawQuery)
	if err != nil {
		return client.Reply{}, err
	}
	if err := subjects.ValidCollection(c.collection); err != nil {
		return client.Reply{}, err
	}
	body, release, err := h.readBody(w, r, rt.Body)
	defer release()
	if err != nil {
		return client.Reply{}, err
	}
	if body, err = callBody(rt.Body, c, body); err != nil {
		return client.Reply{}, err
	}
	budget := rt.wait(c, body)
	extend(w, budget)
	ctx, cancel := context.WithTimeout(r.Context(), budget)
	defer cancel()
	request := rt.request(h.client, c, body)
	if rt.own != nil {
		return rt.own(ctx, h.client, request)
	}
	return h.client.Do(ctx, request)
}

// extend lets the connection live as long as this request may take; the server's own time-outs are for common ones.
func extend(w http.ResponseWriter, budget time.Duration) {
	end := time.Now().Add(budget + slack)
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(end) // not every writer has deadlines: then the server's stand
	_ = rc.SetWriteDeadline(end)
}
