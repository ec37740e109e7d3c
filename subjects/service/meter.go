package service

import (
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// buckets is the number of the histogram's buckets: one for each of bounds, and one for what is beyond.
const buckets = 14

// bounds are the upper ends of the histogram's buckets.
func bounds() [buckets - 1]time.Duration {
	const ms = time.Millisecond
	return [...]time.Duration{ms / 4, ms / 2, ms, 2 * ms, 5 * ms, 10 * ms, 20 * ms, 50 * ms, 100 * ms, 250 * ms, time.Second, 5 * time.Second, 20 * time.Second}
}

// Meter counts the requests of one endpoint. The zero value is ready; it may be used concurrently. A nil meter counts nothing.
type Meter struct {
	requests, errors atomic.Uint64
	nanoseconds      atomic.Int64
	buckets          [buckets]atomic.Uint64

	mu   sync.Mutex // guards last
	last string     // error
}

// Observe counts a request that took a time; err is what it was answered with, or nil.
func (m *Meter) Observe(took time.Duration, err error) {
	if m == nil {
		return
	}
	m.requests.Add(1)
	m.nanoseconds.Add(int64(took))
	all := bounds()
	i := 0
	for i < len(all) && took > all[i] {
		i++
	}
	m.buckets[i].Add(1)
	if err == nil {
		return
	}
	m.errors.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	text := err.Error()
	m.last = strings.ToValidUTF8(text[:min(len(text), lastErrorBytes)], "")
}

// lastErrorBytes bounds what is kept of an error's text.
const lastErrorBytes = 256

// Bucket counts the requests that took at most a time and more than the bucket before allows.
type Bucket struct {
	LeMs  float64 `json:"le_ms,omitempty"` // 0: without an end
	Count uint64  `json:"count"`
}

// reading is what a meter shows at one moment.
type reading struct {
	requests, errors uint64
	took             time.Duration
	last             string
	buckets          []Bucket // those that are not empty, ascending
}

func (m *Meter) read() reading {
	if m == nil {
		return reading{}
	}
	r := reading{requests: m.requests.Load(), errors: m.errors.Load(), took: time.Duration(m.nanoseconds.Load()), buckets: []Bucket{}}
	all := bounds()
	for i := range m.buckets {
		n := m.buckets[i].Load()
		if n == 0 {
			continue
		}
		b := Bucket{Count: n}
		if i < len(all) {
			b.LeMs = float64(all[i]) / float64(time.Millisecond)
		}
		r.buckets = append(r.buckets, b)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r.last = m.last
	return r
}
