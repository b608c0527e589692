package papers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/limits"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// measures are what figures without a table show: memory and allocators by themselves, as `hashzoo devices` measures
// them with a flag of that name. A small measurement is for a CPU, whose rates are not judged.
var measures = map[string]func(dev device.Device, small bool) ([]results.Summary, error){
	"contention": contention,
	"allocators": allocators,
}

func checkMeasure(name string) error {
	if _, ok := measures[name]; !ok {
		return fmt.Errorf("measure is %q: it takes %s", name, strings.Join(slices.Sorted(maps.Keys(measures)), " or "))
	}
	return nil
}

// contention gives the column M/s, with the fields access and conflicts.
func contention(dev device.Device, small bool) ([]results.Summary, error) {
	bytes := lists.Either(small, 1<<20, int64(limits.Usual))
	list, err := limits.Contend(dev, bytes)
	return lists.Map(list, func(c limits.Contention) results.Summary {
		return results.Summary{
			Point:  results.Point{"access": c.Access, "conflicts": float64(c.Conflicts)},
			Values: map[string]any{"M/s": c.Rate() / 1e6},
		}
	}), err
}

// allocators gives the columns M/s and released M/s, with the field allocator.
func allocators(dev device.Device, small bool) ([]results.Summary, error) {
	units := lists.Either(small, 10_000, uint64(1_000_000))
	list, err := limits.Allocate(dev, units)
	return lists.Map(list, func(a limits.Allocator) results.Summary {
		values := map[string]any{"M/s": a.Allocated.Rate() / 1e6}
		if a.Released != nil {
			values["released M/s"] = a.Released.Rate() / 1e6
		}
		return results.Summary{Point: results.Point{"allocator": a.Allocator}, Values: values}
	}), err
}
