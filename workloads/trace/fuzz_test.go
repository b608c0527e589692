package trace

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// Each format has a target of its own: what is new to the reader of one says nothing of the others.

func FuzzCSV(f *testing.F) {
	f.Add([]byte("id,what,v,t\n7,get,1,10\n\"8\",set,2,11.5\n"))
	f.Add([]byte("id\twhat\tv\tt\n7\tget\t1\t10\n"))
	fuzzed(f, "csv", "tsv")
}

func FuzzNDJSON(f *testing.F) {
	f.Add([]byte("{\"id\":7,\"what\":\"get\",\"v\":1,\"t\":10}\n{\"id\":\"8\",\"what\":\"set\",\"v\":2,\"t\":1e3}\n"))
	fuzzed(f, "ndjson")
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

func FuzzRequests(f *testing.F) {
	f.Add(lcs(3))
	f.Add(twr())
	f.Add(vscsi(1))
	f.Add(vscsi(2))
	fuzzed(f, "lcs", "twr", "vscsi")
}

func FuzzKVCache(f *testing.F) {
	f.Add([]byte("key,op,size,op_count,key_size\n17,SET,82,1,40\n17,GET,0,2,40\n"))
	fuzzed(f, "kvcache")
}

func FuzzLines(f *testing.F) {
	f.Add([]byte("# edges\n1 2 1.25\n3\t4 2\n"))
	f.Add([]byte("1|2|3.50|\n4|5|-0.25|\n"))
	f.Fuzz(func(t *testing.T, all []byte) {
		readsToAnEnd(t, "snap", all, Columns{Key: "src,dst", Value: "3"})
		readsToAnEnd(t, "tpch", all, Columns{Key: "1", Value: "3", Count: "2"})
	})
}

// Any compressed file gives rows or an error.
func FuzzCompressed(f *testing.F) {
	f.Add(zipped(f, []byte("id,what,v,t\n7,get,1,10\n")))
	f.Add(zstandard(f, []byte("id,what,v,t\n7,get,1,10\n")))
	f.Add([]byte("BZh91AY&SY"))
	fuzzed(f, "csv", "oracle-general")
}

// fuzzed reads whatever may be there as some formats.
func fuzzed(f *testing.F, names ...string) {
	f.Fuzz(func(t *testing.T, all []byte) {
		for _, name := range names {
			columns := Columns{Key: "id", Op: "what", Value: "v", Time: "t"}
			if _, fixed := layouts[name]; fixed {
				columns = Columns{}
			}
			readsToAnEnd(t, name, all, columns)
		}
	})
}

// readsToAnEnd holds that reading ends, and that every row has an operation, and a key and a value of the width.
func readsToAnEnd(t *testing.T, name string, all []byte, columns Columns) {
	opt := Options{Format: name, Columns: columns, Default: "find", KeyWidth: 4, ValueWidth: 4, Limit: 10_000}
	r, err := Open("", bytes.NewReader(all), opt)
	for n := 0; err == nil && n < 1_000_000; n++ { // a row may stand for millions
		var row Row
		if row, err = r.Next(); err == nil && (CheckOp(row.Op) != nil || row.Key > 1<<32-1 || row.Value > 1<<32-1 || row.Time < 0) {
			t.Fatalf("%s: %+v, %v", name, row, err)
		}
	}
	must.Hold(t, err == nil || !strings.Contains(err.Error(), "\n"), "%s: error %q", name, err)
}
