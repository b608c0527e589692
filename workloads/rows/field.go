package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/parquet"
)

// Field is a column whose cells became numbers, with what is needed to make cells of numbers again.
type Field struct {
	parquet.Column                   // its name and type
	Signed         bool              // numbers below 0 are in two's complement
	Bits           int               // of a number; 0: 64
	Bases          int               // it has k-mers of that many bases
	Texts          map[uint64]string // what the numbers of texts stand for
}

// Plain is a column of numbers from 0 on.
func Plain(name string) Field {
	return Field{Column: parquet.Column{Name: name, Type: parquet.Int64, Unsigned: true}}
}

// Common are the columns that numbers of both lists are of, nil if these differ. Columns of one type with different
// names are called key: the vertices of edges are such.
func Common(a, b []Field) []Field {
	if len(a) != len(b) || len(a) == 0 || &a[0] == &b[0] {
		return a[:min(len(a), len(b))]
	}
	all := slices.Clone(a)
	for i, f := range b {
		if all[i].Name != f.Name {
			all[i].Name, f.Name = "key", "key"
		}
		if o := all[i]; o.Column != f.Column || o.Signed != f.Signed || o.Bits != f.Bits || o.Bases != f.Bases {
			return nil
		}
		if texts := maps.Clone(f.Texts); len(texts) > 0 {
			maps.Copy(texts, all[i].Texts)
			all[i].Texts = texts
		}
	}
	return all
}

// Sum is the column of sums of such numbers in values of that many bytes.
func (f Field) Sum(width int) Field {
	if f.Decimal {
		return f
	}
	sum := Plain(f.Name)
	sum.Signed, sum.Unsigned, sum.Bits = f.Signed, !f.Signed, 8*width
	return sum
}

// field is a column with its type in the file, as far as that says it.
func (r *Reader) field(i int) Field {
	f := Plain(r.Columns[i].Name)
	if t := r.types[i]; t != nil {
		f.Column = *t
		f.Optional, f.Name = false, r.Columns[i].Name
		f.Signed = (f.Type == parquet.Int32 || f.Type == parquet.Int64) && !f.Unsigned
	}
	if digits := r.scale[i].digits; digits > 0 {
		f.Column = parquet.Column{Name: f.Name, Type: parquet.Int64, Decimal: true, Scale: digits}
		f.Signed = true
	}
	if strings.HasPrefix(r.Format, "fast") {
		f.Column = parquet.Column{Name: f.Name, Type: parquet.ByteArray, Text: true}
		f.Bases = cmp.Or(int(r.K), longestKmer)
	}
	return f
}

// Fields are the columns of which the keys were made, from one of the reader's on.
func (k *Keys) Fields(r *Reader, from int) []Field {
	list := make([]Field, len(k.kinds))
	for i, kind := range k.kinds {
		f, typed := r.field(from+i), r.types[from+i]
		f.Bits = 8 * k.Width / len(k.kinds)
		switch {
		case kind == Text:
			f.Column = parquet.Column{Name: f.Name, Type: parquet.ByteArray, Text: typed == nil || f.Text || f.Type != parquet.ByteArray}
			f.Texts = k.texts[i]
		case f.Bases == 0 && typed == nil && !f.Decimal:
			f.Signed = k.below[i] || !k.large[i]
			f.Unsigned = !f.Signed
		}
		list[i] = f
	}
	return list
}

// number returns the field's number of a part of a key.
func (f *Field) number(n uint64) uint64 {
	if spare := 64 - f.Bits; f.Bits > 0 && f.Signed {
		return uint64(int64(n<<spare) >> spare)
	} else if f.Bits > 0 {
		return n << spare >> spare
	}
	return n
}

