package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

var errTooLong = fmt.Errorf("a record is longer than %d bytes; hint: a quotation mark that is not closed?", longestRecord)

// csvFile is how the cells of a CSV file are separated.
type csvFile struct {
	like    csv.Reader // with the characters
	columns []int
	width   int // cells of a record
}

func openCSV(comma rune) func(*Reader, *bufio.Reader) (*pipeline, error) {
	return func(r *Reader, in *bufio.Reader) (*pipeline, error) {
		c := &csvFile{like: csv.Reader{Comma: comma}}
		if err := r.characters(&c.like); err != nil {
			return nil, err
		}
		b := newBlocks(r, in)
		b.cut, b.parse, b.tooLong = c.cut, c.parse, c.tooLong
		return b.begin(func(text string) (int, bool, error) { return c.begin(b, text) })
	}
}

// characters sets the delimiter and the comment's begin that the user chose.
func (r *Reader) characters(in *csv.Reader) error {
	for _, c := range []struct {
		name, text string
		into       *rune
	}{{"delimiter", r.Delimiter, &in.Comma}, {"comment", r.Comment, &in.Comment}} {
		if c.text == "tab" {
			c.text = "\t"
		}
		switch char, size := utf8.DecodeRuneInString(c.text); {
		case c.text == "":
		case size != len(c.text) || char == utf8.RuneError || strings.ContainsRune("\"\r\n\ufeff", char):
			return fmt.Errorf("%s is %s: it takes tab, or a character that is no quotation mark", c.name, nearest.Quoted(c.text))
		default:
			*c.into = char
		}
	}
	if in.Comma == in.Comment {
		return fmt.Errorf("delimiter and comment are both %q", in.Comma)
	}
	return nil
}

// begin takes the names of the columns.
func (c *csvFile) begin(b *blocks, text string) (used int, found bool, err error) {
	first := block{Reader: *b.Reader}
	first.at = b.lines
	in := c.reader(text)
	names, err := c.record(&first, in, b.lines)
	if err == io.EOF {
		return len(text), false, nil
	}
	if c.width, used = len(names), int(in.InputOffset()); err == nil && b.Numbered {
		names, used = numbers(len(names)), 0
	}
	if err == nil {
		c.columns, err = b.find(names, untyped)
	}
	return used, true, err
}

// cut returns where the last record ends: at the end of a line, outside of quotation marks.
func (c *csvFile) cut(text []byte) (end int) {
	if bytes.IndexByte(text, '"') < 0 {
		return bytes.LastIndexByte(text, '\n') + 1
	}
	inside, comment := false, []byte(string(c.like.Comment))
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n') + 1
		if n == 0 {
			return end
		}
		line := text[at : at+n]
		if at += n; inside || c.like.Comment == 0 || !bytes.HasPrefix(line, comment) {
			inside = inside != (bytes.Count(line, []byte(`"`))%2 == 1)
		}
		if !inside {
			end = at
		}
	}
}

func (c *csvFile) parse(b *block, text string) error {
	in, before := c.reader(text), b.at
	in.ReuseRecord = true
	for {
		record, err := c.record(b, in, before)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		b.pick(c.columns, record)
	}
}

// tooLong says what is wrong with a record that does not end: mostly a quotation mark in an odd place.
func (c *csvFile) tooLong(b *block, text string) error {
	if _, err := c.record(b, c.reader(text), b.at); errors.Is(err, csv.ErrBareQuote) {
		return err
	}
	return errTooLong
}

func (c *csvFile) reader(text string) *csv.Reader {
	in := csv.NewReader(strings.NewReader(text))
	in.Comma, in.Comment, in.FieldsPerRecord = c.like.Comma, c.like.Comment, c.width
	return in
}

// record reads the next record of a text that begins after a line, and says what is wrong with it.
func (c *csvFile) record(b *block, in *csv.Reader, before uint64) ([]string, error) {
	record, err := in.Read()
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		if b.at = before + uint64(parse.Line); errors.Is(parse, csv.ErrFieldCount) {
			return nil, b.here(": not as many cells as the first line")
		}
		return nil, b.here(": character %d: %w", parse.Column, parse.Err)
	}
	if err == nil {
		line, _ := in.FieldPos(0)
		b.at = before + uint64(line)
	}
	return record, err
}

