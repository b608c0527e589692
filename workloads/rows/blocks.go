package rows

import (
	"bufio"
	"bytes"
	"io"
	"runtime"
	"slices"
	"strings"
)

// longestRecord bounds the bytes of a record: a quotation mark may never be closed.
const longestRecord = 1 << 20

// blockBytes is how much text is parsed at once: enough to pay for a goroutine, little enough for one per core.
const blockBytes = 256 << 10

// pipeline parses blocks of a file at the same time. Their rows come in the order of the file.
type pipeline struct {
	*Reader
	// fetch returns the function that parses the next block, nil at the end or after err, and the number of its rows or 0.
	fetch   func() (rows int, parse func(*block) error)
	newPart func(rows int) Part
	serial  bool   // only one block is parsed at a time
	most    int    // blocks in the queue
	lines   uint64 // before the next block
	err     error  // of reading
	queue   []*block
	spare   []*block
}

// block is rows that follow each other.
type block struct {
	Reader // a copy, of which at is the last line
	cells  []Cell
	lines  []uint64 // of the rows
	err    error    // after the rows
	part   Part     // made of the rows; nil if these are not all known
	parsed chan struct{}
}

// blocks reads a text in blocks that end where a record does.
// The file is read by the caller of make only, so it may be closed at any time.
type blocks struct {
	pipeline
	in      *bufio.Reader
	cut     func(text []byte) int // returns where the last whole record ends; 0: nowhere
	parse   func(b *block, text string) error
	tooLong func(b *block, text string) error // what is wrong with a record that does not end; nil: its length
	text    []byte                            // that was read, and is in no block yet
}

func newBlocks(r *Reader, in *bufio.Reader) *blocks {
	if mark, _ := in.Peek(3); string(mark) == "\xef\xbb\xbf" { // of the order of bytes
		_, _ = in.Discard(len(mark))
	}
	b := &blocks{in: in, cut: func(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }}
	b.pipeline = pipeline{Reader: r, fetch: b.fetch, most: runtime.GOMAXPROCS(0) + 1}
	return b
}

// fetch returns how to parse the next block, nil at the end.
func (b *blocks) fetch() (rows int, parse func(*block) error) {
	text := b.whole()
	if text == "" {
		return 0, nil
	}
	b.drop(len(text))
	return 0, func(to *block) error { return to.give(b.parse(to, text)) }
}

// begin shows whole records to first, until it finds what it needs. first returns how many bytes are done with.
func (b *blocks) begin(first func(text string) (used int, found bool, err error)) (*pipeline, error) {
	for {
		text := b.whole()
		if text == "" {
			return nil, b.err
		}
		used, found, err := first(text)
		if b.drop(used); found || err != nil {
			return &b.pipeline, err
		}
	}
}

// whole returns text that ends where a record does, empty at the end.
func (b *blocks) whole() string {
	for size := blockBytes; b.err == nil; size *= 2 {
		if size > longestRecord {
			b.err, b.text = b.long(), nil
		} else if b.read(size); b.err == nil {
			if end := b.cut(b.text); end > 0 {
				return string(b.text[:end])
			}
		} else if b.err != io.EOF {
			b.text = b.text[:b.cut(b.text)]
		}
	}
	return string(b.text)
}

func (b *blocks) long() error {
	at := &block{Reader: *b.Reader}
	if at.at = b.lines; b.tooLong != nil {
		return b.tooLong(at, string(b.text))
	}
	at.at++
	return at.here(": longer than %d bytes", longestRecord)
}

// read reads until there are size bytes of text.
func (b *blocks) read(size int) {
	have := len(b.text)
	if have >= size {
		return
	}
	b.text = slices.Grow(b.text, size-have)[:size]
	n, err := io.ReadFull(b.in, b.text[have:])
	if b.text = b.text[:have+n]; err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	b.err = err
}

func (b *blocks) drop(n int) {
	b.lines += uint64(bytes.Count(b.text[:n], []byte("\n")))
	b.text = append(b.text[:0], b.text[n:]...)
}

// advance waits for the next block, after which it is the first of the queue.
func (p *pipeline) advance() error {
	if len(p.queue) > 0 {
		if done := p.queue[0]; done.err != nil {
			p.at = done.at
			return done.err
		}
		p.spare, p.queue = append(p.spare, p.queue[0]), p.queue[1:]
	}
	if p.ahead(); len(p.queue) == 0 {
		return p.err
	}
	<-p.queue[0].parsed
	return nil
}