// Cell returns the cell of a number as text.
func (f *Field) Cell(n uint64) string {
	n = f.number(n)
	switch {
	case f.Bases > 0:
		text := make([]byte, f.Bases)
		for i := range text {
			text[len(text)-1-i] = "ACGT"[n>>(2*i)&3]
		}
		return string(text)
	case f.Type == parquet.ByteArray:
		if text, known := f.Texts[n]; known {
			return text
		}
		return fmt.Sprintf("%#x", n)
	case f.Type == parquet.Boolean:
		return strconv.FormatBool(n != 0)
	case f.Decimal:
		text, sign := strconv.FormatInt(int64(n), 10), "" // 1250 is 12.50
		if text[0] == '-' {
			text, sign = text[1:], "-"
		}
		text = strings.Repeat("0", max(0, f.Scale+1-len(text))) + text
		return sign + text[:len(text)-f.Scale] + "." + text[len(text)-f.Scale:]
	case f.Time.Is != parquet.NoTime:
		return timeText(f.Time, int64(n))
	case f.Signed:
		return strconv.FormatInt(int64(n), 10)
	}
	return strconv.FormatUint(n, 10)
}

// ordered are numbers in the order of the cells that they stand for.
func (f *Field) ordered(numbers []uint64) []uint64 {
	ranks := map[uint64]uint64{}
	for i, n := range slices.SortedFunc(maps.Keys(f.Texts), func(a, b uint64) int { return strings.Compare(f.Texts[a], f.Texts[b]) }) {
		ranks[n] = uint64(i)
	}
	return lists.Map(numbers, func(n uint64) uint64 {
		if n = f.number(n); f.Texts != nil {
			return ranks[n]
		} else if f.Signed {
			return n ^ 1<<63
		}
		return n
	})
}

// moments are the times since 1970 that numbers stand for, by the digits of their seconds' fractions.
var moments = map[int]func(int64) time.Time{3: time.UnixMilli, 6: time.UnixMicro, 9: func(n int64) time.Time { return time.Unix(0, n) }}

func timeText(t parquet.Time, n int64) string {
	if t.Is == parquet.Date {
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(n)).Format(time.DateOnly)
	}
	text := moments[t.Digits](n).UTC().Format(lists.Either(t.Is == parquet.Clock, time.TimeOnly, time.DateTime) + ".999999999")
	return text + lists.Either(t.UTC && t.Is == parquet.Stamp, "Z", "")
}

// Table is rows of numbers to write, with what they stand for.
type Table struct {
	Fields  []Field
	Columns [][]uint64
}

// Add adds a column of a field.
func (t *Table) Add(f Field, numbers []uint64) {
	for slices.ContainsFunc(t.Fields, func(o Field) bool { return o.Name == f.Name }) {
		f.Name += "_2"
	}
	t.Fields, t.Columns = append(t.Fields, f), append(t.Columns, numbers)
}

// AddKeys adds the columns that share the bits of keys of that many bytes.
func (t *Table) AddKeys(fields []Field, keys []uint64) {
	for i, f := range fields {
		part := keys
		if shift := f.Bits * (len(fields) - 1 - i); shift > 0 {
			part = lists.Map(keys, func(key uint64) uint64 { return key >> shift })
		}
		t.Add(f, part)
	}
}

// Rows is how many rows there are.
func (t *Table) Rows() int { return len(t.Columns[0]) }

// Sort sorts the rows by their columns, from the first on.
func (t *Table) Sort() {
	by := lists.Make(len(t.Fields), func(c int) []uint64 { return t.Fields[c].ordered(t.Columns[c]) })
	order := lists.Make(t.Rows(), func(i int) int { return i })
	slices.SortFunc(order, func(a, b int) int {
		for _, column := range by {
			if column[a] != column[b] {
				return cmp.Compare(column[a], column[b])
			}
		}
		return 0
	})
	for c, column := range t.Columns {
		t.Columns[c] = lists.Map(order, func(i int) uint64 { return column[i] })
	}
}

// Writable names the formats that tables are written in.
var Writable = []string{"csv", "tsv", "ndjson", "parquet"}

