package record

import (
	"errors"
	"fmt"
	"os"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
)

// Verify makes every batch on a device, and compares its input with the recorded digest.
func (r *Recording) Verify(dev device.Device) error {
	if !r.comparable() {
		return fmt.Errorf("its digests are of version %d, and those of this program of another", r.Digests)
	}
	return r.inputs(dev, func(b *Batch, in *engine.Input) error {
		if b.Input != "" && in.Digest != b.Input {
			return fmt.Errorf("its input has the digest %s, recorded was %s", in.Digest, b.Input)
		}
		return nil
	})
}

// inputs makes all batches that have keys, one by one.
func (r *Recording) inputs(dev device.Device, f func(*Batch, *engine.Input) error) (err error) {
	r.each(func(p *Point, _ *Phase, item Item) {
		if b := item.Batch; err == nil && b != nil && !b.wholeTable() {
			err = r.input(dev, p.Shape.Pair, b, f)
		}
	})
	return err
}

// input makes a batch.
func (r *Recording) input(dev device.Device, pair schemes.Pair, b *Batch, f func(*Batch, *engine.Input) error) error {
	batch, err := r.batch(pair, b)
	if err != nil {
		return fmt.Errorf("%v: %w", b, err)
	}
	in, err := engine.Load(dev, pair, batch)
	if err != nil {
		return fmt.Errorf("%v: %w", b, err)
	}
	defer in.Release()
	if err := f(b, in); err != nil {
		return fmt.Errorf("%v: %w", b, err)
	}
	return nil
}

// copy writes all lines after the header to a materialised recording, with the numbers.
func (r *Recording) copy(to *writer, dev device.Device) error {
	return r.lines(Materialised, func(l line, p *Point, b *Batch) error {
		if b == nil || b.wholeTable() {
			return to.add(l, nil)
		}
		return r.input(dev, p.Shape.Pair, b, func(_ *Batch, in *engine.Input) error {
			c, err := in.Columns()
			return errors.Join(err, to.add(l, &c))
		})
	})
}

// materialise turns a recipe that is being written into a materialised recording: the
// numbers of the batches so far are made again.
func (r *Recorder) materialise() error {
	if err := r.out.sink.close(); err != nil {
		return err
	}
	recipe := r.path + ".recipe"
	if err := os.Rename(r.path, recipe); err != nil {
		return err
	}
	defer os.Remove(recipe)
	soFar, err := openSoFar(recipe)
	if err != nil {
		return err
	}
	r.header.Kind = Materialised
	if r.out, err = create(r.path, r.header); err != nil {
		return err
	}
	return soFar.copy(r.out, r.dev)
}

// openSoFar reads a recipe that has no end yet.
func openSoFar(path string) (*Recording, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := newReader()
	if err := r.lines(f); err != nil && !errors.Is(err, errNoBatch) {
		return nil, err
	}
	return r.rec, nil
}
