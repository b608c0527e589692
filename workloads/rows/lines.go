package rows

import (
	"bufio"
	"cmp"
	"io"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// fields are lines without names or quotation marks.
type fields struct {
	*blocks
	split   func(line string) []string // nil for a line without a row
	columns []int
	width   int // cells in a line
}

// begin counts the cells of the first line.
func (f *fields) begin(names func(width int) []string) (next, error) {
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
func openSNAP(r *Reader, in *bufio.Reader) (next, error) {
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
func openTPCH(r *Reader, in *bufio.Reader) (next, error) {
	f := &fields{blocks: newBlocks(r, in), split: func(line string) []string {
		return strings.Split(strings.TrimSuffix(line, "|"), "|")
	}}
	name := table.FindString(strings.ToLower(filepath.Base(r.name)))
	names := strings.Fields(tpch[name])
	next, err := f.begin(func(width int) []string { return lists.Either(len(names) > 0, names, numbers(width)) })
	if err == nil && len(names) > 0 && len(names) != f.width {
		err = r.here(": %d cells, table %s has %d", f.width, nearest.Quoted(name), len(names))
	}
	return next, err
}
