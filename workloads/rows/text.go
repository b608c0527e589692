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

// delimited is a text of records, all of as many cells.
type delimited struct {
	*blocks
	// records gives take the cells of the records of a text, until it fails, and returns the bytes that were read.
	records func(b *block, text string, take func(cells []string) error) (used int, err error)
	columns []int
	width   int // cells of a record
}

// begin finds the columns by the first record, which has their names unless these are given.
func (d *delimited) begin(names func(width int) []string) (*pipeline, error) {
	d.parse = func(b *block, text string) error {
		_, err := d.records(b, text, func(cells []string) error {
			if len(cells) != d.width {
				return b.here(": %d cells, the first line has %d", len(cells), d.width)
			}
			b.pick(d.columns, cells)
			return nil
		})
		return err
	}
	return d.blocks.begin(func(text string) (used int, found bool, err error) {
		first := block{Reader: *d.Reader}
		first.at = d.lines
		used, err = d.records(&first, text, func(cells []string) (err error) {
			found, d.width, d.at = true, len(cells), first.at
			if names != nil {
				cells = names(d.width)
			}
			d.columns, err = d.find(cells, untyped)
			return cmp.Or(err, io.EOF)
		})
		if found && names != nil {
			used = 0
		}
		return used, found, lists.Either(err == io.EOF, nil, err)
	})
}

func openCSV(comma rune) func(*Reader, *bufio.Reader) (*pipeline, error) {
	return func(r *Reader, in *bufio.Reader) (*pipeline, error) {
		c := csvFile{csv.Reader{Comma: comma}}
		if err := r.characters(&c.like); err != nil {
			return nil, err
		}
		d := &delimited{blocks: newBlocks(r, in), records: c.records}
		d.cut, d.tooLong = c.cut, c.tooLong
		return d.begin(lists.Either(r.Numbered, numbers, nil))
	}
}

// csvFile has the characters of a CSV file.
type csvFile struct{ like csv.Reader }

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

func (c *csvFile) records(b *block, text string, take func([]string) error) (used int, err error) {
	in, before := c.reader(text), b.at
	for err == nil {
		var cells []string
		if cells, err = c.record(b, in, before); err == nil {
			err = take(cells)
		}
	}
	return int(in.InputOffset()), lists.Either(err == io.EOF, nil, err)
}

// tooLong says what is wrong with a record that does not end: mostly a quotation mark in an odd place.
func (c *csvFile) tooLong(b *block, text string) error {
	if _, err := c.record(b, c.reader(text), b.at); errors.Is(err, csv.ErrBareQuote) {
		return err
	}
	return fmt.Errorf("a record is longer than %d bytes; hint: a quotation mark that is not closed?", longestRecord)
}

func (c *csvFile) reader(text string) *csv.Reader {
	in := csv.NewReader(strings.NewReader(text))
	in.Comma, in.Comment, in.FieldsPerRecord, in.ReuseRecord = c.like.Comma, c.like.Comment, -1, true
	return in
}

// record reads the next record of a text that begins after a line, and says what is wrong with it.
func (c *csvFile) record(b *block, in *csv.Reader, before uint64) ([]string, error) {
	record, err := in.Read()
	if parse, ok := errors.AsType[*csv.ParseError](err); ok {
		b.at = before + uint64(parse.Line)
		return nil, b.here(": character %d: %w", parse.Column, parse.Err)
	}
	if err == nil {
		line, _ := in.FieldPos(0)
		b.at = before + uint64(line)
	}
	return record, err
}

// lines are records without quotation marks. split returns nil for a line that is none.
func lines(r *Reader, in *bufio.Reader, split func(line string) []string) *delimited {
	return &delimited{blocks: newBlocks(r, in), records: func(b *block, text string, take func([]string) error) (int, error) {
		return len(text), b.each(text, func(line string) error {
			if cells := split(line); cells != nil {
				return take(cells)
			}
			return nil
		})
	}}
}

// numbers are the names of columns that have none.
func numbers(width int) []string {
	return lists.Make(width, func(i int) string { return strconv.Itoa(i + 1) })
}

// openSNAP reads a list of edges as SNAP has them: two vertices separated by blanks, and perhaps more
// cells. Lines that begin with # or % are comments.
func openSNAP(r *Reader, in *bufio.Reader) (*pipeline, error) {
	split := func(line string) []string {
		if line[0] == '#' || line[0] == '%' {
			return nil
		}
		return strings.Fields(line)
	}
	return lines(r, in, split).begin(func(width int) []string {
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

// openTPCH reads a table of TPC-H's dbgen, which ends every cell with a bar. The columns of other tables
// are called 1, 2, 3 ...
func openTPCH(r *Reader, in *bufio.Reader) (*pipeline, error) {
	d := lines(r, in, func(line string) []string { return strings.Split(strings.TrimSuffix(line, "|"), "|") })
	name := regexp.MustCompile(`^[a-z]+`).FindString(strings.ToLower(filepath.Base(r.name)))
	names := strings.Fields(tpch[name])
	rows, err := d.begin(func(width int) []string { return lists.Either(len(names) > 0, names, numbers(width)) })
	if err == nil && len(names) > 0 && len(names) != d.width {
		err = r.here(": %d cells, table %s has %d", d.width, nearest.Quoted(name), len(names))
	}
	return rows, err
}
