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

var byteOrderMark = []byte("\xef\xbb\xbf")

// blocks reads a text in blocks that end where a record does. Several are parsed at the same time; their rows
// come in the order of the file. The file is read by the caller of next only, so it may be closed at any time.
type blocks struct {
	*Reader
	in      *bufio.Reader
	cut     func(text []byte) int // returns where the last whole record ends; 0: nowhere
	parse   func(b *block, text string) error
	tooLong func(b *block, text string) error // what is wrong with a record that does not end; nil: its length
	newPart func() Part
	most    int // blocks in the queue

	text  []byte // that was read, and is in no block yet
	lines uint64 // before it
	err   error  // of reading
	queue []*block
	row   int // the next one, of the first block
	spare []*block
}

// block is rows of a part of the text.
type block struct {
	Reader // a copy, of which at is the last line
	cells  []Cell
	lines  []uint64 // of the rows
	err    error    // after the rows
	part   Part     // made of the rows; nil if they are taken one by one
	parsed chan struct{}
}

func newBlocks(r *Reader, in *bufio.Reader) *blocks {
	if mark, _ := in.Peek(len(byteOrderMark)); bytes.Equal(mark, byteOrderMark) {
		_, _ = in.Discard(len(mark))
	}
	b := &blocks{Reader: r, in: in, cut: func(text []byte) int { return bytes.LastIndexByte(text, '\n') + 1 }, most: runtime.GOMAXPROCS(0) + 1}
	r.make = b.make
	return b
}

// begin shows whole records to first, until it finds what it needs. first returns how many bytes are done with.
func (b *blocks) begin(first func(text string) (used int, found bool, err error)) (next, error) {
	for {
		text := b.whole()
		if text == "" {
			return nil, b.err
		}
		used, found, err := first(text)
		if b.drop(used); found || err != nil {
			return b.next, err
		}
	}
}

// afterFirst is what first returns if it looked at the lines of a text, and returned io.EOF at a row.
func afterFirst(text string, err error) (used int, found bool, _ error) {
	if err == io.EOF {
		return 0, true, nil
	}
	return len(text), false, err
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

func (b *blocks) next(cells []Cell) error {
	for len(b.queue) == 0 || b.row == len(b.queue[0].lines) {
		if err := b.advance(); err != nil {
			return err
		}
	}
	now := b.queue[0]
	b.at = now.lines[b.row]
	copy(cells, now.cells[b.row*len(cells):])
	b.row++
	return nil
}

// advance waits for the next block, after which it is the first of the queue.
func (b *blocks) advance() error {
	if len(b.queue) > 0 {
		if done := b.queue[0]; done.err != nil {
			b.at = done.at
			return done.err
		}
		b.spare, b.queue, b.row = append(b.spare, b.queue[0]), b.queue[1:], 0
	}
	if b.ahead(); len(b.queue) == 0 {
		return b.err
	}
	<-b.queue[0].parsed
	return nil
}

// make makes a part of each block. No block is begun before the first row is known.
func (b *blocks) make(p Parts) error {
	b.most = 1
	for {
		if err := b.advance(); err != nil {
			return err
		}
		now := b.queue[0]
		if b.newPart == nil && len(now.lines) > 0 {
			b.first(p, now.cells[:len(b.Columns)])
			b.newPart, b.most = p.New, runtime.GOMAXPROCS(0)+1
			now.part = p.New()
			now.give()
		}
		if now.part == nil {
			continue
		}
		if err := p.Done(now.part); err != nil {
			return err
		}
	}
}

// give gives the rows to the part.
func (b *block) give() {
	width, last := len(b.Columns), b.at
	for i, line := range b.lines {
		b.at = line
		if err := b.Reader.give(b.part, b.cells[i*width:(i+1)*width]); err != nil {
			b.err = err
			return
		}
	}
	b.at = last
}

// ahead keeps a block per core in work.
func (b *blocks) ahead() {
	for len(b.queue) < b.most {
		text := b.whole()
		if text == "" {
			return
		}
		next := &block{}
		if n := len(b.spare); n > 0 {
			next, b.spare = b.spare[n-1], b.spare[:n-1]
		}
		*next = block{Reader: *b.Reader, cells: next.cells[:0], lines: next.lines[:0], parsed: make(chan struct{})}
		next.at = b.lines
		if b.newPart != nil {
			next.part = b.newPart()
		}
		b.drop(len(text))
		b.queue = append(b.queue, next)
		go func() {
			defer close(next.parsed)
			if next.err = b.parse(next, text); next.part != nil {
				next.give()
			}
		}()
	}
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
