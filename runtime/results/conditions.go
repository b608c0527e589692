package results

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Conditions are what the machine said about itself while the run went on. What it did not say
// is absent.
type Conditions struct {
	Samples   int             `json:"samples" doc:"about one a second, between batches"`
	Figures   map[string]Span `json:"figures,omitempty" doc:"cpu_mhz, cpu_celsius, cpu_watts, gpu_mhz, gpu_memory_mhz, gpu_celsius, gpu_watts, and cpu_others: threads of other programs that ran or waited for a CPU"`
	Governor  string          `json:"cpu_governor,omitempty" doc:"of its clock"`
	Throttled map[string]int  `json:"gpu_throttled,omitzero" doc:"why the GPU held back its clocks, and in how many samples; absent if it does not say"`
}

// Span is the range of a figure.
type Span struct {
	Median float64 `json:"median" doc:"of all samples"`
	Least  float64 `json:"least" doc:"the smallest"`
	Most   float64 `json:"most" doc:"the largest"`
}

// Plus is the conditions of two runs together. Medians are those of the longer run.
func (c *Conditions) Plus(more *Conditions) *Conditions {
	if c == nil || more == nil {
		return cmp.Or(c, more)
	}
	if more.Samples > c.Samples {
		c, more = more, c
	}
	sum := Conditions{c.Samples + more.Samples, maps.Clone(c.Figures), cmp.Or(c.Governor, more.Governor), maps.Clone(c.Throttled)}
	for name, s := range more.Figures {
		if was, ok := sum.Figures[name]; ok {
			sum.Figures[name] = Span{was.Median, min(was.Least, s.Least), max(was.Most, s.Most)}
		}
	}
	for why, n := range more.Throttled {
		if sum.Throttled != nil {
			sum.Throttled[why] += n
		}
	}
	return &sum
}

// Weather sums up the states of a machine; nil of none.
func Weather(states []device.State) *Conditions {
	if len(states) == 0 {
		return nil
	}
	c := &Conditions{Samples: len(states)}
	values := map[string][]float64{}
	var governors []string
	for _, s := range states {
		for name, x := range s.Figures {
			values[name] = append(values[name], x)
		}
		if s.Governor != "" {
			governors = lists.Add(governors, s.Governor)
		}
		if s.Throttled != nil && c.Throttled == nil {
			c.Throttled = map[string]int{}
		}
		for _, reason := range s.Throttled {
			c.Throttled[reason]++
		}
	}
	c.Governor = strings.Join(governors, ", then ")
	for name, list := range values {
		if c.Figures == nil {
			c.Figures = map[string]Span{}
		}
		slices.Sort(list)
		c.Figures[name] = Span{Median: list[len(list)/2], Least: list[0], Most: list[len(list)-1]}
	}
	return c
}
