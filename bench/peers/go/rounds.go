package main

import (
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// What a round has shown, as the driver reads it.
type result struct {
	Seconds   float64 `json:"seconds"`
	Cycles    int     `json:"cycles"`
	PerWorker []int   `json:"per_worker"`
	Settled   int     `json:"settled"` // cycles before the window, which the server has seen all the same
	P50       float64 `json:"p50_us"`
	P99       float64 `json:"p99_us"`
	CPU       float64 `json:"cpu_seconds"`
}

func cpuSeconds() float64 {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano()).Seconds()
}

// The time in which cycles count: it opens when the workers are there and have settled.
type window struct {
	from, until time.Time
	begun       func() // called when it opens
}

func newWindow(settle, period time.Duration, begun func()) window {
	from := time.Now().Add(settle)
	return window{from, from.Add(period), begun}
}

func (w window) isOver(now time.Time) bool { return !now.Before(w.until) }
func (w window) counts(now time.Time) bool { return !now.Before(w.from) }

// Sleeps until it opens.
func (w window) open() watch {
	time.Sleep(time.Until(w.from))
	w.begun()
	return watch{w.from, cpuSeconds()}
}

// From when cycles count, which is before the window was opened where that had to wait for its turn.
type watch struct {
	began time.Time
	cpu   float64
}

func (since watch) result(perWorker []int, settled int, times []time.Duration) result {
	all := result{Seconds: time.Since(since.began).Seconds(), PerWorker: perWorker, Settled: settled,
		CPU: cpuSeconds() - since.cpu}
	for _, cycles := range perWorker {
		all.Cycles += cycles
	}
	slices.Sort(times)
	if last := len(times) - 1; last >= 0 {
		all.P50 = float64(times[last/2].Nanoseconds()) / 1e3
		all.P99 = float64(times[last*99/100].Nanoseconds()) / 1e3
	}
	return all
}

// Cycles of all the workers, a goroutine each.
func cycles(workers []locker, now window) result {
	perWorker := make([]int, len(workers))
	var settled atomic.Int64
	times := make([][]time.Duration, len(workers))
	var group sync.WaitGroup
	for which, one := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for asked := time.Now(); !now.isOver(asked); asked = time.Now() {
				must(one.acquire())
				waited := time.Since(asked)
				must(one.release())
				if now.counts(asked) {
					times[which] = append(times[which], waited)
					perWorker[which]++
				} else {
					settled.Add(1)
				}
			}
		}()
	}
	since := now.open()
	group.Wait()
	return since.result(perWorker, int(settled.Load()), slices.Concat(times...))
}

// From one client to another one that waits.
func handOff(first, second locker, now window) result {
	settled := 0
	for !now.counts(time.Now()) {
		handOffOnce(first, second)
		settled++
	}
	since := now.open()
	var times []time.Duration
	for !now.isOver(time.Now()) || len(times) < 3 {
		times = append(times, handOffOnce(first, second))
	}
	return since.result([]int{len(times)}, settled, times)
}

func handOffOnce(first, second locker) time.Duration {
	must(first.acquire())
	acquired := make(chan time.Time)
	go func() {
		must(second.acquire())
		now := time.Now()
		must(second.release())
		acquired <- now
	}()
	time.Sleep(2 * time.Millisecond) // long enough for the other to have been refused
	released := time.Now()
	must(first.release())
	return (<-acquired).Sub(released)
}

// Locks that are taken once; nothing renews them.
func hold(workers []locker, now window) result {
	since := now.open()
	for _, one := range workers {
		must(one.acquire())
	}
	return since.result([]int{len(workers)}, 0, nil)
}
