package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// longestKmer is how many bases of two bits a key of 8 bytes has room for, without the two reserved keys.
const longestKmer = 31

// kmers reads the canonical k-mers of sequences: of a k-mer and its reverse complement, the smaller number.
// A base is two bits, in the order ACGT. K-mers with any other letter are left out.
type kmers struct {
	*Reader
	in               *bufio.Reader
	k                int
	forward, reverse uint64 // the last k bases, and their reverse complement
	have             int    // how many of the last bases follow each other
	quality          bool   // FASTQ: each sequence has four lines
	part             int    // of them, or 0 for a header and 1 for bases
}

func openBases(quality bool) func(*Reader, *bufio.Reader) (*pipeline, error) {
	return func(r *Reader, in *bufio.Reader) (*pipeline, error) {
		k := &kmers{Reader: r, in: in, k: cmp.Or(int(r.K), longestKmer), quality: quality}
		mark := map[bool]byte{false: '>', true: '@'}[quality]
		start, err := in.Peek(1)
		if err != nil {
			return nil, err
		}
		if start[0] != mark {
			return nil, fmt.Errorf("it does not begin with %c, as a %s file does", mark, r.Format)
		}
		k.at = 1
		_, err = r.find([]string{"kmer"}, untyped)
		return r.serial(k.row), err
	}
}

// row reads bases up to the end of the next k-mer.
func (k *kmers) row(cells []Cell) error {
	for {
		b, err := k.in.ReadByte()
		if err != nil {
			return err
		}
		switch {
		case b == '\n':
			if err := k.endLine(); err != nil {
				return err
			}
		case k.part == 1 && b != '\r':
			if err := k.base(b); err != nil {
				return err
			}
			if k.have >= k.k {
				for i := range cells {
					cells[i] = unsigned(min(k.forward, k.reverse))
				}
				return nil
			}
		}
	}
}

// endLine decides by the next byte what the next line is.
func (k *kmers) endLine() error {
	k.at++
	start, err := k.in.Peek(1)
	if err != nil {
		return err
	}
	switch {
	case k.quality:
		if k.part, k.have = (k.part+1)%4, 0; k.part == 0 && start[0] != '@' && start[0] != '\n' {
			return k.here(": a record of four lines begins with @, not with %q", start[0])
		}
	case start[0] == '>' || start[0] == ';':
		k.part, k.have = 0, 0
	default:
		k.part = 1
	}
	return nil
}

// base adds a base; any other letter begins anew.
func (k *kmers) base(b byte) error {
	letter := b | 0x20
	code := uint64(strings.IndexByte("acgt", letter))
	switch {
	case letter == 'u':
		code = 3
	case code > 3 && (letter < 'a' || letter > 'z') && b != '-' && b != '*' && b != '.':
		return k.here(": %q is not part of a sequence", b)
	case code > 3:
		k.have = 0
		return nil
	}
	bits := 2 * k.k
	k.forward = (k.forward<<2 | code) & (1<<bits - 1)
	k.reverse = k.reverse>>2 | (3-code)<<(bits-2)
	k.have++
	return nil
}

// field is a part of a request in libCacheSim's traces, whose numbers have their low byte first.
type field struct {
	name      string
	at, bytes int
	bits      int                 // of them; 0: all
	cell      func(x uint64) Cell // nil: the number
	possible  func(x uint64) bool // whether a request can have it; nil: all can
}

// Fields of several formats. next says when the same ID is requested next.
func timeAt(at, bytes int) field { return field{name: "time", at: at, bytes: bytes} }
func idAt(at int) field          { return field{name: "id", at: at, bytes: 8} }
func sizeAt(at, bytes int) field { return field{name: "size", at: at, bytes: bytes} }
func nextAt(at int) field {
	// Most numbers of other files are not those of later requests.
	isNext := func(x uint64) bool { return int64(x) == -1 || x <= 1<<48 || x == math.MaxInt64 }
	return field{name: "next", at: at, bytes: 8, cell: func(x uint64) Cell { return signed(int64(x)) }, possible: isNext}
}
func opAt(at int) field {
	cell := func(x uint64) Cell {
		if x == 0 || x == noOp {
			return Cell{}
		}
		return textCell(opNames[x-1])
	}
	return field{name: "op", at: at, bytes: 1, cell: cell, possible: func(x uint64) bool { return x <= uint64(len(opNames)) || x == noOp }}
}

// opNames are libCacheSim's operations, from 1 on. 0 and noOp are none.
var opNames = []string{"get", "gets", "set", "add", "cas", "replace", "append", "prepend", "delete", "incr", "decr", "read", "write", "update"}

const noOp = 255

// requests reads requests of one length.
type requests struct {
	*Reader
	in      io.Reader
	fields  []field
	columns []int
	raw     []byte
}

