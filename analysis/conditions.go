package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// conditions must be equal on both sides for the difference to be the schemes'. A file that
// does not tell one has no text.
var conditions = []struct {
	name string
	of   func(File) string
}{
	{"device", func(f File) string { return f.Run.Device.Model }},
	{"driver", func(f File) string { return cmp.Or(f.Run.Device.Driver, "none") }},
	{"threads", func(f File) string { return fmt.Sprint(f.Run.Device.Threads) }},
	{"host", func(f File) string { return f.Run.Host.Name }},
	{"compiler", func(f File) string { return f.Run.Build.Compiler }},
	{"flags", func(f File) string { return cmp.Or(f.Run.Build.Flags, "none") }},
	{"go", func(f File) string { return f.Run.Build.Go }},
	{"build", func(f File) string { return f.Run.Build.Revision }},
	{"uncommitted changes", func(f File) string { return fmt.Sprint(f.Run.Build.Modified) }},
	{"seed", func(f File) string { return fmt.Sprint(f.Run.Seed) }},
	{"CPU governor", func(f File) string { return weather(f).Governor }},
	{"GPU throttling", throttling},
}

// measured are conditions with a number. Their medians may differ by a part of the larger one, or by an amount.
var measured = []struct {
	name, key, unit string
	part, amount    float64
}{
	{"GPU clock", device.GPUClock, "MHz", 0.03, 0},
	{"GPU memory clock", device.GPUMemoryClock, "MHz", 0.03, 0},
	{"GPU temperature", device.GPUTemperature, "degrees", 0, 15},
	{"CPU clock", device.CPUClock, "MHz", 0.05, 0},
	{"CPU temperature", device.CPUTemperature, "degrees", 0, 15},
	{"load by other programs", device.CPUWaiting, "threads", 0.5, 1},
}

func weather(f File) results.Conditions {
	if f.End.Conditions == nil {
		return results.Conditions{}
	}
	return *f.End.Conditions
}

// throttling names the reasons that held in most samples.
func throttling(f File) string {
	c := weather(f)
	if c.Throttled == nil {
		return ""
	}
	reasons := slices.Sorted(maps.Keys(c.Throttled))
	reasons = slices.DeleteFunc(reasons, func(reason string) bool { return 2*c.Throttled[reason] <= c.Samples })
	return lists.Either(len(reasons) == 0, "none", strings.Join(reasons, ", "))
}

func warnings(old, fresh Side) (list []string) {
	add := func(name, before, after string) {
		list = append(list, fmt.Sprintf("%s differs: %s, then %s", name, before, after))
	}
	for _, c := range conditions {
		if a, b := old.values(c.of), fresh.values(c.of); len(a) > 0 && len(b) > 0 && !slices.Equal(a, b) {
			add(c.name, strings.Join(a, " and "), strings.Join(b, " and "))
		}
	}
	for _, c := range measured {
		if a, b := old.figure(c.key), fresh.figure(c.key); math.Abs(a-b) > max(c.amount, c.part*max(a, b)) {
			add(c.name, fmt.Sprintf("%.0f", a), fmt.Sprintf("%.0f %s", b, c.unit))
		}
	}
	return list
}

// busy says if all sides shared their CPUs with other programs, which makes equal runs differ.
func busy(sides ...Side) []string {
	where := map[bool]string{true: " on both sides"}[len(sides) > 1]
	least := slices.Min(lists.Map(sides, Side.crowd))
	if least < 1 {
		return nil
	}
	return []string{fmt.Sprintf("the machine was busy%s: at least %.0f threads of other programs shared %d CPUs with it; equal runs may differ by much", where, least, sides[0].Files[0].Run.Host.CPUs)}
}

// crowd is how many threads of other programs ran or waited for a CPU, if there were not CPUs for all; otherwise 0.
func (s Side) crowd() float64 {
	run, own := s.Files[0].Run, 1
	if run.Device.Driver == "" { // a CPU: the threads of the device are those that run beside the others
		own = run.Device.Threads
	}
	if others := s.figure(device.CPUWaiting); others+float64(own) > float64(run.Host.CPUs) {
		return others
	}
	return 0 // or not known
}

// values are the different values of a condition, sorted.
func (s Side) values(of func(File) string) []string {
	known := lists.Filter(lists.Map(s.Files, of), func(text string) bool { return text != "" })
	return slices.Sorted(slices.Values(lists.Unique(known)))
}

// figure is the median of a figure over the runs; NaN if none tells it.
func (s Side) figure(key string) float64 {
	var list []float64
	for _, f := range s.Files {
		if span, known := weather(f).Figures[key]; known {
			list = append(list, span.Median)
		}
	}
	if len(list) == 0 {
		return math.NaN()
	}
	return median(list)
}
