package rows

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"
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
