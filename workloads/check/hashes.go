package check

import (
	"fmt"
	"math/rand/v2"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
)

// hashFunctions compares the hash functions of the device with their definitions, on keys
// of one width.
func hashFunctions(dev device.Device, width int, seed uint64) error {
	random := rand.New(rand.NewPCG(seed, uint64(width)))
	for _, family := range []uint32{kernels.Fast, kernels.Universal} {
		table := kernels.Table{Buckets: 1 + random.Uint64N(1<<32-1), Family: family, Hashes: kernels.MaxHashes}
		for i := range table.Hash {
			table.Hash[i] = kernels.Hash{A: 1 + random.Uint64N(engine.Prime-1), B: random.Uint64N(engine.Prime), C: 1 + random.Uint64N(engine.Prime-1)}
			if family == kernels.Fast {
				table.Hash[i] = kernels.Hash{A: random.Uint64() | 1, B: random.Uint64()}
			}
		}
		keys := someKeys(random, 5000, width)
		places, err := hashesOnDevice(dev, &table, keys, width)
		if err != nil {
			return err
		}
		for i, key := range keys {
			for f := range table.Hash {
				have, want := places[i*len(table.Hash)+f], engine.PlaceOf(table, f, key, width)
				if have != want {
					return fmt.Errorf("function %d of family %d: key %#x goes to %d of %d, instead of %d", f, family, key, have, table.Buckets, want)
				}
			}
		}
	}
	return nil
}

func hashKernel(width int) string { return fmt.Sprintf("hz_selftest_hash_%d", width) }

// someKeys has small keys, large ones, those around engine.Prime, and random ones.
func someKeys(random *rand.Rand, n, width int) []uint64 {
	most := ^uint64(0) >> (64 - 8*width)
	keys := []uint64{0, 1, 2, engine.Prime - 1, engine.Prime, engine.Prime + 1, most, most - 1, most - 2, most/2 + 1}
	for len(keys) < n {
		keys = append(keys, random.Uint64()&most)
	}
	return keys
}

// hashesOnDevice asks the kernel; the keys are laid out in their own width.
func hashesOnDevice(dev device.Device, table *kernels.Table, keys []uint64, width int) ([]uint64, error) {
	m := arrays{dev: dev}
	defer m.release()
	places := make([]uint64, len(keys)*int(table.Hashes))
	batch := kernels.Batch{Keys: m.put(keys), Out: m.put(places)}
	if width == 4 {
		narrow := make([]uint32, len(keys))
		for i, key := range keys {
			narrow[i] = uint32(key)
		}
		batch.Keys = m.put(narrow)
	}
	m.launch(hashKernel(width), m.put(kernels.Bytes(table)), m.put(kernels.Bytes(&batch)), len(keys))
	m.get(places, batch.Out)
	return places, m.err
}
