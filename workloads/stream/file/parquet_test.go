package file

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/parquet"
	"github.com/hashzoo/hashzoo/workloads/parquet/samples"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

func readBytes(name string, bytes []byte, opt Options) (*Column, error) {
	return readOne(name, memoryFile(bytes), opt)
}

// parquetFile is a file with a column "id" next to another one, in as many row groups as there are lists of cells.
func parquetFile(t testing.TB, id parquet.Column, groups ...[]any) []byte {
	t.Helper()
	var out bytes.Buffer
	w := parquet.NewWriter(&out, []parquet.Column{id, {Name: "x", Type: parquet.Double}})
	for _, cells := range groups {
		var c parquet.Chunk
		for i, cell := range cells {
			switch cell := cell.(type) {
			case string:
				c.Dictionary, c.Indices = append(c.Dictionary, []byte(cell)), append(c.Indices, byte(i))
			case nil: // all are
			default:
				c.Values, _ = binary.Append(c.Values, binary.LittleEndian, cell)
			}
		}
		must.OK(t, w.Group(len(cells), c, parquet.Chunk{Values: make([]byte, 8*len(cells))}))
	}
	must.OK(t, w.Close("", ""))
	return out.Bytes()
}

var (
	int64s = parquet.Column{Name: "id", Type: parquet.Int64}
	texts  = parquet.Column{Name: "id", Type: parquet.ByteArray, Text: true}
	three  = []any{int64(1), int64(2), int64(3)}
)

func sampled(t testing.TB) map[string][]byte { return samples.Files(t, "../../parquet/testdata") }

// keyOf is the key that a cell becomes.
func keyOf(cell any) uint64 {
	switch x := cell.(type) {
	case int:
		return uint64(x)
	case string:
		return hash8(x)
	}
	return cell.(uint64)
}

// Columns of all types become keys, in all encodings, whoever wrote the file.
func TestParquet(t *testing.T) {
	columns := []string{"id", "small", "large", "flag", "name", "text", "four", "day", "in.x", "at", "price", "wide"}
	seen := map[string]int{}
	for name, all := range sampled(t) {
		for _, column := range columns {
			got, err := readBytes(name, all, Options{Column: column, Width: 8, Limit: 300})
			if err != nil {
				must.Hold(t, strings.Contains(err.Error(), "unknown column") || name == "duckdb-brotli.parquet", "%s, column %s: %v", name, column, err)
				continue
			}
			seen[column]++
			must.Hold(t, len(got.Numbers) == 300 && remarked(got, "decimals with 2 digits") == (column == "price" || column == "wide"),
				"%s, column %s: %d, %q", name, column, len(got.Numbers), got.Remarks)
			for i, x := range got.Numbers {
				if want := keyOf(samples.Cells[column](i)); x != want {
					t.Errorf("%s, column %s: number %d is %d, want %d", name, column, i, x, want)
					break
				}
			}
		}
	}
	must.Hold(t, len(seen) == len(columns) && seen["id"] >= 10, "%v", seen)
}

