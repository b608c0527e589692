package file

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/compress"
	pq "github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/schema"

	"github.com/hashzoo/hashzoo/workloads/rows"
)

// arrowFile is a file with a column "id" of a type, next to another one. Cells are
// given as texts, "null" for none, in as many batches as there are lists.
func arrowFile(t testing.TB, stream bool, of arrow.DataType, batches [][]string, options ...ipc.Option) []byte {
	t.Helper()
	s := arrow.NewSchema([]arrow.Field{
		{Name: "x", Type: arrow.PrimitiveTypes.Float64, Nullable: true}, {Name: "id", Type: of, Nullable: true},
	}, nil)
	var out bytes.Buffer
	options = append(options, ipc.WithSchema(s), ipc.WithDictionaryDeltas(true))
	var w interface {
		Write(arrow.RecordBatch) error
		Close() error
	} = ipc.NewWriter(&out, options...)
	if !stream {
		out.Reset()
		var err error
		if w, err = ipc.NewFileWriter(&out, options...); err != nil {
			t.Fatal(err)
		}
	}
	if of.ID() == arrow.DICTIONARY && !stream { // such a file has one dictionary, and so one batch
		batches = [][]string{slices.Concat(batches...)}
	}
	ids := array.NewBuilder(memory.NewGoAllocator(), of)
	for _, cells := range batches {
		x := array.NewFloat64Builder(memory.NewGoAllocator())
		for _, cell := range cells {
			x.Append(1.5)
			if cell == "null" {
				ids.AppendNull()
			} else if err := ids.AppendValueFromString(cell); err != nil {
				t.Fatal(err)
			}
		}
		batch := array.NewRecordBatch(s, []arrow.Array{x.NewArray(), ids.NewArray()}, int64(len(cells)))
		if err := w.Write(batch); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func readBytes(name string, bytes []byte, opt Options) (*Column, error) {
	return Read(name, memoryFile(bytes), opt)
}

func TestArrow(t *testing.T) {
	names := [][]string{{"anna", "bert"}, {"anna"}, {}, {"carl"}}
	hashes := []uint64{hash4("anna"), hash4("bert"), hash4("anna"), hash4("carl")}
	const minus1 = 1<<32 - 1
	for _, c := range []struct {
		of      arrow.DataType
		batches [][]string
		want    []uint64
	}{
		{arrow.PrimitiveTypes.Int8, [][]string{{"5", "-1"}, {"127"}}, []uint64{5, minus1, 127}},
		{arrow.PrimitiveTypes.Int16, [][]string{{"5", "-1"}, {"32767"}}, []uint64{5, minus1, 32767}},
		{arrow.PrimitiveTypes.Int32, [][]string{{"5", "-1"}, {"-2147483648"}}, []uint64{5, minus1, 1 << 31}},
		{arrow.PrimitiveTypes.Int64, [][]string{{"5", "-1"}, {"4294967295"}}, []uint64{5, minus1, minus1}},
		{arrow.PrimitiveTypes.Uint8, [][]string{{"5"}, {"255"}}, []uint64{5, 255}},
		{arrow.PrimitiveTypes.Uint16, [][]string{{"5"}, {"65535"}}, []uint64{5, 65535}},
		{arrow.PrimitiveTypes.Uint32, [][]string{{"5"}, {"4294967295"}}, []uint64{5, minus1}},
		{arrow.PrimitiveTypes.Uint64, [][]string{{"5"}, {"4294967295"}}, []uint64{5, minus1}},
		{arrow.FixedWidthTypes.Boolean, [][]string{{"true", "false"}, {"true"}}, []uint64{1, 0, 1}},
		{arrow.FixedWidthTypes.Date32, [][]string{{"1970-01-03", "1969-12-31"}, {"2026-11-23"}}, []uint64{2, minus1, 20780}},
		{arrow.FixedWidthTypes.Time32s, [][]string{{"00:01:05"}}, []uint64{65}},
		{arrow.FixedWidthTypes.Timestamp_s, [][]string{{"1970-01-02T00:00:01Z"}}, []uint64{86401}},
		{arrow.FixedWidthTypes.Duration_ms, [][]string{{"1500ms"}}, []uint64{1500}},
		{arrow.BinaryTypes.String, names, hashes},
		{arrow.BinaryTypes.LargeString, names, hashes},
		{arrow.BinaryTypes.StringView, names, hashes},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, names, hashes},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.PrimitiveTypes.Int64}, [][]string{{"7", "7"}, {"8"}}, []uint64{7, 7, 8}},
	} {
		for _, stream := range []bool{false, true} {
			for _, options := range [][]ipc.Option{nil, {ipc.WithZstd()}, {ipc.WithLZ4()}} {
				column, err := readBytes("a.arrow", arrowFile(t, stream, c.of, c.batches, options...), keys("id"))
				if err != nil {
					t.Errorf("%v, stream %v: %v", c.of, stream, err)
				} else if !slices.Equal(column.Numbers, c.want) {
					t.Errorf("%v, stream %v: %v, want %v", c.of, stream, column.Numbers, c.want)
				}
			}
		}
	}
}

