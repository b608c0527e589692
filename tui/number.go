package tui

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Columns of numbers have fixed widths and decimals, so that nothing moves sideways while
// numbers change.

// decimals is how many a column of numbers needs with this largest one: three figures.
func decimals(most float64) int {
	switch {
	case !(most > 0) || most >= 1000:
		return 0
	case most >= 10:
		return 1
	case most >= 0.1:
		return 2
	}
	return 4
}

// number formats a value; NaN and infinities are a dash.
func number(v float64, decimals int) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return "-"
	}
	return strconv.FormatFloat(v+0, 'f', decimals, 64) // + 0 makes -0 a 0
}

// short formats a number in at most seven cells.
func short(v float64) string {
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "-"
	case a >= 999.95e9:
		return strconv.FormatFloat(v, 'g', 2, 64)
	case a >= 999.95e6:
		return number(v/1e9, 1) + "G"
	case a >= 9999999.5:
		return number(v/1e6, 1) + "M"
	case a >= 1000 || v == math.Trunc(v):
		return number(v, 0)
	case a >= 100:
		return number(v, 1)
	case a >= 0.01:
		return number(v, 2)
	}
	return strconv.FormatFloat(v, 'g', 1, 64)
}

// count formats a count in at most six cells.
func count(n uint64) string {
	if n < 1_000_000 {
		return strconv.FormatUint(n, 10)
	}
	v, i := float64(n)/1e6, 0
	for v >= 999.95 && i < 3 {
		v, i = v/1e3, i+1
	}
	return number(v, 1) + "MGTP"[i:i+1]
}

var units = []struct {
	one  time.Duration
	name string
}{{time.Second, "s"}, {time.Millisecond, "ms"}, {time.Microsecond, "µs"}, {time.Nanosecond, "ns"}}

// unitFor is the unit in which this time is at least 1.
func unitFor(shortest time.Duration) (one time.Duration, name string) {
	for _, u := range units {
		if shortest >= u.one {
			return u.one, u.name
		}
	}
	return time.Microsecond, "µs"
}

// span formats a time with its unit and three figures: 33.1 ms.
func span(d time.Duration) string {
	if d <= 0 {
		return "0 s"
	}
	one, name := unitFor(d)
	v, places := float64(d)/float64(one), 2
	switch {
	case v >= 99.95 || one == time.Nanosecond:
		places = 0
	case v >= 9.995:
		places = 1
	}
	return number(v, places) + " " + name
}

// clock formats a time as 0:31 or 1:02:03.
func clock(d time.Duration) string {
	s := int64(max(d, 0) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
}

// windowText names how far back a view looks.
func windowText(d time.Duration) string {
	switch {
	case d <= 0:
		return "whole run"
	case d < time.Minute:
		return fmt.Sprintf("last %d s", d/time.Second)
	case d < time.Hour:
		return fmt.Sprintf("last %d min", d/time.Minute)
	}
	return fmt.Sprintf("last %d h", d/time.Hour)
}

func memory(bytes float64) string {
	for _, unit := range []string{"B", "KiB", "MiB", "GiB"} {
		if bytes < 1000 {
			return strings.TrimSuffix(number(bytes, min(1, decimals(bytes))), ".0") + " " + unit
		}
		bytes /= 1024
	}
	return number(bytes, 1) + " TiB"
}

// shortDigest is the head of a digest, enough to tell two apart.
func shortDigest(text string) string {
	if _, hex, ok := strings.Cut(text, ":"); ok {
		text = hex
	}
	return text[:min(len(text), 6)]
}
