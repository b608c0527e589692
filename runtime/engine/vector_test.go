package engine

import (
	"sync"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

func TestVectors(t *testing.T) {
	for _, s := range schemes.All() {
		text := s.Vectors
		must.Hold(t, text != "", "schemes/%s/vectors.txt is not there: every scheme shows what it does to its slots", s.Name)
		t.Run(s.Name, func(t *testing.T) {
			err := PlayVectors(openCPU(t, 1), text)
			must.Hold(t, err == nil, "schemes/%s/vectors.txt:%v", s.Name, err)
		})
	}
}

// Vectors hold one operation at a time, too, as a GPU gets them.
func TestVectorsOneAtATime(t *testing.T) {
	for _, s := range schemes.All() {
		err := playOneAtATime(openCPU(t, 1), s.Vectors)
		must.Hold(t, err == nil, "vectors of %s: %v", s.Name, err)
	}
	const table = "table 1cht:hashes=2,hash=universal pair=k4v4 capacity=5 seed=1 gpu=pairs\ninsert 1=10 2=20 3=30\n"
	for line, want := range map[string]string{"counts failed=1": "3: failed of insert is 0", "find 1 2 -> 10 21": "3: find gave 10 20"} {
		must.Equal(t, playOneAtATime(openCPU(t, 1), table+line), want, line)
	}
}

func playOneAtATime(dev device.Device, text string) error {
	p := &Player{dev: dev, gpu: true}
	for _, line := range VectorLines(text) {
		if err := p.Play(line); err != nil {
			return err
		}
	}
	return p.End()
}

// A vector that says something false fails, with its line.
func TestVectorsThatAreFalse(t *testing.T) {
	start := "table 1cht:hashes=2,hash=universal pair=k4v4 capacity=5 seed=1\nplaces 3 4 0\ninsert 3=30\n"
	for text, want := range map[string]string{
		"insert 1=1":                                           "1: insert before there is a table",
		start + "places 3 4 1":                                 "4: key 3 goes to [4 0]",
		start + "find 3 -> 31":                                 "4: find gave 30",
		start + "find 3 -> missing":                            "4: find gave 30",
		start + "erase 4":                                      "4: erase gave missing",
		start + "counts probes=2":                              "4: probes of insert is 1",
		start + "counts smiles=2":                              "4: counts: there is no counter smiles",
		start + "slots\n  0: .\n":                              "4: slots: 1 rows, the table has 5 buckets",
		start + "#\nslots\n 0: .\n 1: .\n 2: .\n 3: .\n 4: .":  "5: slots: bucket 4 has 3=30",
		start + "slots\n 0: .\n 1: .\n 2: .\n 3: .\n 4: any .": "4: slots: bucket 4 has 3=30",
		start + "slots\n 0: .\n 1: .\n 2: .\n 4: .\n 3: 3=30":  "4: slots: bucket 3 has .",
		start + "insert 4=four":                                "4: strconv.ParseUint",
		start + "upsert 4=4":                                   "4: scheme 1cht has no operation upsert",
		start + "resize 9":                                     "4: scheme 1cht has no operation resize",
		start + "mix find:3 erase:4 -> 30 ok":                  "4: mix gave 30 missing",
		start + "mix 3=30":                                     "4: mix: 3=30 is no operation:key",
		"table 1cht pair=k3v3 capacity=1":                      "1: pair k3v3",
		"table 1cht pair=k4v4 slots=1":                         "1: table: unknown setting slots",
	} {
		must.Begin(t, PlayVectors(openCPU(t, 1), text), want, text)
	}
}

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
