package live

import (
	"fmt"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/workloads/run"
)

// zoo is a long run of 13 schemes and four operations.
func zoo(b *testing.B) *fake {
	var names []string
	for i := range 13 {
		names = append(names, fmt.Sprint("scheme ", i))
	}
	f := newFake(names...)
	f.begin(b)
	for k := range 2000 {
		for i := range names {
			f.hear(b, batch(i, []string{"insert", "find", "update", "erase"}[k%4], 1e6, time.Duration(20+k%7)*ms, k))
			f.pass(4 * ms)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	return f
}

// BenchmarkHear measures what a batch costs the run.
func BenchmarkHear(b *testing.B) {
	f := zoo(b)
	e := batch(3, "find", 1e6, 23*ms, 0)
	for b.Loop() {
		f.pass(10 * ms)
		f.hear(b, e)
	}
}

// The cost of a snapshot.
func BenchmarkSnapshot(b *testing.B) {
	f := zoo(b)
	for b.Loop() {
		f.Snapshot(View{Columns: 200, Window: 30 * time.Second})
	}
}

var _ run.Listener = (*Run)(nil).Hear
