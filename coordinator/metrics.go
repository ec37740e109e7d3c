package coordinator

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/engine/outcome"
	"github.com/jetseek/jetseek/subjects/wire"
)

// metrics are what a coordinator counts. Labels take words of this project only: phases, operations, codes, reasons, groups; never what a user wrote.
type metrics struct {
	own *prometheus.Registry // of all below, so that they come and go together

	requests       *prometheus.CounterVec   // op, code
	requestSeconds *prometheus.HistogramVec // op

	searchSeconds  *prometheus.HistogramVec // phase
	searches       *prometheus.CounterVec   // answer, reason
	coverage       prometheus.Histogram
	rounds         prometheus.Histogram
	scatters       *prometheus.CounterVec // op
	paths          *prometheus.CounterVec // path
	scatterBytes   *prometheus.CounterVec // direction
	scatterRetries *prometheus.CounterVec // op
	lateReplies    prometheus.Counter

	batchOps   prometheus.Histogram
	batchBytes prometheus.Histogram
	writeWaits *prometheus.HistogramVec // until
	writeOps   *prometheus.CounterVec   // outcome
	commits    prometheus.Counter
	evictions  prometheus.Counter

	audited       prometheus.Counter
	deletedServed *prometheus.CounterVec // group
}

// Phases of a search.
const (
	phaseWhole  = "whole"
	phaseStats  = "statistics"
	phaseSearch = "search"
	phaseDocs   = "documents"
)

// Places that a write comes to.
const (
	untilStored  = "stored"
	untilDecided = "decided"
	untilVisible = "visible"
)

// repeated stands beside the outcomes: the operation was decided before.
const repeated = "repeated"

func newMetrics() *metrics {
	own := prometheus.NewRegistry()
	with := promauto.With(own)
	seconds := prometheus.ExponentialBuckets(0.0005, 2, 15) // 0.5 ms to 8 s
	return &metrics{
		own: own,
		requests: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_requests_total",
			Help: "Requests that the coordinator answered, by operation and by the code of the error, ok without one."}, []string{"op", "code"}),
		requestSeconds: with.NewHistogramVec(prometheus.HistogramOpts{Name: "jetseek_request_duration_seconds", Buckets: seconds,
			Help: "Time from the arrival of a request to its answer."}, []string{"op"}),
		searchSeconds: with.NewHistogramVec(prometheus.HistogramOpts{Name: "jetseek_search_duration_seconds", Buckets: seconds,
			Help: "Time of searches, whole and by phase; a phase is counted once a round."}, []string{"phase"}),
		searches: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_searches_total",
			Help: "Searches by answer: exact, inexact, partial or error; reason says why it was not exact: of a partial answer that of its first missing group, of an error its code."},
			[]string{"answer", "reason"}),
		coverage: with.NewHistogram(prometheus.HistogramOpts{Name: "jetseek_search_coverage_ratio", Buckets: []float64{0, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999},
			Help: "Share of the documents that answers speak of."}),
		rounds: with.NewHistogram(prometheus.HistogramOpts{Name: "jetseek_search_rounds", Buckets: prometheus.LinearBuckets(1, 1, mostRounds),
			Help: "How often a search was begun before it was answered."}),
		scatters: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_scatter_requests_total",
			Help: "Requests to members."}, []string{"op"}),
		paths: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_search_paths_total",
			Help: "Rounds of searches by their trips: search needs no statistics, believed took one trip with statistics that were remembered, believed+search repeated it since they did not hold, stats+search asked first."},
			[]string{"path"}),
		scatterBytes: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_scatter_bytes_total",
			Help: "Bytes of requests to members and of their replies."}, []string{"direction"}),
		scatterRetries: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_scatter_retries_total",
			Help: "Requests to another member, or again, because one did not answer well."}, []string{"op"}),
		lateReplies: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_scatter_late_replies_total",
			Help: "Replies that no call waited for any more."}),

		batchOps: with.NewHistogram(prometheus.HistogramOpts{Name: "jetseek_write_batch_operations", Buckets: prometheus.ExponentialBuckets(1, 4, 8),
			Help: "Operations in a message to a log."}),
		batchBytes: with.NewHistogram(prometheus.HistogramOpts{Name: "jetseek_write_batch_bytes", Buckets: prometheus.ExponentialBuckets(256, 4, 7),
			Help: "Bytes of a message to a log."}),
		writeWaits: with.NewHistogramVec(prometheus.HistogramOpts{Name: "jetseek_write_wait_seconds", Buckets: prometheus.ExponentialBuckets(0.001, 2, 15), // 1 ms to 16 s
			Help: "Time of a message to a log from before its publish until the log stored it, a member decided it, every member that may serve applied it."}, []string{"until"}),
		writeOps: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_write_operations_total",
			Help: "Operations that were decided, by outcome; repeated: decided before, and answered again."}, []string{"outcome"}),
		commits: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_write_commit_records_total",
			Help: "Commit records written: they stand in for reports of members while none is up."}),
		evictions: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_lease_evictions_total",
			Help: "Leases taken out of the table because they had run out and were not renewed."}),
		audited: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_audit_answers_total",
			Help: "Deleted documents of which a member was asked by the auditor, and answered."}),
		deletedServed: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_audit_deleted_served_total",
			Help: "Documents that a member would have served though their delete was verified. It must stay 0."}, []string{"group"}),
	}
}