func TestParquetErrors(t *testing.T) {
	files := sampled(t)
	doubles, maybe := int64s, int64s
	doubles.Type, maybe.Optional = parquet.Double, true
	good := parquetFile(t, int64s, three, three)
	for _, c := range []struct {
		all  []byte
		opt  Options
		want string
	}{
		{good, keys("x"), `a.parquet: column x is of type DOUBLE, it takes whole numbers and texts; hint: decimals=2 takes them with two digits after the point`},
		{files["go-plain.parquet"], keys("old"), `a.parquet: column old is of type INT96, it takes whole numbers and texts`},
		{files["go-plain.parquet"], keys("many"), `a.parquet: column many is of type list, it takes whole numbers and texts`},
		{files["polars.parquet"], keys("maybe"), `a.parquet, row 1, column maybe: there is no value`},
		{files["duckdb-brotli.parquet"], keys("small"), `a.parquet: its pages are compressed by brotli, which cannot be read; hint: write it with zstd`},
		{parquetFile(t, maybe, three, []any{nil, nil}), keys("id"), `a.parquet, row 4, column id: there is no value`},
		{parquetFile(t, int64s, []any{int64(1)}, []any{int64(1 << 32)}), keys("id"), `a.parquet, row 2, column id: 4294967296 does not fit 4 bytes; hint: width = 8, for keys or values of 8 bytes (pair = "k8v8"), or as = "text"`},
		{parquetFile(t, texts, []any{"5", "a5"}), changed(func(o *Options) { o.As = rows.AsInteger }), `a.parquet, row 2, column id: "a5" is not a whole number`},
		{parquetFile(t, doubles, []any{1.255}), changed(func(o *Options) { o.Decimals = 2 }), `a.parquet, row 1, column id: 1.255 is no decimal with 2 digits after the point`},
		{parquetFile(t, doubles, []any{1e300}), changed(func(o *Options) { o.Decimals = 2 }), `a.parquet, row 1, column id: 1e+300 is no decimal with 2 digits after the point`},
		{files["duckdb-snappy.parquet"], Options{Column: "price", Width: 8, Limit: 300, Decimals: 3}, `a.parquet: decimals is 3, column price has 2`},
		{[]byte("ARROW1\x00\x00"), keys("id"), `a.parquet: it is an Arrow file, which cannot be read; hint: make it Parquet, in Python by pandas.read_feather(f).to_parquet(...)`},
		{[]byte("id\n5\n7\n8\n9\n10\n"), keys("id"), `a.parquet: the file is damaged: it does not end with PAR1: it is cut off, or no Parquet file`},
		{good, changed(func(o *Options) { o.Limit = 5 }), `a.parquet: more than 5 rows, which is the most that are read; hint: rows says how many to read from the first on`},
		{nil, keys("id"), `a.parquet: the file is damaged: 0 bytes are too few for a Parquet file`},
	} {
		must.Equal(t, must.Err(readBytes("a.parquet", c.all, c.opt)), c.want)
	}
}

func TestColumnsAsAsked(t *testing.T) {
	text, integer, few := keys("id"), keys("id"), keys("id")
	text.As, integer.As, few.Rows, few.Limit = rows.AsText, rows.AsInteger, 2, 2
	numbers := parquetFile(t, int64s, []any{int64(1), int64(-2)}, []any{int64(3)})
	column, err := readBytes("a.parquet", numbers, text)
	want := []uint64{hash4("1"), hash4("-2"), hash4("3")}
	must.Hold(t, err == nil && slices.Equal(column.Numbers, want) && remarked(column, "texts"), "%v, %v, want %v", err, column, want)
	column, err = readBytes("a.parquet", numbers, few)
	want = []uint64{1, 1<<32 - 2}
	must.Hold(t, err == nil && slices.Equal(column.Numbers, want) && !remarked(column, "texts"), "%v, %v, want %v", err, column, want)
	column, err = readBytes("a.parquet", parquetFile(t, texts, []any{"1", " -2 "}, []any{"0x3"}), integer)
	want = []uint64{1, 1<<32 - 2, 3}
	must.Hold(t, err == nil && slices.Equal(column.Numbers, want), "%v, %v, want %v", err, column, want)
	doubles, two := int64s, Options{Column: "id", Width: 8, Limit: 9, Decimals: 2}
	doubles.Type = parquet.Double
	column, err = readBytes("a.parquet", parquetFile(t, doubles, []any{12.50, -0.05}, []any{0.0}), two)
	want = []uint64{1250, 1<<64 - 5, 0}
	must.Hold(t, err == nil && slices.Equal(column.Numbers, want), "%v, %v, want %v", err, column, want)
}

