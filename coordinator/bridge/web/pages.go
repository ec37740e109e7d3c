package web

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"github.com/jetseek/jetseek/coordinator/client"
	"github.com/jetseek/jetseek/subjects/wire"
)

//go:embed templates/*.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// policy is the Content-Security-Policy of every page: only what this server itself sends, and no frames around it.
const policy = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"

// Pages serves the pages for one cluster.
type Pages struct {
	client          *client.Client
	log             *slog.Logger
	search, cluster *template.Template
}

// New makes the pages. log gets faults of the pages themselves; nil: none.
func New(c *client.Client, log *slog.Logger) *Pages {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Pages{client: c, log: log, search: parse("search.html"), cluster: parse("cluster.html")}
}

// Register adds the pages and what they need to a mux: /, /cluster and /assets/.
func (p *Pages) Register(mux *http.ServeMux) {
	mux.HandleFunc("GET /{$}", p.serveSearch)
	mux.HandleFunc("GET /cluster", p.serveCluster)
	mux.HandleFunc("GET /assets/{name}", serveAsset)
}

func parse(page string) *template.Template {
	functions := template.FuncMap{"count": count, "number": number, "percent": percent}
	return template.Must(template.New(page).Funcs(functions).ParseFS(templates, "templates/layout.html", "templates/"+page))
}

// render answers with a page. It is made whole before its first byte is sent: a page that fails is an error and not half a page.
func (p *Pages) render(w http.ResponseWriter, t *template.Template, status int, view any) {
	var page bytes.Buffer
	if err := t.ExecuteTemplate(&page, "layout.html", view); err != nil {
		p.log.Error("a page could not be made", "page", t.Name(), "error", err)
		http.Error(w, "this page could not be made; the server's log says why", http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write(page.Bytes()) // the reader is gone: nobody to tell
}

// serveAsset serves one embedded file. A file may be kept for a while; it is small, and a new version of the program brings new ones.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	kinds := map[string]string{"page.css": "text/css; charset=utf-8", "page.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"}
	name := r.PathValue("name")
	kind, ok := kinds[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	data, err := assets.ReadFile("assets/" + name)
	if err != nil {
		panic(fmt.Sprintf("web: the asset %s is not embedded: %v", name, err))
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "max-age=60")
	_, _ = w.Write(data) // the reader is gone: nobody to tell
}

// failure is an error as a page shows it.
type failure struct {
	Code, Message, Reason string
	Before, At            string // of a query with a mistake: what stands before it, and from it on
}

func failureOf(err error, q string) *failure {
	e := wire.FromError(err)
	f := &failure{Code: string(e.Code), Message: e.Message, Reason: e.Reason}
	if e.Position >= 0 && e.Position <= len(q) {
		f.Before, f.At = strings.ToValidUTF8(q[:e.Position], ""), strings.ToValidUTF8(q[e.Position:], "")
	}
	return f
}

// count writes a number of things with its thousands apart: 11,304.
func count(n uint64) string {
	digits := strconv.FormatUint(n, 10)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// number writes a number as the API's JSON has it.
func number(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}

// percent writes a share of 1, at most to a hundredth, and never rounds up to the whole.
func percent(share float64) string {
	if share >= 1 {
		return "100\u00a0%"
	}
	return strconv.FormatFloat(float64(int(share*10_000))/100, 'f', -1, 64) + "\u00a0%"
}
