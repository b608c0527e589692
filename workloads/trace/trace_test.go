package trace

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/runtime/must"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // tests run the schemes that ship
	"github.com/hashzoo/hashzoo/workloads/parquet"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

// readAll reads all rows.
func readAll(name string, all []byte, opt Options) (list []Row, remarks []string, err error) {
	r, err := Open(name, bytes.NewReader(all), opt)
	if err != nil {
		return nil, nil, err
	}
	for row, err := range r.All() {
		if err != nil {
			return list, nil, err
		}
		list = append(list, row)
	}
	return list, r.Remarks(), nil
}

// reads wants these rows of a file.
func reads(t *testing.T, name string, all []byte, opt Options, want []Row) {
	t.Helper()
	got, _, err := readAll(name, all, opt)
	must.OK(t, err)
	must.Match(t, got, want, name, string(all[:min(len(all), 40)]))
}

// refuses wants an error that is one line and begins like this.
func refuses(t *testing.T, name string, all []byte, opt Options, want string) {
	t.Helper()
	_, _, err := readAll(name, all, opt)
	if must.Begin(t, err, want, name, string(all[:min(len(all), 40)])); err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("%q", err)
	}
}

var wide = Options{Columns: Columns{Key: "id", Op: "what", Value: "v", Time: "t"}, KeyWidth: 8, ValueWidth: 8, Unit: time.Millisecond}

var rowsOfThree = []Row{
	{Op: "find", Key: 7, Value: 1},
	{Op: "upsert", Key: 1 << 40, Value: 2, Time: 1500 * time.Microsecond},
	{Op: "erase", Key: 9, Value: 3, Time: 2 * time.Millisecond},
}

// parquetFile has the same rows as the others.
func parquetFile(t testing.TB) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewWriter(&out, []parquet.Column{{Name: "v", Type: parquet.Int32}, {Name: "t", Type: parquet.Double, Optional: true},
		{Name: "what", Type: parquet.ByteArray, Text: true}, {Name: "id", Type: parquet.Int64, Unsigned: true}})
	must.OK(t, w.Group(3, parquet.Chunk{Values: little(int32(1), int32(2), int32(3))}, parquet.Chunk{Values: little(10.0, 11.5, 12.0)},
		parquet.Chunk{Dictionary: [][]byte{[]byte("get"), []byte("PUT"), []byte("delete")}, Indices: []byte{0, 1, 2}},
		parquet.Chunk{Values: little(int64(7), int64(1<<40), int64(9))}))
	must.OK(t, w.Close("", ""))
	return out.Bytes()
}

// Tables of all formats give the same rows; columns are found by name, in any order.
func TestTables(t *testing.T) {
	for name, all := range map[string][]byte{
		"a.csv":     []byte("v,id,t,what\n1,7,10,get\n2,1099511627776,11.5,PUT\n3,9,12,delete\n"),
		"a.tsv":     []byte("t\tid\twhat\tv\n10\t7\tget\t1\n11.5\t1099511627776\tput\t2\n12\t9\terase\t3\n"),
		"a.ndjson":  []byte("{\"id\":7,\"what\":\"get\",\"v\":1,\"t\":10}\n\n{\"id\":\"1099511627776\",\"what\":\"set\",\"v\":2,\"t\":11.5,\"x\":{}}\n{\"id\":9,\"what\":\"del\",\"v\":3,\"t\":12}"),
		"a.parquet": parquetFile(t),
	} {
		reads(t, name, all, wide, rowsOfThree)
	}
	numbered := Options{Columns: Columns{Key: "2"}, Layout: rows.Layout{Numbered: true}, Default: "insert", KeyWidth: 4, ValueWidth: 4, Limit: 2}
	reads(t, "a.csv", []byte("a,5\nb,6\nc,7\n"), numbered, []Row{{Op: "insert", Key: 5}, {Op: "insert", Key: 6, Value: 1}})
}

