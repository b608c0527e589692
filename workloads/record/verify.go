package record

import (
	"fmt"

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
	shelf := engine.NewShelf(dev, 0)
	r.each(func(p *Point, _ *Phase, item Item) {
		if b := item.Batch; err == nil && b != nil && !b.wholeTable() {
			if err = r.input(shelf, p.Shape.Pair, b, f); err != nil {
				err = fmt.Errorf("%v: %w", b, err)
			}
		}
	})
	return err
}

func (r *Recording) input(shelf *engine.Shelf, pair schemes.Pair, b *Batch, f func(*Batch, *engine.Input) error) error {
	batch, err := r.batch(pair, b)
	if err != nil {
		return err
	}
	in, err := shelf.Load(pair, batch)
	if err != nil {
		return err
	}
	defer in.Release()
	return f(b, in)
}
