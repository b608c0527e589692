package engine

import (
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// watchedReference is a reference that counts how often its library's table is made and dropped.
func watchedReference(t *testing.T, made, dropped *int) schemes.Config {
	t.Helper()
	s := *schemes.References()[0]
	setup, drop := s.Setup, s.Drop
	s.Setup = func(on schemes.Table) error { *made++; return setup(on) }
	s.Drop = func(on schemes.Table) error { *dropped++; return drop(on) }
	return s.Defaults()
}

// Each table of a library that is made is dropped, once.
func TestTablesOfLibrariesAreDropped(t *testing.T) {
	var made, dropped int
	on := must.Get(New(openCPU(t, 2), Spec{Config: watchedReference(t, &made, &dropped), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}}))(t)
	for _, empty := range []func() error{on.Clear, on.Reseed, on.Clear} {
		run(t, on, insert(from(1, 500)))
		if err := empty(); err != nil || on.Size() != 0 {
			t.Fatalf("%d pairs after it was emptied: %v", on.Size(), err)
		}
		must.Need(t, made == dropped+1, "%d tables were made, and %d dropped", made, dropped)
	}
	if err := on.Close(); err != nil || made != dropped {
		t.Fatalf("%d tables were made, and %d dropped: %v", made, dropped, err)
	}
}

// A table of a library grows past what it was made for, and its bytes are the most that it took.
func TestTablesOfLibrariesGrow(t *testing.T) {
	for _, s := range schemes.References() {
		on := table(t, openCPU(t, 2), Spec{Config: s.Defaults(), Shape: schemes.Shape{Pair: schemes.Pair8, Capacity: 1000}, Verify: true})
		before := on.Bytes()
		if done := run(t, on, insert(from(1, 5000))); done.Counts.Get("ok") != 5000 || on.Capacity() != 5000 || on.Load() != 1 {
			t.Errorf("%s: %d of 5000 inserts, %d slots, load factor %v", s.Name, done.Counts.Get("ok"), on.Capacity(), on.Load())
		}
		full := on.Bytes()
		must.Hold(t, before >= 1000*16 && full >= before, "%s: %d bytes for 1000 pairs, %d for 5000", s.Name, before, full)
		run(t, on, Batch{Op: "erase", Keys: from(1, 5000)})
		must.Hold(t, on.Bytes() == full, "%s: %d bytes, and %d after its pairs were erased", s.Name, full, on.Bytes())
	}
}

// onGPU is a CPU that says that it is a GPU.
type onGPU struct{ device.Device }

func (d onGPU) Info() device.Info { return device.Info{Name: "cuda:0", Driver: "580"} }

func TestTablesOfLibrariesNeedACPU(t *testing.T) {
	for _, s := range schemes.References() {
		_, err := New(onGPU{openCPU(t, 1)}, Spec{Config: s.Defaults(), Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 1000}})
		if schemes.Lacking(err) == nil || !strings.Contains(err.Error(), "a table of a library runs on CPUs alone, and device cuda:0 is a GPU") {
			t.Errorf("%s on a GPU: %v", s.Name, err)
		}
	}
}

// References are no schemes that take part unless they are named.
func TestReferencesAreApart(t *testing.T) {
	names := lists.Map(schemes.References(), func(s *schemes.Scheme) string { return s.Name })
	must.Need(t, len(names) != 0, "no reference ships")
	for _, name := range names {
		if s, err := schemes.Find(name); err != nil || !s.Reference {
			t.Errorf("%s: %v", name, err)
		}
		for _, other := range schemes.Names() {
			must.Hold(t, other != name, "%s is among the schemes", name)
		}
	}
	if _, err := schemes.References()[0].Size(schemes.References()[0].Defaults(), schemes.Shape{Pair: schemes.Pair4, Bytes: 1 << 20}); schemes.Lacking(err) == nil {
		t.Errorf("a size in bytes: %v", err)
	}
}
