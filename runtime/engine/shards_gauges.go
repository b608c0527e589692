package engine

import (
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Gauges reads the gauges of all shards: each for the whole table, where its values are counts, then for every shard.
func (w *Shards) Gauges() ([]schemes.Reading, error) {
	if w.hung != nil {
		return nil, w.hung
	}
	shards := make([][]schemes.Reading, len(w.tables))
	err := w.together(func(q int) (err error) {
		shards[q], err = w.tables[q].Gauges()
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []schemes.Reading
	for i, g := range w.spec.Config.Gauges {
		of := lists.Map(shards, func(list []schemes.Reading) schemes.Reading { return list[i] })
		if !g.Mean {
			all = append(all, sumOf(of))
		}
		for q, r := range of {
			r.Name = fmt.Sprintf("%s, shard %d", r.Name, q)
			all = append(all, r)
		}
	}
	return all, nil
}

// sumOf adds up the bars of readings that have the same label, in the order in which they appear.
func sumOf(readings []schemes.Reading) schemes.Reading {
	sum := readings[0]
	sum.Bars = nil
	at := map[string]int{}
	for _, r := range readings {
		for _, b := range r.Bars {
			if _, known := at[b.Label]; !known {
				at[b.Label] = len(sum.Bars)
				sum.Bars = append(sum.Bars, schemes.Bar{Label: b.Label})
			}
			bar := &sum.Bars[at[b.Label]]
			bar.Value += b.Value
			bar.Of += b.Of
		}
	}
	return sum
}
