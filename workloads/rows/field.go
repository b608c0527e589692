package rows

import (
	"cmp"
	"fmt"
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
		all[i].Texts = bothTexts(all[i].Texts, f.Texts)
	}
	return all
}

func bothTexts(a, b map[uint64]string) map[uint64]string {
	if len(b) == 0 {
		return a
	}
	all := maps.Clone(b)
	maps.Copy(all, a)
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
		f.Bases = cmp.Or(r.K, longestKmer)
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

func timeText(t parquet.Time, n int64) string {
	if t.Is == parquet.Date {
		return time.Unix(0, 0).UTC().AddDate(0, 0, int(n)).Format(time.DateOnly)
	}
	each := int64(1)
	for range t.Digits {
		each *= 10
	}
	seconds, part := n/each, n%each
	if part < 0 {
		seconds, part = seconds-1, part+each
	}
	text := time.Unix(seconds, 0).UTC().Format(map[bool]string{true: time.TimeOnly, false: time.DateTime}[t.Is == parquet.Clock])
	text += strings.TrimRight(strings.TrimRight(fmt.Sprintf(".%0*d", t.Digits, part), "0"), ".")
	if t.UTC && t.Is == parquet.Stamp {
		text += "Z"
	}
	return text
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
			part = make([]uint64, len(keys))
			for j, key := range keys {
				part[j] = key >> shift
			}
		}
		t.Add(f, part)
	}
}

// Rows is how many rows there are.
func (t *Table) Rows() int { return len(t.Columns[0]) }

// Sort sorts the rows by their columns, from the first on.
func (t *Table) Sort() {
	by, order := make([][]uint64, len(t.Fields)), make([]int, t.Rows())
	for c := range by {
		by[c] = t.Fields[c].ordered(t.Columns[c])
	}
	for i := range order {
		order[i] = i
	}
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