func TestArrowErrors(t *testing.T) {
	opt := func(change func(o *Options)) Options {
		o := keys("id")
		change(&o)
		return o
	}
	int64s := arrow.PrimitiveTypes.Int64
	good := [][]string{{"1", "2"}, {"3"}}
	for _, c := range []struct {
		of      arrow.DataType
		batches [][]string
		opt     Options
		want    string
	}{
		{int64s, good, keys("key"), `a.arrow: unknown column "key": choose from x, id`},
		{int64s, good, keys(""), `a.arrow: it has 2 columns, so one must be named: choose from x, id`},
		{int64s, good, keys("x"), `a.arrow: column x is of type float64, it takes whole numbers and texts`},
		{arrow.FixedWidthTypes.Float16, nil, keys("id"), `a.arrow: column id is of type float16, it takes whole numbers and texts`},
		{arrow.ListOf(int64s), nil, keys("id"), `a.arrow: column id is of type list<item: int64, nullable>, it takes whole numbers and texts`},
		{int64s, [][]string{{"1", "2"}, {"3", "null"}}, keys("id"), `a.arrow, row 4, column id: there is no value`},
		{int64s, [][]string{{"1"}, {"4294967296"}}, keys("id"), `a.arrow, row 2, column id: 4294967296 does not fit 4 bytes; hint: a table with keys of 8 bytes, or as = "text"`},
		{int64s, [][]string{{"-2147483649"}}, keys("id"), `a.arrow, row 1, column id: -2147483649 does not fit 4 bytes; hint: a table with keys of 8 bytes, or as = "text"`},
		{arrow.BinaryTypes.String, [][]string{{"5", "a5"}}, opt(func(o *Options) { o.As = rows.AsInteger }), `a.arrow, row 2, column id: "a5" is not a whole number`},
		{int64s, good, opt(func(o *Options) { o.Limit = 2 }), `a.arrow: more than 2 rows, which is the most that are read; hint: rows says how many to read from the first on`},
		{int64s, good, opt(func(o *Options) { o.Rows = 4 }), `a.arrow: rows is 4, the file has 3`},
		{int64s, nil, keys("id"), `a.arrow: it has no rows`},
	} {
		for _, stream := range []bool{false, true} {
			_, err := readBytes("a.arrow", arrowFile(t, stream, c.of, c.batches), c.opt)
			if err == nil || err.Error() != c.want {
				t.Errorf("stream %v:\nhave %v\nwant %s", stream, err, c.want)
			}
		}
	}
	for name, text := range map[string]string{"nothing": "", "something else": "id\n5\n", "only the mark": "ARROW1\x00\x00"} {
		if _, err := readBytes("a.arrow", []byte(text), keys("id")); err == nil || !strings.HasPrefix(err.Error(), "a.arrow: the file is damaged: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestColumnsAsAsked(t *testing.T) {
	text, integer, few := keys("id"), keys("id"), keys("id")
	text.As, integer.As, few.Rows = rows.AsText, rows.AsInteger, 2
	numbers := arrowFile(t, false, arrow.PrimitiveTypes.Int64, [][]string{{"1", "-2"}, {"3"}})
	column, err := readBytes("a.arrow", numbers, text)
	if want := []uint64{hash4("1"), hash4("-2"), hash4("3")}; err != nil || !slices.Equal(column.Numbers, want) || !remarked(column, "texts") {
		t.Errorf("%v, %v, want %v", err, column, want)
	}
	column, err = readBytes("a.arrow", numbers, few)
	if want := []uint64{1, 1<<32 - 2}; err != nil || !slices.Equal(column.Numbers, want) || remarked(column, "texts") {
		t.Errorf("%v, %v, want %v", err, column, want)
	}
	texts := arrowFile(t, false, arrow.BinaryTypes.String, [][]string{{"1", " -2 "}, {"0x3"}})
	column, err = readBytes("a.arrow", texts, integer)
	if want := []uint64{1, 1<<32 - 2, 3}; err != nil || !slices.Equal(column.Numbers, want) {
		t.Errorf("%v, %v, want %v", err, column, want)
	}
}

// leaf is a column of a Parquet file.
func leaf(name string, physical parquet.Type, logical schema.LogicalType, repetition parquet.Repetition) schema.Node {
	length := -1
	if physical == parquet.Types.FixedLenByteArray {
		length = 4
	}
	return schema.Must(schema.NewPrimitiveNodeLogical(name, repetition, logical, physical, length, -1))
}

// parquetFile is a file with a column "id" next to another one; fill writes the
// cells of a row group.
func parquetFile(t testing.TB, id schema.Node, groups int, fill func(group int, w pq.ColumnChunkWriter), options ...parquet.WriterProperty) []byte {
	t.Helper()
	root := schema.MustGroup(schema.NewGroupNode("root", parquet.Repetitions.Required, schema.FieldList{
		id, leaf("x", parquet.Types.Double, schema.NoLogicalType{}, parquet.Repetitions.Required)}, -1))
	var out bytes.Buffer
	w := pq.NewParquetWriter(&out, root, pq.WithWriterProps(parquet.NewWriterProperties(options...)))
	for group := range groups {
		g, err := w.AppendBufferedRowGroupChecked()
		if err != nil {
			t.Fatal(err)
		}
		ids, err := g.Column(0)
		if err != nil {
			t.Fatal(err)
		}
		fill(group, ids)
		x, err := g.Column(1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := x.(*pq.Float64ColumnChunkWriter).WriteBatch(make([]float64, ids.RowsWritten()), nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func write[T any](t testing.TB, w func(values []T, definition, repetition []int16) (int64, error), values []T, definition []int16) {
	t.Helper()
	if _, err := w(values, definition, nil); err != nil {
		t.Fatal(err)
	}
}

var properties = map[string][]parquet.WriterProperty{
	"plain":      {parquet.WithDictionaryDefault(false)},
	"dictionary": {parquet.WithDictionaryDefault(true)},
	"snappy":     {parquet.WithCompression(compress.Codecs.Snappy), parquet.WithDataPageSize(512)},
	"zstd":       {parquet.WithCompression(compress.Codecs.Zstd), parquet.WithDataPageVersion(parquet.DataPageV2)},
	"small":      {parquet.WithDataPageSize(64), parquet.WithBatchSize(7), parquet.WithDictionaryDefault(false)},
}

func TestParquet(t *testing.T) {
	const n, groups = 5000, 3
	required, optional := parquet.Repetitions.Required, parquet.Repetitions.Optional
	ints, texts := schema.NoLogicalType{}, schema.StringLogicalType{}
	value := func(group, i int) int64 { return int64(group*n+i) * 7919 % 100_003 }
	user := func(group, i int) string { return fmt.Sprint("user", value(group, i)%100) }
	wide := Options{Column: "id", Width: 8, Limit: n * groups}
	for what, options := range properties {
		check := func(id schema.Node, fill func(group int, w pq.ColumnChunkWriter), want func(group, i int) uint64) {
			t.Helper()
			column, err := readBytes("a.parquet", parquetFile(t, id, groups, fill, options...), wide)
			if err != nil || len(column.Numbers) != n*groups {
				t.Errorf("%s: %v", what, err)
				return
			}
			for i, x := range column.Numbers {
				if x != want(i/n, i%n) {
					t.Fatalf("%s: number %d is %d, want %d", what, i, x, want(i/n, i%n))
				}
			}
		}
		check(leaf("id", parquet.Types.Int64, ints, required), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.Int64ColumnChunkWriter).WriteBatch, made(n, func(i int) int64 { return value(group, i) - 50_000 }), nil)
		}, func(group, i int) uint64 { return uint64(value(group, i) - 50_000) })
		check(leaf("id", parquet.Types.Int64, schema.NewIntLogicalType(64, false), optional), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.Int64ColumnChunkWriter).WriteBatch, made(n, func(i int) int64 { return -value(group, i) - 1 }), full(n))
		}, func(group, i int) uint64 { return ^uint64(value(group, i)) })
		check(leaf("id", parquet.Types.Int32, schema.NewIntLogicalType(32, false), required), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.Int32ColumnChunkWriter).WriteBatch, made(n, func(i int) int32 { return int32(-value(group, i) - 1) }), nil)
		}, func(group, i int) uint64 { return uint64(^uint32(value(group, i))) })
		check(leaf("id", parquet.Types.Int32, schema.NewIntLogicalType(16, true), optional), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.Int32ColumnChunkWriter).WriteBatch, made(n, func(i int) int32 { return -int32(value(group, i) % 1000) }), full(n))
		}, func(group, i int) uint64 { return uint64(-(value(group, i) % 1000)) })
		check(leaf("id", parquet.Types.Int32, schema.DateLogicalType{}, required), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.Int32ColumnChunkWriter).WriteBatch, made(n, func(i int) int32 { return int32(value(group, i)) - 7 }), nil)
		}, func(group, i int) uint64 { return uint64(value(group, i) - 7) })
		micros := schema.NewTimestampLogicalType(true, schema.TimeUnitMicros)
		check(leaf("id", parquet.Types.Int64, micros, optional), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.Int64ColumnChunkWriter).WriteBatch, made(n, func(i int) int64 { return value(group, i) << 20 }), full(n))
		}, func(group, i int) uint64 { return uint64(value(group, i) << 20) })
		check(leaf("id", parquet.Types.Boolean, ints, optional), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.BooleanColumnChunkWriter).WriteBatch, made(n, func(i int) bool { return value(group, i)%3 == 0 }), full(n))
		}, func(group, i int) uint64 { return uint64(max(0, 1-value(group, i)%3)) })
		check(leaf("id", parquet.Types.ByteArray, texts, optional), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.ByteArrayColumnChunkWriter).WriteBatch, made(n, func(i int) parquet.ByteArray { return parquet.ByteArray(user(group, i)) }), full(n))
		}, func(group, i int) uint64 { return hash8(user(group, i)) })
		check(leaf("id", parquet.Types.FixedLenByteArray, schema.NoLogicalType{}, required), func(group int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.FixedLenByteArrayColumnChunkWriter).WriteBatch, made(n, func(i int) parquet.FixedLenByteArray {
				return parquet.FixedLenByteArray(fmt.Sprintf("%04d", value(group, i)%10_000))
			}), nil)
		}, func(group, i int) uint64 { return hash8(fmt.Sprintf("%04d", value(group, i)%10_000)) })
	}
}

