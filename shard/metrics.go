package shard

import (
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/jetseek/jetseek/engine"
	"github.com/jetseek/jetseek/engine/fault"
	"github.com/jetseek/jetseek/subjects/wire"
)

// collectionsShown bounds the collections that metrics name; the rest are one, under the name (other), which no collection can have.
const collectionsShown = 100

// metrics are what a member counts. All carry its group and node; labels beside these take words of this project and names of collections.
type metrics struct {
	own *prometheus.Registry // of all below, so that they come and go together

	requests       *prometheus.CounterVec   // op, code
	requestSeconds *prometheus.HistogramVec // op

	applied      prometheus.Counter
	appliedBytes prometheus.Counter
	batch        prometheus.Histogram
	applySeconds prometheus.Histogram
	renewals     *prometheus.CounterVec // result
	divergences  prometheus.Counter
	repairs      prometheus.Counter
	mended       prometheus.Counter
	brokenOff    prometheus.Counter
}

func newMetrics() *metrics {
	own := prometheus.NewRegistry()
	with := promauto.With(own)
	return &metrics{
		own: own,
		requests: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_member_requests_total",
			Help: "Requests that the member answered, by operation and by the code of the error, ok without one."}, []string{"op", "code"}),
		requestSeconds: with.NewHistogramVec(prometheus.HistogramOpts{Name: "jetseek_member_request_duration_seconds",
			Buckets: prometheus.ExponentialBuckets(0.0001, 2, 16), // 0.1 ms to 3 s
			Help:    "Time from the arrival of a request to its answer, with its wait in the queue."}, []string{"op"}),
		applied: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_apply_messages_total",
			Help: "Messages of the log that were applied."}),
		appliedBytes: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_apply_bytes_total",
			Help: "Bytes of messages of the log that were applied."}),
		batch: with.NewHistogram(prometheus.HistogramOpts{Name: "jetseek_apply_batch_messages", Buckets: prometheus.ExponentialBuckets(1, 2, 7), // to batchMessages
			Help: "Messages that were applied as one batch."}),
		applySeconds: with.NewHistogram(prometheus.HistogramOpts{Name: "jetseek_apply_duration_seconds", Buckets: prometheus.ExponentialBuckets(0.0001, 2, 16),
			Help: "Time of applying a batch, until searches see it."}),
		divergences: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_member_divergences_total",
			Help: "Times that another member held something else at the same place of the log, and a replay decided who is right."}),
		repairs: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_member_repairs_total",
			Help: "Times that the member was proved wrong, or found its files damaged, and has mended itself."}),
		mended: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_member_repaired_documents_total",
			Help: "Documents that were written, replaced or taken away by repairs; all of an index that was made anew."}),
		brokenOff: with.NewCounter(prometheus.CounterOpts{Name: "jetseek_apply_broken_off_total",
			Help: "Times that messages of the log were not applied since the engine panicked or failed, and were tried one operation at a time."}),
		renewals: with.NewCounterVec(prometheus.CounterOpts{Name: "jetseek_lease_renewals_total",
			Help: "Leases that the log has stored (stored) or has not (failed)."}, []string{"result"}),
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

// boundedCode gives the code of an error, if it is one of the API's.
func boundedCode(err error) string {
	code := wire.FromError(err).Code
	if code != fault.Unavailable && code.Status() == fault.Unavailable.Status() {
		return "other"
	}
	return string(code)
}

func (m *metrics) batched(batch []message, took time.Duration) {
	bytes := 0
	for _, raw := range batch {
		bytes += raw.bytes
	}
	m.applied.Add(float64(len(batch)))
	m.appliedBytes.Add(float64(bytes))
	m.batch.Observe(float64(len(batch)))
	m.applySeconds.Observe(took.Seconds())
}

func (m *metrics) renewed(err error) {
	if err != nil {
		m.renewals.WithLabelValues("failed").Inc()
		return
	}
	m.renewals.WithLabelValues("stored").Inc()
}

