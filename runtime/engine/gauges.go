package engine

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
)

// Gauges reads the scheme's gauges, between batches. It leaves the table as it is, and takes no device memory. Of several
// shards, it gives each gauge for the whole table, if its values are counts, and for every shard.
func (t *Table) Gauges() (all []schemes.Reading, _ error) {
	if err := t.hanging(); err != nil {
		return nil, err
	}
	shards := make([][]schemes.Reading, len(t.shards))
	err := t.together(func(q int) (err error) {
		shards[q], err = t.shards[q].gauges()
		return err
	})
	if err != nil || !t.several() {
		return shards[0], err
	}
	for i, g := range t.spec.Config.Gauges {
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

// sumOf adds up the bars with the same label, in the order in which labels first appear.
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

func (t *shard) gauges() (readings []schemes.Reading, _ error) {
	t.looks = map[gaugeRead][]uint64{}
	defer func() { t.looks = nil }()
	for _, g := range t.spec.Config.Gauges {
		r, err := g.Look(t)
		if err != nil {
			return nil, err
		}
		readings = append(readings, r)
	}
	return readings, nil
}

// gaugeRead is a call of a kernel that reads gauges.
type gaugeRead struct {
	kernel string
	items  uint64
	where  kernels.Look
}

// Look returns the bins of a kernel that reads gauges, outside service time. Gauges that are read together share it.
func (t *shard) Look(kernel string, items uint64, where kernels.Look) ([]uint64, error) {
	this := gaugeRead{kernel, items, where}
	if bins, known := t.looks[this]; known {
		return bins, nil
	}
	if err := t.dev.Prepare(kernel); err != nil {
		return nil, err
	}
	if err := t.copyBlock(); err != nil {
		return nil, err
	}
	if err := t.dev.Write(t.lookAt, kernels.Bytes(&where)); err != nil {
		return nil, err
	}
	_, err := t.within(schemes.Batch{Op: kernel, N: items}, func() error {
		return t.dev.Launch(kernel, t.here, t.lookAt, items)
	})
	if err != nil {
		return nil, fmt.Errorf("look at the table: %w", err)
	}
	if err := t.dev.Read(kernels.Bytes(&where), t.lookAt); err != nil {
		return nil, err
	}
	if t.looks != nil {
		t.looks[this] = where.Bin[:]
	}
	return where.Bin[:], nil
}
