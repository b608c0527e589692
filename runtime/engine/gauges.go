package engine

import (
	"fmt"
	"time"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/schemes"
)

// Gauges reads the scheme's gauges, between batches. It leaves the table as it is, and takes
// no device memory.
func (t *Table) Gauges() ([]schemes.Reading, error) {
	if t.hung != nil {
		return nil, t.hung
	}
	s := sight{t, map[question][]uint64{}}
	var readings []schemes.Reading
	for _, g := range t.spec.Config.Gauges {
		r, err := g.Look(s)
		if err != nil {
			return nil, err
		}
		readings = append(readings, r)
	}
	return readings, nil
}

// sight is a table whose looks are cached, for gauges that share them.
type sight struct {
	*Table
	seen map[question][]uint64
}

type question struct {
	kernel string
	items  uint64
	where  kernels.Look
}

// Look is Table.Look, once for the same arguments.
func (s sight) Look(kernel string, items uint64, where kernels.Look) ([]uint64, error) {
	q := question{kernel, items, where}
	if bins, known := s.seen[q]; known {
		return bins, nil
	}
	bins, err := s.Table.Look(kernel, items, where)
	s.seen[q] = bins
	return bins, err
}

// Look launches a kernel that looks at the table and returns its bins. No batch pays for it.
func (t *Table) Look(kernel string, items uint64, where kernels.Look) ([]uint64, error) {
	if err := t.dev.Prepare(kernel); err != nil {
		return nil, err
	}
	if err := t.copyBlock(); err != nil {
		return nil, err
	}
	if err := t.dev.Write(t.look, kernels.Bytes(&where)); err != nil {
		return nil, err
	}
	_, err := t.bounded(schemes.Batch{Op: kernel, N: items}, func() (time.Duration, error) {
		return t.dev.Time(func() error { return t.dev.Launch(kernel, t.here, t.look, items) })
	})
	if err != nil {
		return nil, fmt.Errorf("look at the table: %w", err)
	}
	if err := t.dev.Read(kernels.Bytes(&where), t.look); err != nil {
		return nil, err
	}
	return where.Bin[:], nil
}
