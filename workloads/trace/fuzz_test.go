package trace

import "testing"

// Each format has a target of its own: what is new to the reader of one says nothing of
// the others.

func FuzzCSV(f *testing.F) {
	f.Add([]byte("id,what,v,t\n7,get,1,10\n\"8\",set,2,11.5\n"))
	f.Add([]byte("id\twhat\tv\tt\n7\tget\t1\t10\n"))
	fuzzed(f, "csv", "tsv")
}

func FuzzNDJSON(f *testing.F) {
	f.Add([]byte("{\"id\":7,\"what\":\"get\",\"v\":1,\"t\":10}\n{\"id\":\"8\",\"what\":\"set\",\"v\":2,\"t\":1e3}\n"))
	fuzzed(f, "ndjson")
}

func FuzzArrow(f *testing.F) {
	f.Add(arrowFile(f))
	fuzzed(f, "arrow")
}

func FuzzParquet(f *testing.F) {
	f.Add(parquetFile(f))
	fuzzed(f, "parquet")
}

func FuzzOracleGeneral(f *testing.F) {
	f.Add(oracle([3]uint64{1, 2, 3}, [3]uint64{2, 1 << 50, 3}))
	fuzzed(f, "oracle-general")
}

func FuzzTwitter(f *testing.F) {
	f.Add([]byte("5,abc,3,10,1,gets,0\n7,xyz,3,20,1,incr,60\n"))
	fuzzed(f, "twitter")
}

// fuzzed reads whatever may be there as some formats.
func fuzzed(f *testing.F, names ...string) {
	f.Fuzz(func(t *testing.T, all []byte) {
		for _, name := range names {
			readsToAnEnd(t, name, all)
		}
	})
}

// readsToAnEnd holds that reading ends, and that every row has an operation, and a key and
// a value of the width.
func readsToAnEnd(t *testing.T, name string, all []byte) {
	opt := Options{Format: name, Default: "find", KeyWidth: 4, ValueWidth: 4, Limit: 10_000}
	if _, fixed := own[name]; !fixed {
		opt.Key, opt.Op, opt.Value, opt.Time = "id", "what", "v", "t"
	}
	list, _, err := readAll("", all, opt)
	for _, r := range list {
		if CheckOp(r.Op) != nil || r.Key > 1<<32-1 || r.Value > 1<<32-1 || r.Time < 0 {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
	}
}
