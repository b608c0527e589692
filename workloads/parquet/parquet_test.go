package parquet

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/workloads/parquet/samples"
)

func open(t testing.TB, all []byte) *File {
	t.Helper()
	return must.Get(Open(bytes.NewReader(all), int64(len(all))))(t)
}

// cells reads a column as texts: numbers in hexadecimal, null, or what the bytes are. It holds that Skip finds the rest.
func cells(f *File, column int) (list []string, err error) {
	for g, group := range f.Groups {
		values := make([]Value, group.Rows)
		if _, err := f.Cells(g, column).Read(values); err != nil {
			return list, err
		}
		c, again := f.Cells(g, column), make([]Value, group.Rows/3)
		from := len(values) - len(again)
		err := c.Skip(uint64(from))
		if _, wrong := c.Read(again); cmp.Or(err, wrong) != nil || !slices.Equal(again, values[from:]) {
			return list, fmt.Errorf("after %d cells that were skipped: %v, %v", from, cmp.Or(err, wrong), again)
		}
		for _, v := range values {
			switch {
			case v.Null:
				list = append(list, "null")
			case f.Columns[column].Type >= ByteArray:
				list = append(list, v.Text)
			default:
				list = append(list, fmt.Sprintf("%x", v.Number))
			}
		}
	}
	return list, nil
}

// wanted is a cell of the files in testdata (testdata/README.md), as cells gives it.
func wanted(cell any, c Column) string {
	switch x := cell.(type) {
	case nil:
		return "null"
	case string:
		return x
	case float64:
		if c.Type == Float {
			return fmt.Sprintf("%x", math.Float32bits(float32(x)))
		}
		return fmt.Sprintf("%x", math.Float64bits(x))
	case int:
		return wantedNumber(x, c)
	}
	return fmt.Sprintf("%x", cell)
}

func wantedNumber(x int, c Column) string {
	switch c.Type {
	case Int32:
		return fmt.Sprintf("%x", uint32(x))
	case ByteArray, Fixed: // of five bytes at least
		all := bytes.Repeat([]byte{byte(x >> 63)}, 8)
		all = append(all, binary.BigEndian.AppendUint64(nil, uint64(x))...)
		return string(all[len(all)-cmp.Or(c.Length, 5):])
	}
	return fmt.Sprintf("%x", uint64(x))
}

func sampled(t testing.TB) map[string][]byte { return samples.Files(t, "testdata") }

func TestFilesOfOthers(t *testing.T) {
	seen := 0
	for name, all := range sampled(t) {
		f := open(t, all)
		must.Match(t, f.Rows, 300, name)
		for i, c := range f.Columns {
			got, err := cells(f, i)
			var is Unsupported
			if name == "duckdb-brotli.parquet" {
				must.Hold(t, errors.As(err, &is) && strings.Contains(err.Error(), "brotli"), "%s: %v", name, err)
				continue
			}
			if c.Name == "old" || c.Repeated {
				continue
			}
			cell := samples.Cells[c.Name]
			if err != nil || cell == nil {
				t.Errorf("%s, column %s: %v", name, c.Name, err)
				continue
			}
			for i, have := range got {
				if want := wanted(cell(i), c); have != want {
					t.Errorf("%s, column %s: cell %d is %q, want %q", name, c.Name, i, have, want)
					break
				}
			}
			if c.Unsigned != (c.Name == "large") || c.Text != (c.Name == "name" || c.Name == "text") || c.Decimal != (c.Name == "price" || c.Name == "wide") || c.Decimal && c.Scale != 2 {
				t.Errorf("%s: %+v", name, c)
			}
			seen++
		}
	}
	must.Hold(t, seen >= 80, "only %d columns", seen)
}