func (r *Reader) requests(in io.Reader, length int, fields ...field) (_ *pipeline, err error) {
	q := &requests{Reader: r, in: in, fields: fields, raw: make([]byte, length)}
	q.columns, err = r.find(lists.Map(fields, func(f field) string { return f.name }), untyped)
	return r.serial(q.row), err
}

func (q *requests) row(cells []Cell) error {
	n, err := io.ReadFull(q.in, q.raw)
	if err == io.EOF {
		return err
	}
	q.at++
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return q.here(": the file ends within it: %d bytes of %d", n, len(q.raw))
	}
	if err != nil {
		return err
	}
	for _, f := range q.fields {
		if f.possible != nil && !f.possible(f.number(q.raw)) {
			return q.here(": %s is %d, which no request has; hint: is the file %s?", f.name, f.number(q.raw), q.Format)
		}
	}
	for i, column := range q.columns {
		cells[i] = Cell{}
		if column >= 0 {
			f := q.fields[column]
			if cells[i] = unsigned(f.number(q.raw)); f.cell != nil {
				cells[i] = f.cell(f.number(q.raw))
			}
		}
	}
	return nil
}

func (f field) number(raw []byte) uint64 {
	var word [8]byte
	copy(word[:], raw[f.at:f.at+f.bytes])
	x := binary.LittleEndian.Uint64(word[:])
	if f.bits > 0 {
		x &= 1<<f.bits - 1
	}
	return x
}

func openOracle(r *Reader, in *bufio.Reader) (*pipeline, error) {
	return r.requests(in, 24, timeAt(0, 4), idAt(4), sizeAt(12, 4), nextAt(16))
}

// openTWR reads Twitter's traces as libCacheSim packs them: the size is that of the value.
func openTWR(r *Reader, in *bufio.Reader) (*pipeline, error) {
	size := sizeAt(12, 4)
	size.bits = 22
	return r.requests(in, 20, timeAt(0, 4), idAt(4), size, opAt(19), field{name: "ttl", at: 16, bytes: 3})
}

// openLCS reads libCacheSim's own format: a header, which says the version, and requests.
func openLCS(r *Reader, in *bufio.Reader) (*pipeline, error) {
	const length, mark = 8192, 0x123456789abcdef0
	header := make([]byte, length)
	if _, err := io.ReadFull(in, header); err != nil && err != io.EOF && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	word := func(at int) uint64 { return binary.LittleEndian.Uint64(header[at:]) }
	if word(0) != mark || word(length-8) != mark {
		return nil, errors.New("it does not begin with the header of an lcs trace")
	}
	switch version := word(8); version {
	case 1:
		return openOracle(r, in)
	case 2:
		return r.requests(in, 28, timeAt(0, 4), idAt(4), sizeAt(12, 4), opAt(16), field{name: "tenant", at: 17, bytes: 3}, nextAt(20))
	case 3, 4, 5, 6, 7, 8:
		features := 1 << version >> 4 // of four bytes each
		return r.requests(in, 36+4*features, timeAt(0, 4), idAt(4), sizeAt(12, 8), opAt(20),
			field{name: "tenant", at: 21, bytes: 3}, field{name: "ttl", at: 24, bytes: 4}, nextAt(28))
	default:
		return nil, fmt.Errorf("it is of version %d of lcs, allowed are 1 to 8", version)
	}
}

// openVSCSI reads traces of virtual disks: an ID is a block, times are microseconds. The version is in
// every request, at different places.
func openVSCSI(r *Reader, in *bufio.Reader) (*pipeline, error) {
	start, err := in.Peek(80)
	if err != nil && err != io.EOF {
		return nil, err
	}
	is := func(version byte, length, at int) bool {
		two := func(from int) bool { return len(start) >= from+length && start[from+at+1] == version }
		return two(0) && (two(length) || len(start) == length)
	}
	version := func(v uint64, at int) field {
		return field{name: "version", at: at, bytes: 1, possible: func(x uint64) bool { return x == v }}
	}
	command := func(at int) field { return field{name: "op", at: at, bytes: 2, cell: scsiCell} }
	switch {
	case len(start) == 0:
		return nil, io.EOF
	case is(2, 40, 2):
		return r.requests(in, 40, timeAt(24, 8), idAt(16), sizeAt(8, 4), command(0), version(2, 3))
	case is(1, 32, 14):
		return r.requests(in, 32, timeAt(24, 8), idAt(16), sizeAt(4, 4), command(12), version(1, 15))
	}
	return nil, errors.New("it does not begin with requests of a vscsi trace")
}

// scsiCell returns the operation of a SCSI command: reads and writes of 6, 10, 12 and 16 bytes.
func scsiCell(x uint64) Cell {
	switch {
	case bytes.IndexByte([]byte{0x08, 0x28, 0xa8, 0x88}, byte(x)) >= 0:
		return textCell("read")
	case bytes.IndexByte([]byte{0x0a, 0x2a, 0xaa, 0x8a}, byte(x)) >= 0:
		return textCell("write")
	}
	return textCell(fmt.Sprintf("scsi-%#02x", x))
}