// WritableFormat returns the format that a file's name says.
func WritableFormat(name string) (string, error) {
	format, uncompressed := FormatOf(name), suffixes.ReplaceAllString(name, "")
	switch {
	case !slices.Contains(Writable, format):
		return "", fmt.Errorf("%s: the extension says the format, and can be .csv, .tsv, .ndjson or .parquet", name)
	case name != uncompressed:
		return "", fmt.Errorf("%s: tables are written without compression; hint: %s", name, uncompressed)
	}
	return format, nil
}

// Write writes a table in one of the formats.
func (t *Table) Write(to io.Writer, format string) (err error) {
	out := bufio.NewWriterSize(to, 1<<20)
	switch format {
	case "parquet":
		err = t.writeParquet(out)
	case "ndjson":
		err = t.writeNDJSON(out)
	default:
		err = t.writeCSV(out, map[string]rune{"csv": ',', "tsv": '\t'}[format])
	}
	if err != nil {
		return err
	}
	return out.Flush()
}

func (t *Table) names() []string { return lists.Map(t.Fields, func(f Field) string { return f.Name }) }

func (t *Table) writeCSV(to io.Writer, comma rune) error {
	out, cells := csv.NewWriter(to), make([]string, len(t.Fields))
	out.Comma = comma
	if err := out.Write(t.names()); err != nil {
		return err
	}
	for row := range t.Rows() {
		for c := range cells {
			cells[c] = t.Fields[c].Cell(t.Columns[c][row])
		}
		if err := out.Write(cells); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

func (t *Table) writeNDJSON(out *bufio.Writer) error {
	names := lists.Map(t.names(), quoted)
	for row := range t.Rows() {
		for c := range t.Fields {
			f, before := &t.Fields[c], map[bool]string{true: "{", false: ","}[c == 0]
			cell := f.Cell(t.Columns[c][row])
			if f.Type == parquet.ByteArray || f.Time.Is != parquet.NoTime { // a text in JSON
				cell = quoted(cell)
			}
			out.WriteString(before + names[c] + ":" + cell)
		}
		if _, err := out.WriteString("}\n"); err != nil {
			return err
		}
	}
	return nil
}

// quoted is a text in JSON.
func quoted(text string) string {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a text can always be encoded
	return strings.TrimSuffix(b.String(), "\n")
}

func (t *Table) writeParquet(to io.Writer) error {
	const groupRows = 1 << 20 // of a row group
	out := parquet.NewWriter(to, lists.Map(t.Fields, Field.stored))
	for from := 0; from < t.Rows(); from += groupRows {
		end := min(from+groupRows, t.Rows())
		chunks := lists.Make(len(t.Fields), func(c int) parquet.Chunk { return t.Fields[c].chunk(t.Columns[c][from:end]) })
		if err := out.Group(end-from, chunks...); err != nil {
			return err
		}
	}
	return out.Close("", "")
}

// stored is the column as it is written: numbers and texts are as they were, and real numbers are decimals by now.
func (f Field) stored() parquet.Column {
	c := f.Column
	c.Name, c.Optional = f.Name, false
	if c.Type == parquet.Fixed {
		c.Type, c.Length = parquet.ByteArray, 0
	}
	if c.Decimal && c.Type != parquet.Int32 {
		c.Type, c.Length = parquet.Int64, 0
	}
	return c
}

// chunk is the cells of some rows.
func (f Field) chunk(numbers []uint64) (c parquet.Chunk) {
	switch stored := f.stored(); {
	case stored.Type == parquet.ByteArray:
		c.Texts = lists.Map(numbers, f.Cell)
	case stored.Type == parquet.Boolean:
		c.Booleans = lists.Map(numbers, func(n uint64) bool { return n != 0 })
	case stored.Type == parquet.Int32:
		c.Values, _ = binary.Append(nil, binary.LittleEndian, lists.Map(numbers, func(n uint64) uint32 { return uint32(f.number(n)) }))
	default:
		c.Values, _ = binary.Append(nil, binary.LittleEndian, lists.Map(numbers, f.number))
	}
	return c
}