// A row group of several pages is read in pieces, and the first wrong cell is reported.
func TestPiecesOfARowGroup(t *testing.T) {
	const rows, wrong = 3 << 20, 2<<20 + 70_000
	var out bytes.Buffer
	numbers := make([]byte, 8*rows)
	for i := range rows {
		binary.LittleEndian.PutUint64(numbers[8*i:], uint64(i))
	}
	numbers[8*wrong+4], numbers[8*rows-1] = 1, 1
	w := parquet.NewWriter(&out, []parquet.Column{int64s, {Name: "x", Type: parquet.Int64}})
	must.OK(t, errors.Join(w.Group(rows, parquet.Chunk{Values: numbers}, parquet.Chunk{Values: numbers}), w.Close("", "")))
	pieces := 0
	both := []Options{{Column: "id", Width: 8, Limit: rows}, {Column: "x", Width: 8, Limit: rows}}
	all := must.Get(Read("a.parquet", memoryFile(out.Bytes()), func(string, float64) { pieces++ }, both...))(t)
	for i, x := range all[1].Numbers[:rows-1] {
		if i != wrong && x != uint64(i) || all[0].Numbers[i] != x || pieces < 4 {
			t.Fatalf("number %d is %d and %d, in %d pieces", i, all[0].Numbers[i], x, pieces)
		}
	}
	both[1].Width = 4
	must.Begin(t, must.Err(Read("a.parquet", memoryFile(out.Bytes()), nil, both...)), fmt.Sprintf("a.parquet, row %d, column x: ", wrong+1))
}

// Damaged files are errors that name the file, or are read as what they now say.
func TestDamagedFiles(t *testing.T) {
	files := sampled(t)
	for name, column := range map[string]string{"duckdb-v2.parquet": "text", "polars.parquet": "name", "rust-v2.parquet": "id", "go-delta.parquet": "price"} {
		whole, opt := files[name], Options{Column: column, Width: 8, Limit: 300}
		for i := range 550 {
			damaged := slices.Clone(whole)
			if damaged[rand.IntN(len(damaged))] = []byte{0, 1, 0x7f, 0xff, byte(rand.Uint32())}[rand.IntN(5)]; i < 50 {
				damaged = whole[:rand.IntN(len(whole))]
			}
			_, err := readBytes(name, damaged, opt)
			must.Hold(t, err == nil || strings.HasPrefix(err.Error(), name) && !strings.Contains(err.Error(), "\n"), "%s: error %q", name, err)
		}
	}
}

// table is random rows of a number, a decimal, a text and a small number, as files.
func table(t *testing.T, random *rand.Rand, n int) map[string][]byte {
	csv, ndjson := strings.Builder{}, strings.Builder{}
	csv.WriteString("\ufeffid,price,name,n\r\n")
	var chunks [4]parquet.Chunk
	columns := []parquet.Column{int64s, {Name: "price", Type: parquet.Int64, Decimal: true, Scale: 2}, {Name: "name", Type: parquet.ByteArray, Text: true}, {Name: "n", Type: parquet.Int64}}
	for i := range 40 {
		chunks[2].Dictionary = append(chunks[2].Dictionary, fmt.Appendf(nil, "%q\nof %d", "text", i))
	}
	var out bytes.Buffer
	w := parquet.NewWriter(&out, columns)
	rows := 0
	for i := range n {
		id, price, name, repeat := random.Int64N(1<<20)-1<<19, random.Int64N(100_000), random.IntN(40), random.Int64N(3)
		text := string(chunks[2].Dictionary[name])
		fmt.Fprintf(&csv, "%d,%d.%02d,\"%s\",%d%s", id, price/100, price%100, strings.ReplaceAll(text, `"`, `""`), repeat, []string{"\n", "\r\n", "\n\n"}[i%3])
		fmt.Fprintf(&ndjson, "{\"id\":%d, \"price\":%d.%02d, \"name\":%q, \"n\":%d}\n", id, price/100, price%100, text, repeat)
		for c, number := range []int64{id, price, 0, repeat} {
			if c == 2 {
				chunks[c].Indices = append(chunks[c].Indices, byte(name))
			} else {
				chunks[c].Values = binary.LittleEndian.AppendUint64(chunks[c].Values, uint64(number))
			}
		}
		if rows++; random.IntN(n/5) == 0 || i == n-1 {
			must.OK(t, w.Group(rows, chunks[:]...))
			rows = 0
			for c := range chunks {
				chunks[c].Values, chunks[c].Indices = nil, nil
			}
		}
	}
	must.OK(t, w.Close("", ""))
	return map[string][]byte{"a.csv": []byte(csv.String()), "a.ndjson": []byte(ndjson.String()), "a.parquet": out.Bytes()}
}