// watchState adds what is read at each scrape instead of counted. The member must have its index and its follower.
func (m *Member) watchState() {
	with := promauto.With(m.metrics.own)
	gauge := func(name, help string, read func() float64) {
		with.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, read)
	}
	gauge("jetseek_member_queue_requests", "Requests that wait for a worker.", func() float64 { return float64(len(m.requests)) })
	gauge("jetseek_apply_queue_messages", "Messages of the log's tail that wait to be applied.", func() float64 { return float64(len(m.follower.tail)) })
	gauge("jetseek_apply_sequence", "Sequence of the last message that was applied.", func() float64 { return float64(m.standing().Applied) })
	gauge("jetseek_apply_lag_messages", "Messages that the log is known to hold and that are not applied.", func() float64 { return float64(m.lag()) })
	gauge("jetseek_lease_remaining_seconds", "How long the newest lease still allows to serve; 0 without one.", func() float64 { return m.grants.remaining().Seconds() })
	gauge("jetseek_member_quarantined_operations", "Operations of the log that are set aside, since no member could apply them.", func() float64 { return float64(m.countQuarantined()) })
	activity := func(name, help string, read func(engine.Activity) int64) {
		with.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(read(m.index.get().Activity())) })
	}
	activity("jetseek_engine_flushes_total", "Manifests written.", func(a engine.Activity) int64 { return a.Flushes })
	activity("jetseek_engine_flushed_bytes_total", "Bytes of segments that went from memory to files.", func(a engine.Activity) int64 { return a.FlushedBytes })
	activity("jetseek_engine_merges_total", "Background merges of segments.", func(a engine.Activity) int64 { return a.Merges })
	activity("jetseek_engine_merged_bytes_total", "Bytes of segments that merges made.", func(a engine.Activity) int64 { return a.MergedBytes })
	gauge("jetseek_engine_unflushed_bytes", "Bytes of segments, and of what makes them, that are in memory only.", func() float64 { return float64(m.index.get().Activity().UnflushedBytes) })
	gauge("jetseek_engine_flushed_sequence", "Sequence of the last message that files hold: a restart replays what is behind it.", func() float64 { return float64(m.index.get().Activity().FlushedSeq) })
	for _, state := range []State{Joining, Serving, Fenced, Stalled, Draining, Failed} {
		with.NewGaugeFunc(prometheus.GaugeOpts{Name: "jetseek_member_state", Help: "1 for the state that the member is in, 0 for the others.",
			ConstLabels: prometheus.Labels{"state": string(state)}}, func() float64 {
			if now, _ := m.status.get(); now == state {
				return 1
			}
			return 0
		})
	}
	for name, conn := range map[string]*nats.Conn{"requests": m.opts.Conn, "log": m.opts.LogConn} {
		with.NewCounterFunc(prometheus.CounterOpts{Name: "jetseek_member_nats_reconnects_total", Help: "Times that a connection of the member to NATS was lost and found again.",
			ConstLabels: prometheus.Labels{"connection": name}}, func() float64 { return float64(conn.Stats().Reconnects) })
	}
	with.NewCounterFunc(prometheus.CounterOpts{Name: "jetseek_apply_refused_records_total",
		Help: "Records of the log that were passed over: of another log, or not signed by a cluster key."}, func() float64 { return float64(m.refused.Load()) })
	m.metrics.own.MustRegister(holdings{m})
}

// lag is how many messages the log is known to hold that are not applied.
func (m *Member) lag() uint64 {
	snap := m.index.Snapshot()
	defer snap.Close()
	return max(m.head(), m.follower.head.Load(), snap.Seq()) - snap.Seq()
}

// register makes the metrics part of a registry until the returned function is called; nil: of none.
func (m *Member) register(r prometheus.Registerer) (unregister func(), err error) {
	if r == nil {
		return func() {}, nil
	}
	m.watchState()
	r = prometheus.WrapRegistererWith(prometheus.Labels{"group": m.opts.Group, "node": m.opts.Node}, r)
	if err := r.Register(m.metrics.own); err != nil {
		return nil, fmt.Errorf("register the metrics: %w", err)
	}
	return func() { r.Unregister(m.metrics.own) }, nil
}

// holdings gives what the engine holds of each collection.
type holdings struct{ m *Member }

// Describe gives nothing: which collections there are is known at each scrape.
func (h holdings) Describe(chan<- *prometheus.Desc) {}

// Collect gives the collections of the present snapshot. Two incarnations of one name are added up.
func (h holdings) Collect(out chan<- prometheus.Metric) {
	type held struct{ documents, segments, bytes float64 }
	snap := h.m.index.Snapshot()
	defer snap.Close()
	by := map[string]held{}
	for _, c := range snap.Collections() {
		name := c.Name
		if _, shown := by[name]; !shown && len(by) >= collectionsShown {
			name = "(other)"
		}
		sum := by[name]
		by[name] = held{sum.documents + float64(c.Documents), sum.segments + float64(c.Segments), sum.bytes + float64(c.Bytes)}
	}
	gauge := func(name, help string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, []string{"collection"}, nil)
	}
	documents := gauge("jetseek_engine_documents", "Live documents of a collection that the member's group owns.")
	segments := gauge("jetseek_engine_segments", "Segments of a collection.")
	bytes := gauge("jetseek_engine_segment_bytes", "Bytes of a collection's segments, in files and in memory.")
	for name, sum := range by {
		out <- prometheus.MustNewConstMetric(documents, prometheus.GaugeValue, sum.documents, name)
		out <- prometheus.MustNewConstMetric(segments, prometheus.GaugeValue, sum.segments, name)
		out <- prometheus.MustNewConstMetric(bytes, prometheus.GaugeValue, sum.bytes, name)
	}
}