func made[T any](n int, value func(i int) T) []T {
	list := make([]T, n)
	for i := range list {
		list[i] = value(i)
	}
	return list
}

// full are the definition levels of cells that are all there.
func full(n int) []int16 { return made(n, func(int) int16 { return 1 }) }

func TestParquetErrors(t *testing.T) {
	required, optional := parquet.Repetitions.Required, parquet.Repetitions.Optional
	none := schema.NoLogicalType{}
	opt := func(change func(o *Options)) Options {
		o := keys("id")
		change(&o)
		return o
	}
	three := func(_ int, w pq.ColumnChunkWriter) {
		write(t, w.(*pq.Int64ColumnChunkWriter).WriteBatch, []int64{1, 2, 3}, nil)
	}
	nothing := func(int, pq.ColumnChunkWriter) {}
	int64s := leaf("id", parquet.Types.Int64, none, required)
	nested := schema.MustGroup(schema.NewGroupNode("user", required, schema.FieldList{int64s}, -1))
	for _, c := range []struct {
		id     schema.Node
		groups int
		fill   func(int, pq.ColumnChunkWriter)
		opt    Options
		want   string
	}{
		{int64s, 2, three, keys("key"), `a.parquet: unknown column "key": choose from id, x`},
		{int64s, 2, three, keys("x"), `a.parquet: column x is of type DOUBLE, it takes whole numbers and texts`},
		{nested, 2, three, keys("id"), `a.parquet: unknown column "id": choose from user.id, x`},
		{leaf("id", parquet.Types.Int96, none, required), 0, nothing, keys("id"), `a.parquet: column id is of type INT96, it takes whole numbers and texts`},
		{leaf("id", parquet.Types.Int64, none, parquet.Repetitions.Repeated), 0, nothing, keys("id"), `a.parquet: column id is of type list, it takes whole numbers and texts`},
		{leaf("id", parquet.Types.Int64, none, optional), 1, func(_ int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.Int64ColumnChunkWriter).WriteBatch, []int64{7, 8}, []int16{1, 0, 1})
		}, keys("id"), `a.parquet, row 2, column id: there is no value`},
		{int64s, 1, func(_ int, w pq.ColumnChunkWriter) {
			write(t, w.(*pq.Int64ColumnChunkWriter).WriteBatch, []int64{7, 1 << 32}, nil)
		}, keys("id"), `a.parquet, row 2, column id: 4294967296 does not fit 4 bytes; hint: a table with keys of 8 bytes, or as = "text"`},
		{int64s, 2, three, opt(func(o *Options) { o.Limit = 5 }), `a.parquet: more than 5 rows, which is the most that are read; hint: rows says how many to read from the first on`},
		{int64s, 2, three, opt(func(o *Options) { o.Rows = 7 }), `a.parquet: rows is 7, the file has 6`},
		{int64s, 0, three, keys("id"), `a.parquet: it has no rows`},
	} {
		_, err := readBytes("a.parquet", parquetFile(t, c.id, c.groups, c.fill), c.opt)
		if err == nil || err.Error() != c.want {
			t.Errorf("have %v\nwant %s", err, c.want)
		}
	}
	column, err := readBytes("a.parquet", parquetFile(t, nested, 1, three), keys("user.id"))
	if err != nil || !slices.Equal(column.Numbers, []uint64{1, 2, 3}) {
		t.Errorf("nested: %v, %v", err, column)
	}
	column, err = readBytes("a.parquet", parquetFile(t, int64s, 2, three), opt(func(o *Options) { o.Rows, o.Limit = 4, 4 }))
	if err != nil || !slices.Equal(column.Numbers, []uint64{1, 2, 3, 1}) {
		t.Errorf("some rows: %v, %v", err, column)
	}
}

