package engine

import (
	"fmt"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// Gauges reads the scheme's gauges, between batches. It leaves the table as it is, and takes no device memory.
func (t *Table) Gauges() ([]schemes.Reading, error) {
	if t.hung != nil {
		return nil, t.hung
	}
	t.looks = map[glance][]uint64{}
	defer func() { t.looks = nil }()
	var readings []schemes.Reading
	for _, g := range t.spec.Config.Gauges {
		r, err := g.Look(t)
		if err != nil {
			return nil, err
		}
		readings = append(readings, r)
	}
	return readings, nil
}

// glance is what a kernel that looks at the table is called with.
type glance struct {
	kernel string
	items  uint64
	where  kernels.Look
}

// Look returns the bins of a kernel that looks at the table, outside service time. Gauges read together share it.
func (t *Table) Look(kernel string, items uint64, where kernels.Look) ([]uint64, error) {
	this := glance{kernel, items, where}
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
	_, err := t.bounded(schemes.Batch{Op: kernel, N: items}, func() error {
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