// Columns that are read on all cores in one pass are those that are read row by row and one after the other.
func TestColumnsInOnePass(t *testing.T) {
	const n = 20_000
	random := rand.New(rand.NewPCG(5, 6))
	of := func(column string, edit func(*Options)) Options {
		o := Options{Column: column, Width: 8, Limit: 1 << 20, Texts: true}
		edit(&o)
		return o
	}
	opts := []Options{of("id", func(o *Options) { o.Count = "n" }), of("price", func(o *Options) { o.Decimals = 2 }), of("name", func(*Options) {}),
		of("n,name", func(o *Options) { o.Width = 4 }), of("n", func(o *Options) { o.As = "text" })}
	for name, text := range table(t, random, n) {
		var heard []float64
		all := must.Get(Read(name, memoryFile(text), func(_ string, share float64) { heard = append(heard, share) }, opts...))(t)
		for i, opt := range opts {
			opt.Rows = n // reads row by row
			one := must.Get(readOne(name, memoryFile(text), opt))(t)
			for _, c := range []*Column{all[i], one} {
				ofFile := func(remark string) bool { return strings.Contains(remark, "decimals with") }
				c.Remarks = append([]string(nil), slices.DeleteFunc(c.Remarks, ofFile)...)
			}
			must.Hold(t, reflect.DeepEqual(all[i], one),
				"%s, %s: %d numbers, want %d; %v, want %v", name, opt.Column, len(all[i].Numbers), len(one.Numbers), all[i].Remarks, one.Remarks)
		}
		for i, share := range heard {
			must.Hold(t, share <= 1 && (i == 0 || share >= heard[i-1]), "%s: progress goes %v", name, heard)
		}
		must.Hold(t, len(heard) >= 2 && heard[len(heard)-1] == 1, "%s: progress ends with %v", name, heard)
	}
}

// The first wrong cell of a file is the one that is reported, whatever column it is in.
func TestFirstErrorInOnePass(t *testing.T) {
	const n = 20_000
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 8))
		wrong := map[int]string{}
		for range 3 {
			wrong[1+random.IntN(n-1)] = []string{"x", "-", "1.5", "", "5000000000", "1,2", `"`, `a"`}[random.IntN(8)]
		}
		for name, format := range map[string]string{"a.csv": "%d,%d,%s\n", "a.ndjson": "{\"1\":%d,\"2\":%d,\"3\":%q}\n"} {
			var text []byte
			for i := range n {
				line := fmt.Sprintf(format, i, random.IntN(1000), strings.Repeat("x", random.IntN(40)))
				if with, is := wrong[i]; is {
					line = strings.Replace(line, fmt.Sprint(i), with, 1)
				}
				text = append(text, line...)
			}
			opts := []Options{keys("1"), keys("2"), keys("3")}
			for i := range opts {
				opts[i].Numbered, opts[i].Limit = name == "a.csv", 1<<20
			}
			_, err := Read(name, memoryFile(text), nil, opts...)
			opts[0].Rows = n
			_, want := Read(name, memoryFile(text), nil, opts...)
			must.Hold(t, err != nil && want != nil && err.Error() == want.Error(), "%s, %v: %v, want %v", name, wrong, err, want)
		}
	}
}