// Damaged files are errors, or are read as what they now say; nothing panics, and
// sizes that are not true do not fill the memory.
func TestDamagedFiles(t *testing.T) {
	texts := [][]string{{"anna", "bert", "carl"}, {"anna"}}
	parquetTexts := func(_ int, w pq.ColumnChunkWriter) {
		names := []parquet.ByteArray{parquet.ByteArray("anna"), parquet.ByteArray("bert")}
		write(t, w.(*pq.ByteArrayColumnChunkWriter).WriteBatch, names, nil)
	}
	files := map[string][]byte{
		"a.arrow":   arrowFile(t, false, arrow.BinaryTypes.String, texts),
		"b.arrow":   arrowFile(t, true, arrow.PrimitiveTypes.Int32, [][]string{{"1", "2"}, {"3"}}),
		"c.arrow":   arrowFile(t, true, &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}, texts, ipc.WithZstd()),
		"e.arrow":   arrowFile(t, false, arrow.BinaryTypes.StringView, [][]string{{"a name that is long enough for a buffer", "anna"}, {"another one of such names"}}),
		"d.parquet": parquetFile(t, leaf("id", parquet.Types.ByteArray, schema.StringLogicalType{}, parquet.Repetitions.Required), 2, parquetTexts),
	}
	for name, whole := range files {
		if _, err := readBytes(name, whole, keys("id")); err != nil {
			t.Fatal(err)
		}
		try := func(damaged []byte) bool {
			_, err := readBytes(name, damaged, keys("id"))
			if err != nil && (!strings.HasPrefix(err.Error(), name) || strings.Contains(err.Error(), "\n")) {
				t.Errorf("%s: error %q", name, err)
			}
			return err != nil
		}
		refused := 0
		for end := range whole {
			if try(whole[:end]) {
				refused++
			}
		}
		r := rand.New(rand.NewPCG(1, uint64(len(name))))
		for range 1000 {
			changed := slices.Clone(whole)
			for range 1 + r.IntN(3) {
				changed[r.IntN(len(changed))] = []byte{0, 1, 0x7f, 0xff, byte(r.Uint32())}[r.IntN(5)]
			}
			if try(changed) {
				refused++
			}
		}
		if refused < len(whole)/2 {
			t.Errorf("%s: only %d damaged files were refused", name, refused)
		}
	}
}

