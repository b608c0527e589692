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

// cuckooLoad is the load factor to which cuckoo tables with buckets of b slots
// and h functions fill: a little under the thresholds of the theory (Walzer,
// Load Thresholds for Cuckoo Hashing with Overlapping Blocks), as found by filling
// tables of 2^16 slots.
func cuckooLoad(b, h int64) float64 {
	loads := map[int64]map[int64]float64{
		1: {2: 0.40, 3: 0.85, 4: 0.92, 5: 0.94},
		2: {2: 0.80, 3: 0.93, 4: 0.95},
		4: {2: 0.93, 3: 0.96, 4: 0.97},
	}
	if load, ok := loads[b][h]; ok {
		return load
	}
	if h == 2 {
		return 0.95
	}
	return 0.98
}
