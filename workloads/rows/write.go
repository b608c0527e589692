package rows

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/parquet"
)

// Writable names the formats that tables are written in.
var Writable = []string{"csv", "tsv", "ndjson", "parquet"}

// WritableFormat returns the format that a file's name says.
func WritableFormat(name string) (string, error) {
	format, uncompressed := FormatOf(name), name
	for suffixes.MatchString(uncompressed) {
		uncompressed = suffixes.ReplaceAllString(uncompressed, "")
	}
	switch {
	case !slices.Contains(Writable, format):
		return "", fmt.Errorf("%s: the extension says the format, and can be .csv, .tsv, .ndjson or .parquet", name)
	case name != uncompressed:
		return "", fmt.Errorf("%s: tables are written without compression; hint: %s", name, uncompressed)
	}
	return format, nil
}

// Write writes a table in one of the formats.
func (t *Table) Write(to io.Writer, format string) error {
	out := bufio.NewWriterSize(to, 1<<20)
	var err error
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

// groupRows is how many rows a row group has.
const groupRows = 1 << 20

func (t *Table) writeParquet(to io.Writer) error {
	out := parquet.NewWriter(to, lists.Map(t.Fields, Field.stored))
	for from := 0; from < t.Rows(); from += groupRows {
		end := min(from+groupRows, t.Rows())
		chunks := make([]parquet.Chunk, len(t.Fields))
		for c := range chunks {
			chunks[c] = t.Fields[c].chunk(t.Columns[c][from:end])
		}
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
		for _, n := range numbers {
			c.Values = binary.LittleEndian.AppendUint32(c.Values, uint32(f.number(n)))
		}
	default:
		for _, n := range numbers {
			c.Values = binary.LittleEndian.AppendUint64(c.Values, f.number(n))
		}
	}
	return c
}
