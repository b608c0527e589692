package analysis

import (
	"fmt"
	"slices"
	"strings"
)

// conditions are what must be equal on both sides for the difference to be the schemes'.
func (f File) conditions() map[string]string {
	d, r := f.Run.Device, f.Run
	return map[string]string{
		"device":   d.Model,
		"driver":   d.Driver,
		"threads":  fmt.Sprint(d.Threads),
		"host":     r.Host.Name,
		"compiler": r.Build.Compiler,
		"flags":    r.Build.Flags,
		"go":       r.Build.Go,
		"build":    strings.TrimSpace(fmt.Sprint(r.Build.Revision, modified(r.Build.Modified))),
		"seed":     fmt.Sprint(r.Seed),
	}
}

func modified(is bool) string {
	if is {
		return ", modified"
	}
	return ""
}

var conditionNames = []string{"device", "driver", "threads", "host", "compiler", "flags", "go", "build", "seed"}

// warnings names the conditions that differ.
func warnings(old, fresh Side) (list []string) {
	for _, name := range conditionNames {
		a, b := old.values(name), fresh.values(name)
		if !slices.Equal(a, b) {
			list = append(list, fmt.Sprintf("%s differs: %s, then %s", name, text(a), text(b)))
		}
	}
	return list
}

// values are the different values of a condition, sorted.
func (s Side) values(name string) (list []string) {
	for _, f := range s.Files {
		list = append(list, f.conditions()[name])
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func text(values []string) string {
	return strings.ReplaceAll(strings.Join(values, " and "), "  ", " ")
}
