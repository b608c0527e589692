package check

import (
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/devices"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/stream"
)

// backendSteps compare the device with a CPU of one thread: the numbers that
// generators make, and what tables do with them.
func (p Plan) backendSteps() []step {
	var steps []step
	for _, s := range p.streams() {
		f := Finding{Part: "backends", What: "stream " + s.String()}
		steps = append(steps, step{f.What, func() []Finding {
			p.trying(f)
			return []Finding{f.outcome(p.sameOnCPU(func(dev device.Device) ([]string, error) { return digestOf(dev, s) }))}
		}})
	}
	for _, t := range p.Targets {
		config := t.Scheme.Defaults()
		if t.Config != nil {
			config = *t.Config
		}
		for _, pair := range config.Caps.Pairs {
			if p.Pair != "" && p.Pair != pair.String() {
				continue
			}
			who := climber{config, pair}
			f := Finding{Part: "backends", Scheme: config.Name, Config: config.String(), Pair: pair.String(), What: "input, results and contents"}
			steps = append(steps, step{"backends: " + who.String(), func() []Finding { return []Finding{p.sameTable(f, who)} }})
		}
	}
	return steps
}

// streams are one of each generator.
func (p Plan) streams() []stream.Stream {
	const n, of = 100_000, 1 << 20
	var list []stream.Stream
	for i, s := range []stream.Stream{
		stream.Sequential(),
		stream.Affine(0x9e3779b97f4a7c15, 12345),
		stream.Keys(4, p.Seed),
		stream.Keys(8, p.Seed),
		stream.Unique(of, p.Seed),
		stream.Random(p.Seed),
		stream.Uniform(of, p.Seed),
		stream.Zipfian(of, 0.99, p.Seed),
		stream.Zipfian(of, 1, p.Seed),
		stream.Zipfian(of, 1.7, p.Seed),
		stream.ScrambledZipfian(of, 0.5, p.Seed),
		stream.Hotspot(of, 0.1, 0.9, p.Seed),
		stream.Latest(of, 0.99, 0.5, p.Seed),
		stream.Normal(1e6, 1e5, 0, 1<<40, p.Seed),
		stream.Choose(0.3, p.Seed, stream.Random(p.Seed), stream.Sequential()),
		stream.Keys(8, p.Seed).At(stream.Zipfian(of, 0.99, p.Seed)),
	} {
		list = append(list, s.Skip(uint64(i)*1000).Take(n))
	}
	return append(list, list[2].Shuffle(p.Seed))
}

// digestOf is the digest of a stream as keys of a batch.
func digestOf(dev device.Device, s stream.Stream) ([]string, error) {
	in, err := engine.Load(dev, schemes.Pair8, engine.Batch{Op: "find", Keys: s})
	if err != nil {
		return nil, err
	}
	return []string{in.Digest}, in.Release()
}

// sameOnCPU has the device and a CPU compute digests, and compares them.
func (p Plan) sameOnCPU(digests func(device.Device) ([]string, error)) error {
	one, err := devices.Open("cpu", device.Options{Threads: 1})
	if err != nil {
		return err
	}
	defer one.Close()
	want, err := digests(one)
	if err != nil {
		return err
	}
	have, err := digests(p.Device)
	if err != nil {
		return err
	}
	for i := range want {
		if have[i] != want[i] {
			return fmt.Errorf("digest %d is %s on %s, and %s on a CPU with one thread", i, have[i], p.Device.Info().Name, want[i])
		}
	}
	return nil
}

// sameTable compares what a table does with the same batches.
func (p Plan) sameTable(f Finding, who climber) Finding {
	p.trying(f)
	missing, err := available(p.Device, kernelsOf(who)...)
	if missing != "" {
		f.Status, f.Why = Unavailable, missing
		return f
	}
	if err != nil {
		return f.outcome(err)
	}
	return f.outcome(p.sameOnCPU(func(dev device.Device) (digests []string, err error) {
		c := &climb{climber: who, dev: dev, seed: p.Seed}
		err = c.try(rung{climb: func(c *climb) {
			t := c.table(1 << 17)
			for _, s := range c.trace(t) {
				digests = append(digests, s.Input, s.Result)
			}
			digests = append(digests, t.contents().Digest)
		}})
		return digests, err
	}))
}
