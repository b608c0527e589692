package trace

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

func zipped(t testing.TB, all []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	must.Get(w.Write(all))(t)
	must.OK(t, w.Close())
	return out.Bytes()
}

func zstandard(t testing.TB, all []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := must.Get(zstd.NewWriter(&out))(t)
	must.Get(w.Write(all))(t)
	must.OK(t, w.Close())
	return out.Bytes()
}

// Compressed files have the same rows, whatever their names are.
func TestCompressed(t *testing.T) {
	opt := Options{Default: "upsert", KeyWidth: 8, ValueWidth: 8}
	plain := oracle([3]uint64{100, 1 << 50, 64}, [3]uint64{103, 5, 32})
	want, _, err := readAll("w.oracleGeneral", plain, opt)
	must.OK(t, err)
	skipped := append([]byte("\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"), zstandard(t, plain)...)
	for name, all := range map[string][]byte{
		"w.oracleGeneral.zst": zstandard(t, plain), "w.oracleGeneral.bin.gz": zipped(t, plain),
		"w.oracleGeneral": zstandard(t, plain), "w.oracleGeneral.sort.zst": skipped,
	} {
		reads(t, name, all, opt, want)
	}
	opt.Columns = Columns{Key: "id"}
	if got, _, err := readAll("a.csv.gz", zipped(t, []byte("id\n5\n6\n")), opt); err != nil || len(got) != 2 || got[1].Key != 6 {
		t.Errorf("%v, %v", got, err)
	}
}

// Compressed files that are damaged, too large, or of no use are errors that name the file.
func TestWrongCompression(t *testing.T) {
	id := Options{Columns: Columns{Key: "id"}, Default: "upsert", KeyWidth: 8, ValueWidth: 8}
	requests := Options{Default: "upsert", KeyWidth: 8, ValueWidth: 8}
	rows := []byte("id\n" + strings.Repeat("123456\n", 10_000))
	flipped := zstandard(t, rows)
	flipped[len(flipped)-2] ^= 1 // of the checksum
	tar := make([]byte, 1024)
	copy(tar[257:], "ustar")
	for _, c := range []struct {
		name string
		all  []byte
		opt  Options
		want string
	}{
		{"a.csv.zst", flipped, id, "a.csv.zst: the file is damaged: zstd: "},
		{"a.csv.gz", zipped(t, rows)[:100], id, "a.csv.gz: the file is damaged: it ends within its gzip data"},
		{"a.csv.zst", zstandard(t, rows)[:9], id, "a.csv.zst: the file is damaged: it ends within its zstd data"},
		{"a.csv.zst", zstandard(t, zipped(t, rows)), id, "a.csv.zst: it is compressed twice, the second time by gzip; hint: gzip -d unpacks it"},
		{"a.csv.zst", []byte("\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00"), id, "a.csv.zst: its zstd data needs more than 128 MiB of memory; hint: zstd -d --long=31 unpacks it"},
		{"a.csv.zst", zstandard(t, make([]byte, 1<<10)), id, "a.csv.zst: it is not text"},
		{"a.csv.xz", []byte("\xfd7zXZ\x00\x00\x04"), id, "a.csv.xz: it is compressed by xz, which cannot be read; hint: xz -d unpacks it"},
		{"a.parquet.zst", zstandard(t, parquetFile(t)), id, "a.parquet.zst: it is compressed by zstd, which format parquet cannot read; hint: zstd -d unpacks it"},
		{"a.csv.gz", zipped(t, tar), id, "a.csv.gz: it is a tar archive, which format csv cannot read"},
		{"a.csv", parquetFile(t), id, "a.csv: it is Parquet, which format csv cannot read"},
		{"w.oracleGeneral", []byte(strings.Repeat("not a trace, but a text\n", 3)), requests, "w.oracleGeneral, row 1: next is "},
		{"w.lcs", oracle([3]uint64{1, 2, 3}), requests, "w.lcs: it does not begin with the header of an lcs trace"},
		{"w.vscsi", oracle([3]uint64{1, 2, 3}, [3]uint64{1, 2, 3}), requests, "w.vscsi: it does not begin with requests of a vscsi trace"},
		{"w.twr", oracle([3]uint64{1, 2, 3}), requests, "w.twr, row 2: the file ends within it: 4 bytes of 20"},
	} {
		refuses(t, c.name, c.all, c.opt, c.want)
	}
}

