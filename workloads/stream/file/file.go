// Package file reads keys from a file of any format of package rows: a column, or several that are packed.
package file

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/workloads/rows"
)

// Options say what to read. Those with a lua tag are the arguments of gen.file.
type Options struct {
	Shared
	Column   string `lua:"column"`        // may be left out if there is only one; several share the bits of a key: src,dst
	Width    uint64 `lua:"width" min:"4"` // bytes of a key: 4 or 8
	Limit    uint64 // more numbers are an error
	As       string `lua:"as"`       // rows.Auto, rows.AsInteger or rows.AsText
	Decimals uint64 `lua:"decimals"` // as in rows.Column
	Texts    bool   // keep texts, so that Fields have them
	Count    string `lua:"count"` // a column that says how often the key of a row is repeated
}

// Shared is what columns of one file have in common.
type Shared struct {
	rows.Layout
	Rows uint64 `lua:"rows" min:"1"` // how many to read, from the first; 0: all
}

// Column is what was read.
type Column struct {
	Label   string // the file and the column, for messages
	Numbers []uint64
	Fields  []rows.Field // what they stand for
	Remarks []string     // what the user should know about them
}

// Read reads keys from an open file in one pass, for each of the options, which say the same about the file.
// Its extension decides the format unless they do. reading, if not nil, hears now and then how much was read.
func Read(name string, f rows.File, reading func(name string, share float64), opts ...Options) ([]*Column, error) {
	name = filepath.Base(name)
	all, of, err := prepare(opts)
	if reading != nil {
		of.Progress = func(share float64) { reading(name, share) }
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r, err := rows.Open(name, f, of)
	if err == nil {
		first := func(cells []rows.Cell) {
			for _, c := range all {
				c.keys.First(cells[c.from:])
			}
		}
		err = r.Make(rows.Parts{Rows: opts[0].Rows, First: first, New: all.part, Done: all.join})
	}
	if err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.shared > 0 {
			c.numbers = c.numbers[:c.rows]
		} else if c.joined != nil { // at once: growing them takes longer than reading
			c.numbers = slices.Concat(c.joined...)
		}
	}
	switch c := all[0]; {
	case len(c.numbers) == 0:
		return nil, fmt.Errorf("%s: it has no rows", name)
	case c.rows < c.Rows:
		return nil, fmt.Errorf("%s: rows is %d, the file has %d", name, c.Rows, c.rows)
	}
	list := lists.Map(all, func(c *collector) *Column { return c.column(name, r) })
	list[0].Remarks = append(list[0].Remarks, lists.Map(r.Remarks(), func(remark string) string { return name + ", " + remark })...)
	return list, nil
}

func (c *collector) column(name string, r *rows.Reader) *Column {
	label := name + ", " + lists.Either(strings.Contains(c.Column, ","), "columns "+c.Column, "column "+r.Column(c.from))
	remarks := lists.Map(c.keys.Remarks(), func(remark string) string { return label + ": " + remark })
	return &Column{label, c.numbers, c.keys.Fields(r, c.from), remarks}
}

// prepare returns a collector for each of the options, and what all of them read.
func prepare(opts []Options) (all collectors, of rows.Options, err error) {
	of.Layout = opts[0].Layout
	for _, opt := range opts {
		c := &collector{Options: opt, from: len(of.Columns), keys: rows.Keys{
			Width: int(opt.Width), As: opt.As, Texts: opt.Texts, TextHint: `as = "text"`,
			WideHint: `width = 8, for keys or values of 8 bytes (pair = "k8v8")`, RealHint: "; hint: decimals=2 takes them with two digits after the point"}}
		switch {
		case opt.Rows > opt.Limit:
			return nil, of, fmt.Errorf("rows is %d, allowed are at most %d", opt.Rows, opt.Limit)
		case !slices.Contains([]string{rows.Auto, rows.AsInteger, rows.AsText}, opt.As):
			return nil, of, fmt.Errorf("as is %q, allowed are %s and %s", opt.As, rows.AsInteger, rows.AsText)
		}
		columns, err := c.keys.Columns(opt.Column, int(min(opt.Decimals, 1000)))
		if err != nil {
			return nil, of, err
		}
		of.Columns = append(of.Columns, columns...)
		if c.times = len(of.Columns); opt.Count != "" {
			of.Columns = append(of.Columns, rows.Column{Name: opt.Count, Reals: true})
		}
		all = append(all, c)
	}
	of.Announce = all.announce
	return all, of, nil
}