// table is a file with all that a Writer writes.
func table(t testing.TB, rows int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := NewWriter(&out, []Column{{Name: "batch", Type: Int64, Unsigned: true}, {Name: "op", Type: ByteArray, Text: true}, {Name: "key", Type: Int64}, {Name: "value", Type: Int64, Optional: true}})
	numbers, ops := make([]byte, 8*rows), make([]byte, rows)
	for i := range rows {
		numbers[8*i], ops[i] = byte(i), byte(i%3)
	}
	texts := [][]byte{[]byte("find"), []byte("insert"), []byte("erase")}
	must.OK(t, w.Group(rows, Chunk{Dictionary: [][]byte{{7, 1, 0, 0, 0, 0, 0, 0}}, Indices: []byte{0}}, Chunk{Dictionary: texts, Indices: ops}, Chunk{Values: numbers}, Chunk{Values: numbers}))
	must.OK(t, w.Group(rows, Chunk{Dictionary: [][]byte{{8, 1, 0, 0, 0, 0, 0, 0}}, Indices: []byte{0}}, Chunk{Dictionary: texts, Indices: []byte{2}}, Chunk{Values: numbers}, Chunk{}))
	must.OK(t, w.Close("a", strings.Repeat("long", 1000)))
	return out.Bytes()
}

func TestWritten(t *testing.T) {
	for _, rows := range []int{1, 20, 1<<20 + 5} {
		f := open(t, table(t, rows))
		must.Need(t, len(f.Metadata["a"]) == 4000 && len(f.Groups) == 2 && f.Columns[3].Name == "value" && f.Columns[0].Unsigned, "%+v", f)
		for g := range f.Groups {
			numbers := must.Get(f.Cells(g, 2).Numbers(uint64(rows)))(t)
			values := must.Get(f.Cells(g, 3).Numbers(uint64(rows)))(t)
			if len(numbers) != 8*rows || numbers[8*(rows-1)] != byte(rows-1) || g == 0 && !slices.Equal(values, numbers) || g == 1 && len(values) > 0 {
				t.Errorf("%d rows: %d and %d bytes", rows, len(numbers), len(values))
			}
			which, batch, err := f.Cells(g, 0).Choices(uint64(rows))
			must.Hold(t, err == nil && len(which) == rows && batch[which[rows-1]].Number == uint64(263+g), "%v, %d, %v", batch, len(which), err)
			must.Hold(t, must.Err(f.Cells(g, 1).Numbers(1)) != nil, "texts are numbers")
		}
		ops := must.Get(cells(f, 1))(t)
		if ops[0] != "find" || ops[rows-1] != []string{"find", "insert", "erase"}[(rows-1)%3] || ops[rows] != "erase" || ops[2*rows-1] != "erase" {
			t.Errorf("%q", ops[:min(rows, 10)])
		}
	}
}

// readAll reads all cells, and holds that errors have one line.
func readAll(t testing.TB, all []byte) error {
	t.Helper()
	f, err := Open(bytes.NewReader(all), int64(len(all)))
	for i := 0; err == nil && i < len(f.Columns); i++ {
		for g, group := range f.Groups {
			if err == nil {
				_, err = f.Cells(g, i).Read(make([]Value, max(0, min(group.Rows, 1000))))
			}
		}
	}
	must.Hold(t, err == nil || !strings.Contains(err.Error(), "\n"), "error %q", err)
	return err
}

// Damaged files are errors, or are read as what they now say.
func TestDamaged(t *testing.T) {
	files := sampled(t)
	files["written"] = table(t, 20)
	for name, whole := range files {
		for end := 0; end < len(whole); end += 1 + len(whole)/300 {
			must.Hold(t, readAll(t, whole[:end]) != nil, "%s: read although it was cut at byte %d", name, end)
		}
		r := rand.New(rand.NewPCG(1, uint64(len(name))))
		for range 300 {
			changed := bytes.Clone(whole)
			for range 1 + r.IntN(3) {
				changed[r.IntN(len(changed))] = []byte{0, 1, 0x7f, 0xff, byte(r.Uint32())}[r.IntN(5)]
			}
			_ = readAll(t, changed)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, all := range sampled(f) {
		f.Add(all)
	}
	f.Add(table(f, 20))
	f.Fuzz(func(t *testing.T, all []byte) { _ = readAll(t, all) })
}

// full is a disk without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestFullDisk(t *testing.T) {
	w := NewWriter(full{}, []Column{{Name: "key", Type: Int64}})
	err := errors.Join(w.Group(1, Chunk{Values: make([]byte, 8)}), w.Close("", ""))
	must.Hold(t, errors.Is(err, io.ErrShortWrite), "%v", err)
}