// A small file may stand for more rows than anybody wants to wait for. Reading it takes little memory.
func TestBomb(t *testing.T) {
	blanks := bytes.Repeat([]byte(strings.Repeat(" ", 1<<16-1)+"\n"), 16)
	var out bytes.Buffer
	w := must.Get(zstd.NewWriter(&out))(t)
	for range 66 {
		must.Get(w.Write(blanks))(t)
	}
	must.OK(t, w.Close())
	_, _, err := readAll("a.ndjson.zst", out.Bytes(), Options{Columns: Columns{Key: "id"}, Default: "find", KeyWidth: 8})
	must.Equal(t, err, "a.ndjson.zst: it is more than 500 times as large as its zstd data; hint: zstd -d unpacks it")
}

// little writes numbers of some widths, low bytes first.
func little(list ...any) (all []byte) {
	for _, x := range list {
		all, _ = binary.Append(all, binary.LittleEndian, x)
	}
	return all
}

// lcs is a trace of a version with two requests.
func lcs(version uint64) []byte {
	header := make([]byte, 8192)
	binary.LittleEndian.PutUint64(header, 0x123456789abcdef0)
	binary.LittleEndian.PutUint64(header[8:], version)
	binary.LittleEndian.PutUint64(header[8184:], 0x123456789abcdef0)
	request := func(at uint32, id uint64, size uint32, op byte) []byte {
		switch {
		case version == 1:
			return little(at, id, size, int64(-1))
		case version == 2:
			return little(at, id, size, op, [3]byte{7}, int64(2))
		}
		return little(at, id, int64(size), op, [3]byte{7}, uint32(60), int64(2), make([]uint32, []int{0, 1, 2, 4, 8, 16}[version-3]))
	}
	return append(append(header, request(100, 7, 64, 1)...), request(102, 1<<40, 32, 9)...)
}

// twr is a trace of Twitter's with two requests.
func twr() []byte {
	return append(little(uint32(5), uint64(7), uint32(10<<22|64), uint32(1<<24|3)), little(uint32(7), uint64(1<<40), uint32(32), uint32(9<<24|3))...)
}

// vscsi is a trace of a version with a read and a write.
func vscsi(version uint16) []byte {
	request := func(command uint16, id, at uint64) []byte {
		if version == 1 {
			return little(uint32(1), uint32(512), uint32(0), command, version<<8, id, at)
		}
		return little(command, version<<8, uint32(1), uint32(512), uint32(0), id, at, uint64(9))
	}
	return append(request(0x28, 7, 3_000_000), request(0x2a, 1<<40, 3_000_500)...)
}

func TestTracesOfLibCacheSim(t *testing.T) {
	opt := Options{Default: "upsert", KeyWidth: 8, ValueWidth: 8}
	after := func(d time.Duration, first, second string) []Row {
		return []Row{{Op: first, Key: 7, Value: 64}, {Op: second, Key: 1 << 40, Value: 32, Time: d}}
	}
	files, want := map[string][]byte{"t.twr": twr()}, map[string][]Row{"t.twr": after(2*time.Second, "find", "erase")}
	for version := range uint64(8) {
		name := fmt.Sprintf("v%d.lcs", version+1)
		files[name], want[name] = lcs(version+1), after(2*time.Second, "find", "erase")
	}
	want["v1.lcs"] = after(2*time.Second, "upsert", "upsert")
	for version := range uint16(2) {
		name := fmt.Sprintf("v%d.vscsi", version+1)
		blocks := after(500*time.Microsecond, "find", "upsert")
		blocks[0].Value, blocks[1].Value = 512, 512
		files[name], want[name] = vscsi(version+1), blocks
	}
	for name, all := range files {
		reads(t, name, all, opt, want[name])
	}
	refuses(t, "w.lcs", lcs(1)[:8192+30], opt, "w.lcs, row 2: the file ends within it: 6 bytes of 24")
}