// collector collects the numbers of one of the options, or of a part of the file.
type collector struct {
	Options
	keys    rows.Keys
	numbers []uint64
	joined  [][]uint64 // the numbers of parts, if these have memory of their own
	shared  int        // how many numbers parts got memory for
	repeat  []uint64   // how often a part's numbers are repeated, if a column says it
	rows    uint64     // that were read
	from    int        // its first column
	times   int        // the column of repetitions, if there is one
}

// collectors are rows.Part, too.
type collectors []*collector

func (all collectors) part(rows int) rows.Part {
	return collectors(lists.Map(all, func(c *collector) *collector {
		p := &collector{Options: c.Options, keys: c.keys.Part(), from: c.from, times: c.times}
		if end := c.shared + rows; c.Count == "" && end <= cap(c.numbers) {
			p.numbers, c.shared = c.numbers[c.shared:c.shared:end], end
		}
		return p
	}))
}

// Take takes rows. At an error, the last collector ends before its row, others may have more.
func (all collectors) Take(cells []rows.Cell, width int) (at int, err error) {
	for _, c := range all {
		if wrong, failed := c.take(cells, width); failed != nil {
			at, err, cells = wrong, failed, cells[:wrong-wrong%width]
		}
	}
	return at, err
}

func (all collectors) join(part rows.Part) error {
	parts := part.(collectors)
	for i, p := range parts {
		p.numbers = p.numbers[:len(parts[len(parts)-1].numbers)]
		if err := all[i].join(p); err != nil {
			return err
		}
	}
	return nil
}

// announce allocates memory for rows to come, within the limit.
func (all collectors) announce(rows uint64) error {
	for _, c := range all {
		if c.Rows == 0 && rows > c.Limit {
			return c.tooMany()
		}
		if c.Rows == 0 && c.Count == "" {
			c.numbers = make([]uint64, 0, rows)
		}
	}
	return nil
}

func (c *collector) tooMany() error {
	return fmt.Errorf("more than %d rows, which is the most that are read; hint: rows says how many to read from the first on", c.Limit)
}

// take takes rows up to a wrong cell.
func (c *collector) take(cells []rows.Cell, width int) (wrong int, err error) {
	c.numbers = slices.Grow(c.numbers, len(cells)/width)
	for row := 0; row < len(cells); row += width {
		key, column, err := c.keys.Key(cells[row+c.from : row+width])
		if err != nil {
			return row + c.from + column, err
		}
		if c.Count != "" {
			times, err := rows.Times(cells[row+c.times])
			if err != nil {
				return row + c.times, err
			}
			c.repeat = append(c.repeat, times)
		}
		c.numbers = append(c.numbers, key)
	}
	return 0, nil
}

func (c *collector) join(p *collector) error {
	c.keys.Join(&p.keys, p.numbers)
	c.rows += uint64(len(p.numbers))
	if c.Count == "" {
		if c.rows > c.Limit {
			return c.tooMany()
		}
		c.joined = append(c.joined, p.numbers)
		return nil
	}
	for i, key := range p.numbers {
		times := p.repeat[i]
		if times > c.Limit-uint64(len(c.numbers)) {
			return c.tooMany()
		}
		c.numbers = append(c.numbers, slices.Repeat([]uint64{key}, int(times))...)
	}
	return nil
}
