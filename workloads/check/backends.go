package check

import (
	"cmp"
	"errors"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// backendSteps compare the device with a CPU of one thread: generated numbers, and what tables do with them.
func (p Plan) backendSteps() []step {
	steps := lists.Map(p.streams(), func(s stream.Stream) step {
		f := Finding{Part: "backends", What: "stream " + s.String()}
		return p.one(f.What, f, nil, func() error {
			return p.sameOnCPU(func(dev device.Device) ([]engine.Sample, error) { return digestOf(dev, s) })
		})
	})
	for _, t := range p.Targets {
		config := t.Scheme.Defaults()
		if t.Config != nil {
			config = *t.Config
		}
		for _, who := range p.wanted(withPairs(config, config.Caps.Pairs)) {
			f := who.finding("backends", "input, results and contents")
			if who.config.OnGPU {
				f.Status, f.Why = NotOffered, "no tables on a CPU"
				steps = append(steps, step{f.What, f.Config, nil, func() []Finding { return []Finding{f} }})
				continue
			}
			steps = append(steps, p.one("backends: "+who.String(), f, kernelsOf(who, !p.scaled().timed), func() error {
				return p.sameOnCPU(func(dev device.Device) (samples []engine.Sample, err error) {
					err = p.climbing(who, dev).try(func(c *climb) { samples = c.trace(c.table(2 * c.large)) })
					return samples, err
				})
			}))
		}
	}
	return steps
}

// streams returns a different slice of every generator, and one of them shuffled.
func (p Plan) streams() []stream.Stream {
	const n, length = 1 << 20, 100_000
	seeded := func(kind string, params stream.Params) stream.Stream {
		params["seed"] = p.Seed
		return stream.New(kind, nil, params)
	}
	random, zipfian, keys := stream.Random(p.Seed), stream.Zipfian(n, 0.99, p.Seed), stream.Keys(8, p.Seed)
	list := []stream.Stream{
		stream.Sequential(),
		stream.New("affine", nil, stream.Params{"a": uint64(0x9e3779b97f4a7c15), "b": 12345}),
		stream.Keys(4, p.Seed), keys, stream.Unique(n, p.Seed), random, stream.Uniform(n, p.Seed),
		zipfian, stream.Zipfian(n, 1, p.Seed), stream.Zipfian(n, 1.7, p.Seed),
		seeded("scrambled_zipfian", stream.Params{"n": n, "theta": 0.5}),
		seeded("hotspot", stream.Params{"n": n, "hot": 0.1, "share": 0.9}),
		seeded("latest", stream.Params{"n": n, "theta": 0.99, "growth": 0.5}),
		seeded("normal", stream.Params{"mean": 1e6, "stddev": 1e5, "high": uint64(1 << 40)}),
		stream.Choose(0.3, p.Seed, random, stream.Sequential()),
		keys.At(zipfian),
	}
	for i, s := range list {
		list[i] = s.Skip(uint64(i) * 1000).Take(length)
	}
	return append(list, list[2].Shuffle(p.Seed))
}

func digestOf(dev device.Device, s stream.Stream) ([]engine.Sample, error) {
	in, err := engine.Load(dev, schemes.Pair8, engine.Batch{Op: "find", Keys: s})
	if err != nil {
		return nil, err
	}
	return []engine.Sample{{Op: "stream", Input: in.Digest}}, in.Release()
}

func (p Plan) sameOnCPU(do func(device.Device) ([]engine.Sample, error)) error {
	return p.onOneThread(func(one device.Device) error {
		want, err := do(one)
		if err != nil {
			return err
		}
		have, err := do(p.Device)
		return cmp.Or(err, differ(want, have, "on "+p.Device.Info().Name))
	})
}

// onOneThread lends a CPU with one thread, on which every run of a batch is the same.
func (p Plan) onOneThread(do func(device.Device) error) error {
	one, err := devices.Open("cpu", device.Options{Threads: 1})
	if err != nil {
		return err
	}
	return errors.Join(do(noted{one, p.now}), one.Close())
}
