package main

import (
	"slices"
	"sync"
	"syscall"
	"time"
)

// What a round has shown, as the driver reads it.
type result struct {
	Seconds   float64 `json:"seconds"`
	Cycles    int     `json:"cycles"`
	PerWorker []int   `json:"per_worker"`
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

type watch struct {
	began time.Time
	cpu   float64
}

func begin() watch {
	return watch{time.Now(), cpuSeconds()}
}

func (since watch) result(perWorker []int, times []time.Duration) result {
	all := result{Seconds: time.Since(since.began).Seconds(), PerWorker: perWorker, CPU: cpuSeconds() - since.cpu}
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
func cycles(workers []locker, period time.Duration) result {
	since := begin()
	perWorker := make([]int, len(workers))
	times := make([][]time.Duration, len(workers))
	var group sync.WaitGroup
	for which, one := range workers {
		group.Add(1)
		go func() {
			defer group.Done()
			for now := time.Now(); now.Sub(since.began) < period; now = time.Now() {
				must(one.acquire())
				times[which] = append(times[which], time.Since(now))
				must(one.release())
				perWorker[which]++
			}
		}()
	}
	group.Wait()
	return since.result(perWorker, slices.Concat(times...))
}

// From one client to another one that waits.
func handOver(first, second locker, period time.Duration) result {
	since := begin()
	var times []time.Duration
	for time.Since(since.began) < period || len(times) < 3 {
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
		times = append(times, (<-acquired).Sub(released))
	}
	return since.result([]int{len(times)}, times)
}

// Locks that are taken once; nothing renews them.
func hold(workers []locker) result {
	since := begin()
	for _, one := range workers {
		must(one.acquire())
	}
	return since.result([]int{len(workers)}, nil)
}
