package bridge

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metricsPath is where metrics are served. It is no route of the API: it has no twin among the subjects, since it speaks of this process alone.
const metricsPath = "/metrics"

// Measured counts what the handler of [NewHandler] answers, by route and status, and serves everything that stands in the registry at /metrics, in
// the text format of Prometheus. A registry takes one of these.
func Measured(next http.Handler, registry *prometheus.Registry) http.Handler {
	with := promauto.With(registry)
	m := &measured{
		next: next,
		metrics: promhttp.HandlerFor(registry, promhttp.HandlerOpts{
			ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4, // a scrape walks over all that there is
		}),
		requests: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_http_requests_total",
			Help: "HTTP requests that were answered, by the pattern of the route."}, []string{"route", "method", "status"}),
		seconds: with.NewHistogramVec(prometheus.HistogramOpts{Name: "jetseek_http_request_duration_seconds",
			Buckets: prometheus.ExponentialBuckets(0.0005, 2, 15), // 0.5 ms to 8 s
			Help:    "Time from the headers of a request to the end of its answer."}, []string{"route"}),
		inFlight: with.NewGauge(prometheus.GaugeOpts{Name: "jetseek_http_requests_in_flight", Help: "HTTP requests that are being answered."}),
	}
	return m
}

type measured struct {
	next     http.Handler
	metrics  http.Handler
	requests *prometheus.CounterVec   // route, method, status
	seconds  *prometheus.HistogramVec // route
	inFlight prometheus.Gauge
}

func (m *measured) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == metricsPath && r.Method == http.MethodGet {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		m.metrics.ServeHTTP(w, r)
		return
	}
	began := time.Now()
	m.inFlight.Inc()
	defer m.inFlight.Dec()
	said := &statusWriter{ResponseWriter: w}
	m.next.ServeHTTP(said, r)
	route := routeOf(r)
	m.requests.WithLabelValues(route, methodOf(r), strconv.Itoa(said.code())).Inc()
	m.seconds.WithLabelValues(route).Observe(time.Since(began).Seconds())
}

// routeOf gives the pattern that the mux has chosen, without its method; what no pattern but the last takes is one route, so that nobody can make more
// of them.
func routeOf(r *http.Request) string {
	_, path, ok := strings.Cut(r.Pattern, " ")
	if !ok {
		path = r.Pattern
	}
	if path == "" || path == "/" {
		return "other"
	}
	return path
}

func methodOf(r *http.Request) string {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodDelete:
		return r.Method
	}
	return "other"
}

// statusWriter remembers the status of a reply.
type statusWriter struct {
	http.ResponseWriter
	status int // 0: none was said yet
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 && status >= 200 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// code is the status that the client has got: 200 where none was said.
func (w *statusWriter) code() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

// Unwrap lets an [http.ResponseController] reach the connection.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