// fields are lines without names or quotation marks.
type fields struct {
	*blocks
	split   func(line string) []string // nil for a line without a row
	columns []int
	width   int // cells in a line
}

// begin counts the cells of the first line.
func (f *fields) begin(names func(width int) []string) (*pipeline, error) {
	f.parse = func(b *block, text string) error {
		return b.each(text, func(line string) error { return f.row(b, line) })
	}
	return f.blocks.begin(func(text string) (int, bool, error) {
		first := block{Reader: *f.Reader}
		first.at = f.lines
		err := first.each(text, func(line string) (err error) {
			if f.width = len(f.split(line)); f.width > 0 {
				f.at = first.at
				f.columns, err = f.find(names(f.width), untyped)
				return cmp.Or(err, io.EOF)
			}
			return nil
		})
		return afterFirst(text, err)
	})
}

func (f *fields) row(b *block, line string) error {
	cells := f.split(line)
	if cells == nil {
		return nil
	}
	if len(cells) != f.width {
		return b.here(": %d cells, the first line has %d", len(cells), f.width)
	}
	b.pick(f.columns, cells)
	return nil
}

// numbers are the names of columns that have none.
func numbers(width int) []string {
	names := make([]string, width)
	for i := range names {
		names[i] = strconv.Itoa(i + 1)
	}
	return names
}

// openSNAP reads a list of edges as SNAP has them: two vertices separated by blanks, and perhaps more
// cells. Lines that begin with # or % are comments.
func openSNAP(r *Reader, in *bufio.Reader) (*pipeline, error) {
	f := &fields{blocks: newBlocks(r, in), split: func(line string) []string {
		if line[0] == '#' || line[0] == '%' {
			return nil
		}
		return strings.Fields(line)
	}}
	return f.begin(func(width int) []string {
		names := numbers(width)
		copy(names, []string{"src", "dst"})
		return names
	})
}

// tpch are the columns of TPC-H's tables, whose files are named after them.
var tpch = map[string]string{
	"customer": "c_custkey c_name c_address c_nationkey c_phone c_acctbal c_mktsegment c_comment",
	"lineitem": "l_orderkey l_partkey l_suppkey l_linenumber l_quantity l_extendedprice l_discount l_tax l_returnflag " +
		"l_linestatus l_shipdate l_commitdate l_receiptdate l_shipinstruct l_shipmode l_comment",
	"nation":   "n_nationkey n_name n_regionkey n_comment",
	"orders":   "o_orderkey o_custkey o_orderstatus o_totalprice o_orderdate o_orderpriority o_clerk o_shippriority o_comment",
	"part":     "p_partkey p_name p_mfgr p_brand p_type p_size p_container p_retailprice p_comment",
	"partsupp": "ps_partkey ps_suppkey ps_availqty ps_supplycost ps_comment",
	"region":   "r_regionkey r_name r_comment",
	"supplier": "s_suppkey s_name s_address s_nationkey s_phone s_acctbal s_comment",
}

var table = regexp.MustCompile(`^[a-z]+`)

// openTPCH reads a table of TPC-H's dbgen, which ends every cell with a bar. The columns of other tables
// are called 1, 2, 3 ...
func openTPCH(r *Reader, in *bufio.Reader) (*pipeline, error) {
	f := &fields{blocks: newBlocks(r, in), split: func(line string) []string {
		return strings.Split(strings.TrimSuffix(line, "|"), "|")
	}}
	name := table.FindString(strings.ToLower(filepath.Base(r.name)))
	names := strings.Fields(tpch[name])
	rows, err := f.begin(func(width int) []string { return lists.Either(len(names) > 0, names, numbers(width)) })
	if err == nil && len(names) > 0 && len(names) != f.width {
		err = r.here(": %d cells, table %s has %d", f.width, nearest.Quoted(name), len(names))
	}
	return rows, err
}
