package rows

import (
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// packing is a way to compress a file, recognized by its first bytes.
type packing struct {
	name, magic string
	unpack      string                             // the command that unpacks it
	open        func(io.Reader) (io.Reader, error) // nil if only the command can
}

var packings = []packing{
	{"zstd", "\x28\xb5\x2f\xfd", "zstd -d", openZstd},
	{"zstd", "\x50\x2a\x4d\x18", "zstd -d", openZstd}, // begins with a frame to skip, as pzstd writes it
	{"gzip", "\x1f\x8b\x08", "gzip -d", func(in io.Reader) (io.Reader, error) { return gzip.NewReader(in) }},
	{"bzip2", "BZh91AY&SY", "bzip2 -d", func(in io.Reader) (io.Reader, error) { return bzip2.NewReader(in), nil }},
	{"xz", "\xfd7zXZ\x00", "xz -d", nil},
	{"lz4", "\x04\x22\x4d\x18", "lz4 -d", nil},
	{"lzip", "LZIP\x01", "lzip -d", nil},
	{"zip", "PK\x03\x04", "unzip", nil},
	{"7-Zip", "7z\xbc\xaf\x27\x1c", "7z x", nil},
	{"compress", "\x1f\x9d", "uncompress", nil},
	{"Snappy", "\xff\x06\x00\x00sNaPpY", "snzip -d", nil},
}

// mostWindow bounds the memory of zstd. Its command line writes such a window with --long.
const mostWindow = 128 << 20

func openZstd(in io.Reader) (io.Reader, error) {
	return zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
}

// packed returns how a file is compressed, nil if it is not.
func packed(f File) *packing {
	start := make([]byte, sniffed)
	n, _ := f.ReadAt(start, 0)
	return packingOf(start[:n])
}

func packingOf(start []byte) *packing {
	for i := range packings {
		if bytes.HasPrefix(start, []byte(packings[i].magic)) {
			return &packings[i]
		}
	}
	return nil
}

// sniffed is the number of bytes by which a file is recognized.
const sniffed = 512

// unpack returns the bytes of a file, which may be compressed.
func (r *Reader) unpack(f File) (*bufio.Reader, error) {
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, err
	}
	r.share = func() float64 {
		at, _ := f.Seek(0, io.SeekCurrent)
		return float64(at) / float64(max(1, size))
	}
	in := bufio.NewReaderSize(f, 1<<16)
	start, _ := in.Peek(sniffed)
	p := packingOf(start)
	switch {
	case p == nil:
		return in, nil
	case p.open == nil:
		return nil, fmt.Errorf("it is compressed by %s, which cannot be read; hint: %s unpacks it", p.name, p.unpack)
	}
	from, err := p.open(in)
	if err != nil {
		return nil, p.damaged(err)
	}
	in = bufio.NewReaderSize(&unpacked{packing: p, from: from, left: mostUnpacked(size)}, 1<<16)
	start, err = in.Peek(sniffed)
	if p := packingOf(start); p != nil {
		return nil, fmt.Errorf("it is compressed twice, the second time by %s; hint: %s unpacks it", p.name, p.unpack)
	}
	if err == io.EOF {
		err = nil
	}
	return in, err
}

// mostUnpacked is how many bytes a compressed file of a size may stand for: lists of requests and edges
// shrink to a tenth or less, a file that is made to fill a disk to a thousandth or less.
func mostUnpacked(size int64) int64 { return max(64<<20, 500*min(size, 1<<53)) }

// unpacked reads compressed bytes, up to a limit.
type unpacked struct {
	*packing
	from io.Reader
	left int64
}

func (u *unpacked) Read(b []byte) (int, error) {
	if u.left == 0 {
		return 0, fmt.Errorf("it is more than 500 times as large as its %s data; hint: %s unpacks it", u.name, u.unpack)
	}
	n, err := u.from.Read(b[:min(int64(len(b)), u.left)])
	if u.left -= int64(n); err == nil || err == io.EOF {
		return n, err
	}
	return n, u.damaged(err)
}

func (p *packing) damaged(err error) error {
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), err == io.EOF:
		return Damaged(fmt.Errorf("it ends within its %s data", p.name))
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		return fmt.Errorf("its zstd data needs more than %d MiB of memory; hint: zstd -d --long=31 unpacks it", mostWindow>>20)
	}
	return Damaged(fmt.Errorf("%s: %s", p.name, strings.TrimPrefix(err.Error(), p.name+": ")))
}

// binaries are files that are not text, by their first bytes.
var binaries = [][2]string{
	{"PAR1", "Parquet"}, {"ORC", "ORC"}, {"Obj\x01", "Avro"}, {"SQLite format 3\x00", "SQLite"},
	{"\x89HDF", "HDF5"}, {"%PDF", "PDF"}, {"\x7fELF", "a program"}, {"\xff\xfe", "UTF-16 text"}, {"\xfe\xff", "UTF-16 text"},
}

// known refuses an archive, and what is not text if text is expected.
func known(in *bufio.Reader, text bool) error {
	start, err := in.Peek(sniffed)
	if err != nil && err != io.EOF {
		return err
	}
	if len(start) > 262 && string(start[257:262]) == "ustar" {
		return errors.New("it is a tar archive")
	}
	if !text || !bytes.ContainsRune(start, 0) {
		return nil
	}
	for _, b := range binaries {
		if strings.HasPrefix(string(start), b[0]) {
			return fmt.Errorf("it is %s", b[1])
		}
	}
	return fmt.Errorf("it is not text: it begins with %s", nearest.Quoted(string(start[:min(len(start), 16)])))
}