// Meta's traces: a row stands for several operations, and the first years have no times.
func TestTracesOfMeta(t *testing.T) {
	opt := Options{Layout: rows.Layout{Format: "kvcache"}, KeyWidth: 8, ValueWidth: 8}
	get := Row{Op: "find", Key: xxh3.HashString("a1"), Value: 87}
	set := Row{Op: "upsert", Key: xxh3.HashString("b2"), Value: 65, Time: 2 * time.Second}
	late := "op_time,key,key_size,op,op_count,size,cache_hits,ttl\n604038471,a1,48,GET_LEASE,3,87,1,0\n604038473,b2,67,SET,1,65,0,7200\n604038473,c,1,DELETE,0,0,0,0\n"
	reads(t, "kvcache_traces_1.csv", []byte(late), opt, []Row{get, get, get, set})
	early := "key,op,size,op_count,key_size\n17,SET,82,1,40\n17,GET,0,2,40\n"
	reads(t, "kvcache.csv", []byte(early), opt, []Row{{Op: "upsert", Key: 17, Value: 82}, {Op: "find", Key: 17}, {Op: "find", Key: 17}})
	for text, want := range map[string]string{
		"key,op,size\n1,GET,2\n":                            `a: unknown column "op_count": choose from key, op, size`,
		"key,op,size,op_count,key_size\n1,GET,2,-1,3\n":     `a, line 2, column op_count: "-1" repetitions: it takes a whole number up to 16777216`,
		"key,op,size,op_count,key_size\n1,GET,2,1e18,3\n":   `a, line 2, column op_count: "1e18" repetitions: it takes a whole number up to 16777216`,
		"key,op,size,op_count,key_size\n1,GET_LEASES,2,1,3": `a, line 2, column op: unknown operation "get_leases"`,
	} {
		refuses(t, "a", []byte(text), opt, want)
	}
}

