package main

import (
	"sort"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// result is what one measurement came to; failures are not counted as done.
type result struct {
	Count     int            `json:"count"`
	Failures  map[string]int `json:"failures"`
	Seconds   float64        `json:"seconds"`
	PerSecond float64        `json:"perSecond"`
	P50Ms     float64        `json:"p50Ms"`
	P99Ms     float64        `json:"p99Ms"`
	// CPUMs is this process's own CPU for each request.
	CPUMs float64 `json:"cpuMs"`
}

// measure keeps so many requests under way for so long, or until there were so many; those under way at the end are
// waited for and counted.
func measure(send func() error, o options) result {
	var (
		mutex     sync.Mutex
		workers   sync.WaitGroup
		begun     atomic.Int64
		latencies []float64
	)
	failures := map[string]int{}
	cpuBefore := cpuSeconds()
	start := time.Now()
	end := start.Add(time.Duration(o.seconds * float64(time.Second)))
	for range o.inFlight {
		workers.Go(func() {
			own := make([]float64, 0, 4096)
			for time.Now().Before(end) && begun.Add(1) <= o.count {
				began := time.Now()
				err := send()
				if err == nil {
					own = append(own, float64(time.Since(began).Microseconds())/1000)
					continue
				}
				mutex.Lock()
				failures[err.Error()]++
				mutex.Unlock()
			}
			mutex.Lock()
			latencies = append(latencies, own...)
			mutex.Unlock()
		})
	}
	workers.Wait()
	elapsed := time.Since(start).Seconds()
	count := len(latencies)
	sort.Float64s(latencies)
	return result{
		Count:     count,
		Failures:  failures,
		Seconds:   elapsed,
		PerSecond: float64(count) / elapsed,
		P50Ms:     quantile(latencies, 0.5),
		P99Ms:     quantile(latencies, 0.99),
		CPUMs:     1000 * (cpuSeconds() - cpuBefore) / float64(max(count, 1)),
	}
}

func quantile(sorted []float64, q float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}