// make makes a part of each block. No other block is begun before the first row is known, or if not all are read.
func (p *pipeline) make(parts Parts) error {
	defer func() { // they may read the file
		for _, b := range p.queue {
			<-b.parsed
		}
	}()
	if parts.Rows == 0 {
		p.most = 1
	}
	for left := parts.Rows; ; {
		if err := p.advance(); err != nil {
			return err
		}
		now := p.queue[0]
		if rows := uint64(len(now.lines)); now.part == nil && rows > 0 {
			if parts.First != nil {
				p.first(parts, now.cells[:len(p.Columns)])
				parts.First = nil
			}
			if parts.Rows == 0 && !p.serial {
				p.newPart, p.most = parts.New, runtime.GOMAXPROCS(0)+1
			}
			if parts.Rows > 0 && left <= rows {
				now.lines, now.err = now.lines[:left], io.EOF
			}
			left -= rows
			now.part = parts.New(int(rows))
			now.err = now.give(now.err)
		}
		if now.part == nil {
			continue
		}
		if err := parts.Done(now.part); err != nil {
			return err
		}
	}
}

// ahead keeps a block per core in work.
func (p *pipeline) ahead() {
	for len(p.queue) < p.most {
		if p.Progress != nil {
			p.Progress(p.share())
		}
		before := p.lines
		rows, parse := p.fetch()
		if parse == nil {
			return
		}
		next := &block{}
		if n := len(p.spare); n > 0 {
			next, p.spare = p.spare[n-1], p.spare[:n-1]
		}
		*next = block{Reader: *p.Reader, cells: next.cells[:0], lines: next.lines[:0], parsed: make(chan struct{})}
		next.at = before
		if p.newPart != nil {
			next.part = p.newPart(rows)
		}
		p.queue = append(p.queue, next)
		go func() {
			defer close(next.parsed)
			next.err = parse(next)
		}()
	}
}

// give gives the rows to the part, if there is one, and returns the first error: err comes after the rows.
func (b *block) give(err error) error {
	if b.part == nil {
		return err
	}
	if wrong := b.Reader.give(b.part, b.cells[:len(b.lines)*len(b.Columns)], b.lines); wrong != nil {
		return wrong
	}
	b.cells, b.lines = b.cells[:0], b.lines[:0]
	return err
}

// add adds a row that begins at the last line, and returns its cells, which have no values yet.
func (b *block) add() []Cell {
	n := len(b.cells)
	b.cells = slices.Grow(b.cells, len(b.Columns))[:n+len(b.Columns)]
	clear(b.cells[n:])
	b.lines = append(b.lines, b.at)
	return b.cells[n:]
}

// pick adds a row of texts: those of the columns with these indices.
func (b *block) pick(columns []int, record []string) {
	cells := b.add()
	for i, column := range columns {
		if column >= 0 {
			cells[i] = Cell{Kind: Untyped, Text: record[column]}
		}
	}
}

// each calls do with the lines of a text that are not empty.
func (b *block) each(text string, do func(line string) error) error {
	for text != "" {
		line, rest, _ := strings.Cut(text, "\n")
		b.at++
		if line = strings.TrimSpace(line); line != "" {
			if err := do(line); err != nil {
				return err
			}
		}
		text = rest
	}
	return nil
}

// Part is made of rows of a file that follow each other.
type Part interface {
	// Take takes rows of a width, whose cells are valid until it returns. An error comes with the place of its cell,
	// before whose row all are taken.
	Take(cells []Cell, width int) (at int, err error)
}

// Parts is how to make parts of a file, on all cores at the same time.
type Parts struct {
	Rows  uint64              // how many to read, from the first; 0: all. Of a given number, parts are made one after the other
	First func(cells []Cell)  // sees the first row, before any part takes it
	New   func(rows int) Part // as many are expected; 0: any number
	Done  func(Part) error    // gets the parts in the order of the file
}

// Make makes parts of all rows. Before an error, Done gets the rows that precede it.
func (r *Reader) Make(p Parts) (err error) {
	if err = r.rows.make(p); err == io.EOF {
		return nil
	}
	return r.wrong(err)
}

// serial reads rows one after the other: row reads one, sets Reader.at, and returns io.EOF at the end of the file.
func (r *Reader) serial(row func(cells []Cell) error) *pipeline {
	const serialRows = 1 << 14 // of a block
	p, cells := &pipeline{Reader: r, serial: true, most: 1}, make([]Cell, len(r.Columns))
	some := func(b *block) (err error) {
		for err == nil && len(b.lines) < serialRows {
			if err = row(cells); err == nil {
				b.at = r.at
				copy(b.add(), cells)
			}
		}
		return err
	}
	p.fetch = func() (int, func(*block) error) { return 0, some }
	return p
}

// first decides by the first row how to read all.
func (r *Reader) first(p Parts, cells []Cell) {
	r.begin(cells)
	cells = slices.Clone(cells)
	_, _ = r.scaled(cells) // give says what is wrong
	p.First(cells)
}

// give passes rows, with their line numbers, to a part.
func (r *Reader) give(part Part, cells []Cell, lines []uint64) error {
	width := len(r.Columns)
	wrong, err := r.scaled(cells)
	if at, first := part.Take(cells[:wrong-wrong%width], width); first != nil {
		wrong, err = at, first
	}
	if err == nil {
		return nil
	}
	r.at = lines[wrong/width]
	return r.cellWrong(wrong%width, err)
}