// request counts an answered request; err is what it was answered with, or nil.
func (m *metrics) request(op string, took time.Duration, err error) {
	code := "ok"
	if err != nil {
		code = boundedCode(err)
	}
	m.requests.WithLabelValues(op, code).Inc()
	m.requestSeconds.WithLabelValues(op).Observe(took.Seconds())
}

// answered counts a search by its answer. out is what its last round brought, or nil.
func (m *metrics) answered(took time.Duration, out *answered, r *wire.SearchResponse, err error) {
	m.phase(phaseWhole, took)
	if out != nil {
		m.rounds.Observe(float64(out.rounds))
	}
	if err != nil {
		m.searches.WithLabelValues("error", boundedCode(err)).Inc()
		return
	}
	m.coverage.Observe(r.Coverage.Documents)
	switch {
	case r.Partial:
		m.searches.WithLabelValues("partial", boundedReason(r.Shards.Reasons[r.Shards.FailedGroups[0]])).Inc()
	case !r.Exact:
		m.searches.WithLabelValues("inexact", "local_statistics").Inc()
	default:
		m.searches.WithLabelValues("exact", "").Inc()
	}
}

// boundedCode gives the code of an error, if it is one of the API's. Codes come over the wire as reasons do.
func boundedCode(err error) string {
	code := wire.FromError(err).Code
	if code != fault.Unavailable && code.Status() == fault.Unavailable.Status() {
		return "other"
	}
	return string(code)
}

// boundedReason gives a reason that may be a label: one of those that members and coordinators give. Reasons come over the wire, where anything may stand.
func boundedReason(reason string) string {
	switch reason {
	case wire.ReasonNotServing, wire.ReasonStaleMap, wire.ReasonPinLost, wire.ReasonNotCaughtUp, wire.ReasonDropped, wire.ReasonMalformed,
		wire.ReasonInternal, wire.ReasonCanceled, reasonNoNATS, reasonNoMember, string(fault.Deadline), string(fault.Overloaded):
		return reason
	}
	return "other"
}

func (m *metrics) phase(name string, took time.Duration) {
	m.searchSeconds.WithLabelValues(name).Observe(took.Seconds())
}

func (m *metrics) waited(until string, wait time.Duration) {
	m.writeWaits.WithLabelValues(until).Observe(wait.Seconds())
}

func (m *metrics) packed(operations, bytes int) {
	m.batchOps.Observe(float64(operations))
	m.batchBytes.Observe(float64(bytes))
}

func (m *metrics) decided(outcomes []outcome.Outcome) {
	for _, o := range outcomes {
		name := o.Code.String()
		if o.Repeated {
			name = repeated
		}
		m.writeOps.WithLabelValues(name).Inc()
	}
}

// watchState adds what is read at each scrape instead of counted.
func (c *Coordinator) watchState() {
	with := promauto.With(c.metrics.own)
	with.NewGaugeFunc(prometheus.GaugeOpts{Name: "jetseek_requests_in_flight", Help: "Requests that the coordinator works on."},
		func() float64 { return float64(len(c.door.running)) })
	for name, conn := range map[string]*nats.Conn{"requests": c.conn, "log": c.js.Conn()} {
		with.NewCounterFunc(prometheus.CounterOpts{Name: "jetseek_nats_reconnects_total", Help: "Times that a connection of the coordinator to NATS was lost and found again.",
			ConstLabels: prometheus.Labels{"connection": name}}, func() float64 { return float64(conn.Stats().Reconnects) })
	}
	c.metrics.own.MustRegister(queues{c})
}

// register makes the metrics part of a registry until the returned function is called; nil: of none.
func (c *Coordinator) register(r prometheus.Registerer) (unregister func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	if err := r.Register(c.metrics.own); err != nil {
		return nil, fmt.Errorf("register the metrics: %w", err)
	}
	return func() { r.Unregister(c.metrics.own) }, nil
}

// queues gives what waits for the groups' logs. There is a queue for each group of the map and no other.
type queues struct{ c *Coordinator }

// Describe gives nothing: which groups there are is known at each scrape.
func (q queues) Describe(chan<- *prometheus.Desc) {}

// Collect gives the queues as they are now.
func (q queues) Collect(out chan<- prometheus.Metric) {
	operations := prometheus.NewDesc("jetseek_write_queue_operations", "Operations that wait for the log of a group.", []string{"group"}, nil)
	bytes := prometheus.NewDesc("jetseek_write_queue_bytes", "Bytes of operations that wait for the log of a group.", []string{"group"}, nil)
	q.c.mu.Lock()
	packers := slices.Collect(maps.Values(q.c.packers))
	q.c.mu.Unlock()
	for _, p := range packers {
		p.mu.Lock()
		n, size := len(p.queue), p.bytes
		p.mu.Unlock()
		out <- prometheus.MustNewConstMetric(operations, prometheus.GaugeValue, float64(n), p.group)
		out <- prometheus.MustNewConstMetric(bytes, prometheus.GaugeValue, float64(size), p.group)
	}
}
