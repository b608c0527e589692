package analysis

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
)

// conditions must be equal on both sides for the difference to be the schemes'.
var conditions = []struct {
	name string
	of   func(results.Run) string
}{
	{"device", func(r results.Run) string { return r.Device.Model }},
	{"driver", func(r results.Run) string { return r.Device.Driver }},
	{"threads", func(r results.Run) string { return fmt.Sprint(r.Device.Threads) }},
	{"host", func(r results.Run) string { return r.Host.Name }},
	{"compiler", func(r results.Run) string { return r.Build.Compiler }},
	{"flags", func(r results.Run) string { return r.Build.Flags }},
	{"go", func(r results.Run) string { return r.Build.Go }},
	{"build", func(r results.Run) string { return r.Build.Revision }},
	{"uncommitted changes", func(r results.Run) string { return fmt.Sprint(r.Build.Modified) }},
	{"seed", func(r results.Run) string { return fmt.Sprint(r.Seed) }},
}

// warnings names the conditions that differ.
func warnings(old, fresh Side) (list []string) {
	for _, c := range conditions {
		a, b := old.values(c.of), fresh.values(c.of)
		if !slices.Equal(a, b) {
			list = append(list, fmt.Sprintf("%s differs: %s, then %s", c.name, strings.Join(a, " and "), strings.Join(b, " and ")))
		}
	}
	return list
}

// values are the different values of a condition, sorted.
func (s Side) values(of func(results.Run) string) (list []string) {
	for _, f := range s.Files {
		list = append(list, of(f.Run))
	}
	slices.Sort(list)
	return slices.Compact(list)
}
