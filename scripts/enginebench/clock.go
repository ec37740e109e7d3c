package main

import (
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// threadTime gives the processor time of the calling thread, which must be locked to its goroutine.
func threadTime() time.Duration { return clock(unix.CLOCK_THREAD_CPUTIME_ID) }

// processTime gives the processor time of the process: collection of garbage and merging on other threads are in it.
func processTime() time.Duration { return clock(unix.CLOCK_PROCESS_CPUTIME_ID) }

func clock(id int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		panic(err) // only for a clock that the system does not have
	}
	return time.Duration(t.Nano())
}

// residentBytes gives the memory of the process that is resident: its own, and of mapped files. Zeros where the system does not tell.
func residentBytes() (own, mapped int64) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, 0
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch name {
		case "RssAnon":
			own = kb << 10
		case "RssFile":
			mapped = kb << 10
		}
	}
	return own, mapped
}
