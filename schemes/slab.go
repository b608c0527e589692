package schemes

// slabLoad is the load factor up to which a table is filled whose shape says how
// large it is, but not how many pairs it is for.
const slabLoad = 0.86

var (
	slabBeta = Param{
		Name: "beta", Role: HostOnly, Min: 0, Max: 10000,
		Help: "average slab count in hundredths: pairs, over what the base slabs hold; 0 chooses by the load factor",
	}
	slabSpare = Param{
		Name: "spare", Role: HostOnly, Min: 0, Max: 10000,
		Help: "slabs beyond those that the load factor asks for, in percent: for pairs to come, and those erased until a flush",
	}
	slabMost = Param{
		Name: "super_blocks", Role: HostOnly, Min: 1, Max: 240, Default: 1,
		Help: "super blocks that a table with alloc=super may grow to",
	}
)

// The declaration of slab hash; kernels/slab.h explains the scheme.
var _ = Register(&Scheme{
	Name:  "slab",
	Title: "slab hash with SlabAlloc",
	About: "Chaining with list nodes as large as a memory access, allocated on the device. Everything runs concurrently, " +
		"keys may be there many times, and a table that is too full only gets slower. Erased pairs leave markers " +
		"until a flush.",
	Paper: "Ashkiani, Farach-Colton, Owens, A Dynamic Hash Table for the GPU, 2018",
	Params: []Param{
		{Name: "alloc", Role: Variant, Words: []string{"light", "super"},
			Help: "where new slabs come from: one piece of memory (SlabAlloc-light), or super blocks, of which there can be more later"},
		slabBeta,
		slabSpare,
		slabMost,
		hashFamily,
	},
	Caps: Capabilities{
		Ops:        []string{"insert", "upsert", "find", "find_all", "update", "erase", "erase_all", "count", "export", "flush"},
		Concurrent: []string{"insert", "upsert", "find", "find_all", "update", "erase", "erase_all"},
		Pairs:      []Pair{Pair4, {4, 0}},
		PairsWhy:   "lanes of a slab have 32 bits, two a pair, and one is the pointer",
		HostMemory: true,
		Duplicates: true,
	},
	Size:    slabSize,
	Rows:    slabRows,
	Gauges:  slabGauges,
	Fills:   []Fill{{Settings: "beta=55", Load: 0.49, Least: 99}, {Settings: "beta=200", Load: 0.74, Least: 99}, {Settings: "beta=1200", Load: 0.88, Least: 99}},
	Setup:   slabSetup,
	MaxLoad: slabMaxLoad,
	Host: map[string]HostOp{
		"insert": slabInsert, "upsert": slabInsert, MixOp: slabInsert,
		"flush": slabFlush,
	},
})

func slabIsLight(c Config) bool { return c.Get("alloc") == 0 }

func slabMaxLoad(c Config) float64 {
	beta := float64(c.Get(slabBeta.Name)) / 100
	if beta == 0 {
		return slabLoad
	}
	items := float64(slabItems(Pair4))
	return 0.97 * beta / slabsOfBucket(beta*items, items) * items / float64(slabPlaces(Pair4))
}