// From a file, not from memory.
func TestColumnarOpen(t *testing.T) {
	path := t.TempDir() + "/b.arrows"
	if err := os.WriteFile(path, arrowFile(t, true, arrow.PrimitiveTypes.Int32, [][]string{{"1", "2"}, {"3"}}), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	column, err := Read(path, f, keys("id"))
	if err != nil || !slices.Equal(column.Numbers, []uint64{1, 2, 3}) {
		t.Errorf("%v, %v", err, column)
	}
}

// Decimals of a fixed scale are whole numbers; those of a double become so if the user says the digits.
func TestDecimals(t *testing.T) {
	want := []uint64{1250, 1<<64 - 5, 0}
	cells := [][]string{{"12.50", "-0.05"}, {"0"}}
	wide := Options{Column: "id", Width: 8, Limit: 1000}
	for _, of := range []arrow.DataType{&arrow.Decimal32Type{Precision: 5, Scale: 2}, &arrow.Decimal64Type{Precision: 5, Scale: 2},
		&arrow.Decimal128Type{Precision: 30, Scale: 2}, &arrow.Decimal256Type{Precision: 30, Scale: 2}} {
		column, err := readBytes("a.arrow", arrowFile(t, false, of, cells), wide)
		if err != nil || !slices.Equal(column.Numbers, want) || !remarked(column, "decimals with 2 digits") {
			t.Errorf("%v: %v, %v", of, err, column)
		}
	}
	required := parquet.Repetitions.Required
	decimal := schema.NewDecimalLogicalType(9, 2)
	short := leaf("id", parquet.Types.Int32, decimal, required)
	column, err := readBytes("a.parquet", parquetFile(t, short, 1, func(_ int, w pq.ColumnChunkWriter) {
		write(t, w.(*pq.Int32ColumnChunkWriter).WriteBatch, []int32{1250, -5, 0}, nil)
	}), wide)
	if err != nil || !slices.Equal(column.Numbers, want) {
		t.Errorf("%v, %v", err, column)
	}
	bytes := leaf("id", parquet.Types.FixedLenByteArray, decimal, required)
	column, err = readBytes("a.parquet", parquetFile(t, bytes, 1, func(_ int, w pq.ColumnChunkWriter) {
		write(t, w.(*pq.FixedLenByteArrayColumnChunkWriter).WriteBatch, []parquet.FixedLenByteArray{{0, 0, 0x04, 0xe2}, {255, 255, 255, 251}, {0, 0, 0, 0}}, nil)
	}), wide)
	if err != nil || !slices.Equal(column.Numbers, want) {
		t.Errorf("%v, %v", err, column)
	}
	doubles := wide
	doubles.Decimals = 2
	column, err = readBytes("a.arrow", arrowFile(t, false, arrow.PrimitiveTypes.Float64, cells), doubles)
	if err != nil || !slices.Equal(column.Numbers, want) {
		t.Errorf("%v, %v", err, column)
	}
	three := wide
	three.Decimals = 3
	for _, c := range []struct {
		of   arrow.DataType
		cell string
		opt  Options
		want string
	}{
		{arrow.PrimitiveTypes.Float64, "1.255", doubles, "a.arrow, row 1, column id: 1.255 is no decimal with 2 digits after the point"},
		{arrow.PrimitiveTypes.Float64, "1e300", doubles, "a.arrow, row 1, column id: 1e+300 is no decimal with 2 digits after the point"},
		{&arrow.Decimal64Type{Precision: 5, Scale: 2}, "1", three, "a.arrow: decimals is 3, column id has 2"},
		{&arrow.Decimal128Type{Precision: 38, Scale: 2}, "-999999999999999999999999.25", wide, `a.arrow, row 1, column id: -99999999999999999999999925 does not fit 8 bytes; hint: as = "text"`},
	} {
		if _, err := readBytes("a.arrow", arrowFile(t, false, c.of, [][]string{{c.cell}}), c.opt); err == nil || err.Error() != c.want {
			t.Errorf("%v", err)
		}
	}
}
