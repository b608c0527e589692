package schemes

import "math/bits"

// maxChain bounds the evictions of one insert. The longest chain that a table
// needs grows with the logarithm of its size; the factor is generous, because a
// chain that is cut short costs an insert, while a long one is rare.
var maxChain = Param{
	Name: "max_chain", Role: Arg, Min: 0, Max: 1 << 20,
	Help: "evictions that one insert may cause before it fails; 0 chooses by the size of the table",
	Auto: func(l Layout) int64 { return 64 * int64(bits.Len64(l.Capacity)) },
}

// cuckooLoad is the load factor to which cuckoo tables with buckets of b slots and
// h functions fill: the last percent at which, of 100 tables of 2^16 slots with
// different seeds, practically all took every pair. A percent more, and many fail,
// as the theory has it (Walzer, Load Thresholds for Cuckoo Hashing with Overlapping
// Blocks). Single tables of 2^24 slots filled as far. `hashzoo check` holds it
// against what the tables do.
func cuckooLoad(b, h int64) float64 {
	loads := map[int64]map[int64]float64{
		1: {2: 0.45, 3: 0.90, 4: 0.96, 5: 0.98},
		2: {2: 0.87, 3: 0.97},
		4: {2: 0.96},
	}
	if load, ok := loads[b][h]; ok {
		return load
	}
	return 0.99
}