func oracle(requests ...[3]uint64) []byte {
	var all []byte
	for _, r := range requests {
		all = binary.LittleEndian.AppendUint32(all, uint32(r[0]))
		all = binary.LittleEndian.AppendUint64(all, r[1])
		all = binary.LittleEndian.AppendUint32(all, uint32(r[2]))
		all = binary.LittleEndian.AppendUint64(all, ^uint64(0))
	}
	return all
}

func TestTracesOfCaches(t *testing.T) {
	opt := Options{Default: "upsert", KeyWidth: 8, ValueWidth: 4}
	all := oracle([3]uint64{100, 1 << 50, 64}, [3]uint64{103, 5, 32})
	reads(t, "w.oracleGeneral", all, opt, []Row{{Op: "upsert", Key: 1 << 50, Value: 64}, {Op: "upsert", Key: 5, Value: 32, Time: 3 * time.Second}})
	refuses(t, "w.oracleGeneral", all[:40], opt, "w.oracleGeneral, row 2: the file ends within it: 16 bytes of 24")
	opt.Format = "twitter"
	got, remarks, err := readAll("cluster", []byte("5,abc,3,10,1,gets,0\n7,xyz,3,20,1,incr,60\n"), opt)
	want := []Row{{Op: "find", Key: xxh3.HashString("abc"), Value: 10}, {Op: "upsert", Key: xxh3.HashString("xyz"), Value: 20, Time: 2 * time.Second}}
	diff := cmp.Diff(want, got)
	must.Hold(t, err == nil && diff == "" && len(remarks) == 1, "%v, %q\n%s", err, remarks, diff)
}

// What every reader of rows refuses is in package file.
func TestWrongTraces(t *testing.T) {
	narrow := Options{Columns: Columns{Key: "id", Op: "what"}, KeyWidth: 4, ValueWidth: 4}
	for _, c := range []struct {
		name, all string
		opt       Options
		want      string
	}{
		{"a.txt", "", narrow, `a.txt: the extension ".txt" says no format; hint: --format takes csv, tsv, ndjson, parquet, snap, tpch, oracle-general, lcs, twr, vscsi, kvcache, twitter`},
		{"a", "", Options{Layout: rows.Layout{Format: "cvs"}}, `a: unknown format "cvs": did you mean csv?`},
		{"a.csv", "", Options{KeyWidth: 4}, "a.csv: the column of the keys is not named; hint: --key NAME"},
		{"a.csv", "id,what\n5,gett\n", narrow, `a.csv, line 2, column what: unknown operation "gett"`},
		{"a.csv", "id,what\n5,get\nx,get\n", narrow, `a.csv, line 3, column id: "x" is not a whole number, but the first cell is; hint: --text takes all as texts`},
		{"a.csv", "id,what\n4294967296,get\n", narrow, "a.csv, line 2, column id: 4294967296 does not fit 4 bytes; hint: --pair k8v8, or --text"},
		{"a.arrow", "ARROW1xxxxxxARROW1", narrow, "a.arrow: it is an Arrow file, which cannot be read; hint: "},
		{"a.oraclegeneral", "", narrow, "a.oraclegeneral: format oracle-general has its own columns, none can be named"},
		{"a.csv", "id,what,v\n5,get,x\n", Options{Columns: Columns{Key: "id", Op: "what", Value: "v"}, KeyWidth: 4}, "a.csv, line 2, column v: value is x: it takes a whole number"},
		{"a.csv", "id,what,t\n5,get,x\n", Options{Columns: Columns{Key: "id", Op: "what", Time: "t"}, KeyWidth: 4}, "a.csv, line 2, column t: time is x: it takes a number"},
		{"a.csv", "id\n5\n", Options{Columns: Columns{Key: "id"}, KeyWidth: 5}, "a.csv: keys of 5 bytes, allowed are 4 and 8"},
	} {
		refuses(t, c.name, []byte(c.all), c.opt, c.want)
	}
	_, _, err := readAll("a.csv", []byte("id,what\n5,touch\n"), Options{Columns: Columns{Key: "id", Op: "what"}, KeyWidth: 4, Verbs: map[string]string{"touch": "find"}})
	must.Hold(t, err == nil, "%v", err)
}
