package engine

import (
	"sync"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// A watcher sees the steps of its own table, while others run, and none when it is gone.
func TestWatchSeesOneTable(t *testing.T) {
	watched, other := watchable(t, 1, true), watchable(t, 1, true)
	seen := 0
	if err := watched.Watch(func(e Event) {
		if seen++; e.What == "visit" && e.Key > 3 {
			t.Errorf("a step with key %d, which belongs to another table", e.Key)
		}
	}, false); err != nil {
		t.Fatal(err)
	}
	var both sync.WaitGroup
	for table, n := range map[*Table]int{watched: 3, other: 1000} {
		both.Go(func() { insertUpTo(t, table, n) })
	}
	bounded.WaitAll(t, &both)
	must.Hold(t, seen != 0, "no step was seen")
	must.OK(t, watched.Watch(nil, false))
	seen = 0
	if insertUpTo(t, watched, 3); seen != 0 {
		t.Errorf("%d steps after the watch ended", seen)
	}
}

func watchable(t *testing.T, threads int, counted bool) *Table {
	t.Helper()
	return table(t, openCPU(t, threads), Spec{Config: config(t, "bcht:bucket=4"), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 4000}, Counted: counted})
}

func insertUpTo(t *testing.T, table *Table, n int) {
	in, err := Load(table.dev, table.Pair(), Batch{Op: "insert", Keys: from(1, n), Values: from(1, n)})
	if err == nil {
		_, err = table.Run(in)
	}
	must.Hold(t, err == nil, "%v", err)
}

// Steps need one thread, and kernels that report them.
func TestWatchIsRefused(t *testing.T) {
	for want, table := range map[string]*Table{
		"single steps are those of 1 thread": watchable(t, 2, true),
		"instrumented kernels on a CPU":      watchable(t, 1, false),
	} {
		must.Say(t, table.Watch(func(Event) {}, false), want)
	}
}
