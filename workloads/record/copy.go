package record

import (
	"errors"
	"os"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// openSoFar reads a recording that has no end yet.
func openSoFar(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p := newParser()
	if err := p.lines(f); err != nil && !errors.Is(err, errNoBatch) {
		return nil, err
	}
	return p.rec, nil
}

// copy writes everything after the header to a recording that has the numbers.
func (r *Recording) copy(to *writer, dev device.Device) error {
	line := func(text, phase string) error { return to.add(text, 0, phase, nil) }
	for _, p := range r.Points {
		for _, text := range p.lines() {
			if err := line(text, ""); err != nil {
				return err
			}
		}
		for _, phase := range p.Phases {
			stage := run.Stage{Name: phase.Name, Warmup: phase.Warmup, Rate: phase.Rate}
			if err := line(phaseLine(stage), phase.Name); err != nil {
				return err
			}
			if err := r.copyItems(to, dev, p, phase); err != nil {
				return err
			}
			if phase.Ended != nil {
				if err := line(phase.Ended.line(), ""); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func (r *Recording) copyItems(to *writer, dev device.Device, p *Point, phase *Phase) error {
	shelf := engine.NewShelf(dev, 0)
	for _, item := range phase.Items {
		b := item.Batch
		if b == nil {
			if err := to.add(clearLine(item.Round, item.Reseed), 0, "", nil); err != nil {
				return err
			}
			continue
		}
		write := func(numbers *engine.Columns) error { return to.add(b.line(item.Round), b.N, "", numbers) }
		if b.wholeTable() {
			if err := write(nil); err != nil {
				return err
			}
			continue
		}
		err := r.input(shelf, p.Shape.Pair, b, func(_ *Batch, in *engine.Input) error {
			c, err := in.Columns()
			return errors.Join(err, write(&c))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