// Edge lists, TPC-H's tables, packed keys, decimals, other delimiters.
func TestTablesThatPeopleDownload(t *testing.T) {
	upsert := func(key, value uint64) Row { return Row{Op: "upsert", Key: key, Value: value} }
	for _, c := range []struct {
		name, all string
		opt       Options
		want      []Row
	}{
		{"roads.snap.gz", "# Nodes: 3 Edges: 2\n# src dst\n5\t6\n7 \t 8\r\n", Options{Columns: Columns{Key: "src,dst"}}, []Row{upsert(5<<32|6, 0), upsert(7<<32|8, 1)}},
		{"a.txt", "% konect\n5 6 100\n", Options{Layout: rows.Layout{Format: "snap"}, Columns: Columns{Key: "dst", Value: "3"}}, []Row{upsert(6, 100)}},
		{"orders.tbl.1", "1|370|O|172799.49|1996-01-02|5-LOW|Clerk#1|0|text|\n2|781|O|38426.09|1996-12-01|1-URGENT|Clerk#2|0||\n",
			Options{Columns: Columns{Key: "o_custkey", Value: "o_totalprice"}}, []Row{upsert(370, 17279949), upsert(781, 3842609)}},
		{"mine.tbl", "1|-2.50|\n2|3|\n", Options{Columns: Columns{Key: "1", Value: "2"}}, []Row{upsert(1, 1<<64-250), upsert(2, 300)}},
		{"a.csv", "# a comment\nid;price\n5;1.5\n6;2\n", Options{Columns: Columns{Key: "id", Value: "price"}, Layout: rows.Layout{Delimiter: ";", Comment: "#"}, Decimals: 3}, []Row{upsert(5, 1500), upsert(6, 2000)}},
		{"a.csv", "id\tn\n5\t2\n6\t0\n7\t1\n", Options{Columns: Columns{Key: "id", Count: "n"}, Layout: rows.Layout{Delimiter: "tab"}}, []Row{upsert(5, 0), upsert(5, 0), upsert(7, 2)}},
		{"a.ndjson", "{\"id\":5,\"x\":1.25}\n{\"id\":6,\"x\":2}\n{\"id\":7,\"x\":-3e1}\n", Options{Columns: Columns{Key: "id", Value: "x"}, Decimals: 2}, []Row{upsert(5, 125), upsert(6, 200), upsert(7, 1<<64-3000)}},
	} {
		c.opt.Default, c.opt.KeyWidth, c.opt.ValueWidth = "upsert", 8, 8
		all := []byte(c.all)
		if strings.HasSuffix(c.name, ".gz") {
			all = zipped(t, all)
		}
		reads(t, c.name, all, c.opt, c.want)
	}
	_, remarks, err := readAll("a.csv", []byte("a,b\nx,1.50\ny,2.25\nx,1.50\n"), Options{Columns: Columns{Key: "a,b"}, Default: "find", KeyWidth: 8})
	if want := []string{"keys are texts: each is the low 4 bytes of its XXH3-64; rows that share it with another text: 0",
		"column b: decimals with 2 digits become whole numbers, 1 is 100"}; err != nil || !cmp.Equal(remarks, want) {
		t.Errorf("%v, %q", err, remarks)
	}
	for _, c := range []struct {
		name, all string
		opt       Options
		want      string
	}{
		{"a.snap", "1 2\n3\n", Options{Columns: Columns{Key: "src"}}, "a.snap, line 2: 1 cells, the first line has 2"},
		{"a.snap", "1 2\n", Options{Columns: Columns{Key: "from"}}, `a.snap: unknown column "from": choose from src, dst`},
		{"a.snap", "1 70000\n", Options{Columns: Columns{Key: "src,dst"}, KeyWidth: 4}, "a.snap, line 1, column dst: 70000 does not fit 2 bytes; hint: --pair k8v8, or --text"},
		{"nation.tbl", "1|x|\n", Options{Columns: Columns{Key: "n_name"}}, `nation.tbl, line 1: 2 cells, table "nation" has 4`},
		{"a.ndjson", "{}", Options{Columns: Columns{Key: "id"}, Layout: rows.Layout{Delimiter: ";"}}, `a.ndjson: delimiter is ";": it is for csv, the format is ndjson`},
		{"a.csv", "id", Options{Columns: Columns{Key: "id"}, Layout: rows.Layout{Delimiter: ",,"}}, `a.csv: delimiter is ",,": it takes tab, or a character that is no quotation mark`},
		{"a.csv", "id", Options{Columns: Columns{Key: "id"}, Layout: rows.Layout{Comment: ","}}, `a.csv: delimiter and comment are both ','`},
		{"a.csv", "id,x\n1,2\n", Options{Columns: Columns{Key: "id,id,id,id,id"}, KeyWidth: 4}, "a.csv: 5 columns in a key of 4 bytes: it has room for one a byte"},
		{"a.csv", "id\n", Options{Columns: Columns{Key: "id", Value: "id"}, Decimals: 19}, "a.csv: decimals is 19, allowed are 1 to 18"},
	} {
		if c.opt.Default = "find"; c.opt.KeyWidth == 0 {
			c.opt.KeyWidth = 8
		}
		refuses(t, c.name, []byte(c.all), c.opt, c.want)
	}
}

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
	opt := Options{Layout: rows.Layout{Format: name}, Columns: columns, Default: "find", KeyWidth: 4, ValueWidth: 4, Limit: 10_000}
	r, err := Open("", bytes.NewReader(all), opt)
	if err == nil {
		n := 0
		for row, failed := range r.All() {
			if err, n = failed, n+1; n == 1_000_000 { // a row may stand for millions
				break
			}
			must.Need(t, err != nil || CheckOp(row.Op) == nil && row.Key < 1<<32 && row.Value < 1<<32 && row.Time >= 0, "%s: %+v", name, row)
		}
	}
	must.Hold(t, err == nil || !strings.Contains(err.Error(), "\n"), "%s: error %q", name, err)
}
