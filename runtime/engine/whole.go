package engine

import (
	"time"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// Whole is a table as its users see it: on one device, or in shards on the parts of one.
type Whole interface {
	Config() schemes.Config
	Run(*Input) (Sample, error)
	Choked(*Input) error
	Contents() (Contents, error)
	Recount() error
	// Verified is how long checks against the oracle took.
	Verified() time.Duration
	Gauges() ([]schemes.Reading, error)
	Clear() error
	Reseed() error
	Size() uint64
	Capacity() uint64
	Bytes() int64
	Load() float64
	// MaxLoad is the load factor to which the scheme says it fills.
	MaxLoad() float64
	Close() error
}

// Open makes an empty table on a device, or a shard of it on each of its parts.
func Open(dev device.Device, spec Spec) (Whole, error) {
	if parts := device.PartsOf(dev); len(parts) > 1 {
		return wholeOf(newShards(dev, parts, spec))
	}
	return wholeOf(New(dev, spec))
}

// wholeOf is nil if there is an error: a nil pointer in an interface is not.
func wholeOf[T Whole](t T, err error) (Whole, error) {
	if err != nil {
		return nil, err
	}
	return t, nil
}

// MaxLoad is the load factor to which the scheme says it fills.
func (t *Table) MaxLoad() float64 { return t.spec.Config.MaxLoad(t.spec.Config) }
