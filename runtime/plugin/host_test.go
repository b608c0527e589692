package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// hosted builds a scheme that ships under another name, with another host side and one variant, and loads it.
func hosted(t *testing.T, text, alias, source string) schemes.Config {
	t.Helper()
	name, settings, _ := strings.Cut(text, ":")
	folder := twinOf(t, name)
	if err := os.Remove(filepath.Join(folder, manifest.Figures)); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	must.OK(t, os.WriteFile(filepath.Join(folder, manifest.Host), []byte(source), 0o644))
	var said strings.Builder
	if _, err := Build(t.Context(), folder, Options{Only: settings, Say: &said}); err != nil || said.Len() > 0 {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return must.Get(Load(filepath.Join(folder, builtFolder), alias))(t).Defaults()
}

// hostTest is a table of a plugin, whose every batch is verified.
type hostTest struct {
	*testing.T
	*engine.Table
	dev device.Device
}

func tested(t *testing.T, c schemes.Config) hostTest {
	dev := openCPU(t, 2)
	spec := engine.Spec{Shape: schemes.Shape{Pair: schemes.Pair4, Capacity: 64}, Seed: 1, Verify: true}
	return hostTest{t, table(t, dev, c.String(), spec), dev}
}

// carry carries out an operation on n keys.
func (h hostTest) carry(b engine.Batch, from, n int) (engine.Sample, error) {
	h.Helper()
	if b.Capacity == 0 && b.Op != "flush" {
		b.Keys, b.Values = stream.Keys(4, 1).Slice(uint64(from), uint64(n)), stream.Random(2).Take(uint64(n))
	}
	in, err := engine.Load(h.dev, schemes.Pair4, b)
	if err != nil {
		h.Fatal(err)
	}
	defer in.Release()
	return h.Table.Run(in)
}

// A host side that loses pairs is told so, with the line that launched last.
func TestHostSideThatLosesPairs(t *testing.T) {
	h := tested(t, hosted(t, "linear:bucket=8", "losing", `#include "host_side.h"
namespace hz::host {
struct LinearHost {
  template <class P>
  static double max_load(const P&) {
    return 0.9;
  }
  template <class P>
  static Layout layout(const P& p, const Shape& s) {
    return in_buckets(s, u64(p.bucket));
  }
  template <class T>
  static Result run(T& t, op_flush, const Batch&) {
    Batch all = everything(t);
    empty(t);
    all.n /= 2;
    t.launch(op_insert{}, all);
    return {};
  }
  template <class T>
  static Result run(T& t, op_resize, const Batch&) {
    t.scratch(u64(1) << 60);
    return {};
  }
};
}
`))
	must.Get(h.carry(engine.Batch{Op: "insert"}, 0, 30))(t)
	for b, want := range map[*engine.Batch]string{
		{Op: "resize", Capacity: 9}: "bytes: only ",
		{Op: "flush"}:               "host.h:17: after flush the table has 15 pairs, and it should have 30: pairs that are taken out are inserted again or left over",
	} {
		must.Say(t, must.Err(h.carry(*b, 0, 0)), want, b.Op)
	}
}

// The examples of docs/plugins.md are host sides. The first line says of which scheme: they do on its tables what they are
// for, and the oracle agrees.
func TestExamplesOfTheHostPage(t *testing.T) {
	text := read(t, page)
	examples := regexp.MustCompile("(?s)```cpp\n// ([^\n]*)\n(.*?)```").FindAllStringSubmatch(text, -1)
	all := strings.Count(text, "```cpp\n")
	must.Need(t, len(examples) == all && all != 0, "%d of %d examples say which scheme they are of", len(examples), all)
	for i, e := range examples {
		c := hosted(t, e[1], fmt.Sprintf("example%d", i), e[2])
		h := tested(t, c)
		grows := strings.Contains(e[2], "2 * t.block().Capacity")
		for _, n := range []int{30, 400} {
			s, err := h.carry(engine.Batch{Op: "insert"}, n, n)
			failed := s.Counts.Get("failed")
			must.Hold(t, err == nil && (n <= 64 || grows == (failed == 0)), "%s: %d of %d inserts fail, notes %q, %v", e[1], failed, n, s.Notes, err)
		}
		for _, b := range []engine.Batch{{Op: "flush"}, {Op: "resize", Capacity: 3000}, {Op: "resize", Capacity: 1}} {
			if c.Host[b.Op] == nil || !strings.Contains(e[2], "op_"+b.Op) {
				continue
			}
			if _, err := h.carry(b, 0, 0); err != nil {
				t.Errorf("%s: %s: %v", e[1], b.Op, err)
			}
		}
		if _, err := h.Contents(); err != nil {
			t.Errorf("%s: %v", e[1], err)
		}
	}
}
