// Package rows reads columns of untrusted tables in blocks of rows: CSV, TSV, NDJSON, Parquet, edge lists, TPC-H's
// tables, sequences of bases, and libCacheSim's traces. Text and traces may be compressed. It checks the sizes in a
// file before it allocates memory for them. Every error names the file, the line or row, and the column.
package rows

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/klauspost/compress/zstd"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/workloads/parquet"
)

// File is an open file: an *os.File, or bytes in memory.
type File interface {
	io.ReadSeeker
	io.ReaderAt
}

// Arrow is how an Arrow file begins. Such files are not read.
const Arrow = "ARROW1"

var errArrow = errors.New("it is an Arrow file, which cannot be read; hint: make it Parquet, in Python by pandas.read_feather(f).to_parquet(...)")

// Damaged blames the file for an error, in one line, unless it is whole.
func Damaged(err error) error {
	if _, whole := errors.AsType[parquet.Unsupported](err); err == nil || whole {
		return err
	}
	return fmt.Errorf("the file is damaged: %.200s", strings.Join(strings.Fields(err.Error()), " "))
}

// Column is a column to read.
type Column struct {
	Name     string // may be left out if the file has only one
	Reals    bool   // it may have real numbers, dates and times
	Optional bool   // without it, its cells have no value
	Scaled   bool   // decimals are multiplied by a power of ten: 12.50 is 1250
	RealHint string // says with "; hint: " how to ask for real numbers, if that is possible
	Decimals int    // digits after the point of a scaled column; 0: as many as the first cell has
}

// Layout says what a file is like. The tags are for the arguments of gen.file.
type Layout struct {
	Format    string `lua:"format"`    // one of Formats; by default the file name's extension decides
	Numbered  bool   `lua:"numbered"`  // a CSV file has no line of names: its columns are called 1, 2, 3 ...
	Delimiter string `lua:"delimiter"` // of a CSV file; tab, or a character
	Comment   string `lua:"comment"`   // the character that begins a line without a row in a CSV file
	K         uint64 `lua:"k" min:"1"` // bases of a k-mer; 0: 31
}

// Options say what to read.
type Options struct {
	Layout
	Columns []Column
	// Announce, if set, is told at least how many rows are to come, by formats that know it.
	Announce func(rows uint64) error
	// Progress, if set, hears now and then how much of the file was read, from 0 to 1.
	Progress func(share float64)
}

// Reader reads columns of a file.
type Reader struct {
	Options
	name  string
	rows  *pipeline
	share func() float64    // of the file that was read
	unit  string            // "line" or "row"
	at    uint64            // the number of the last one
	scale []scale           // of each column
	types []*parquet.Column // of each column; nil if the file does not say it
}

type format struct {
	name       string
	extensions []string
	unit       string
	stream     func(*Reader, *bufio.Reader) (*pipeline, error) // it may be compressed
	open       func(*Reader, File) (*pipeline, error)          // instead, for formats that are read from any place
}

var formats = []format{
	{"csv", []string{".csv"}, "line", openCSV(','), nil},
	{"tsv", []string{".tsv", ".tab"}, "line", openCSV('\t'), nil},
	{"ndjson", []string{".ndjson", ".jsonl"}, "line", openNDJSON, nil},
	{"parquet", []string{".parquet", ".pq"}, "row", nil, openParquet},
	{"snap", []string{".snap"}, "line", openSNAP, nil},
	{"tpch", []string{".tbl"}, "line", openTPCH, nil},
	{"fasta", []string{".fasta", ".fa", ".fna"}, "line", openBases(false), nil},
	{"fastq", []string{".fastq", ".fq"}, "line", openBases(true), nil},
	{"oracle-general", []string{".oraclegeneral"}, "row", openOracle, nil},
	{"lcs", []string{".lcs"}, "row", openLCS, nil},
	{"twr", []string{".twr"}, "row", openTWR, nil},
	{"vscsi", []string{".vscsi"}, "row", openVSCSI, nil},
}

func Formats() []string { return lists.Map(formats, func(f format) string { return f.name }) }

// suffixes are the extensions that may follow that of a format, as in lineitem.tbl.1.gz.
var suffixes = regexp.MustCompile(`(?i)(\.(zst|zstd|gz|gzip|bz2|xz|lz4|lz|zip|z|7z|bin|sort|[0-9]+))+$`)

// extension returns the extension that says the format.
func extension(name string) string { return filepath.Ext(suffixes.ReplaceAllString(name, "")) }

// FormatOf returns the format of a file's extension, empty if it has none.
func FormatOf(name string) string {
	return lists.First(formats, func(f format) bool { return slices.Contains(f.extensions, strings.ToLower(extension(name))) }).name
}

// NoFormat is the error of a file whose extension is not a format's.
func NoFormat(name, flag string, formats []string) error {
	isArrow := slices.Contains([]string{".arrow", ".arrows", ".ipc", ".feather"}, strings.ToLower(extension(name)))
	other := fmt.Errorf("the extension %q says no format; hint: %s takes %s", extension(name), flag, strings.Join(formats, ", "))
	return lists.Either(isArrow, errArrow, other)
}

// Open begins to read a file, which the caller closes. Its name is for messages.
func Open(name string, f File, opt Options) (*Reader, error) {
	r := &Reader{Options: opt, name: name, scale: make([]scale, len(opt.Columns)), types: make([]*parquet.Column, len(opt.Columns))}
	r.Columns = slices.Clone(opt.Columns)
	return r, r.wrong(r.open(f))
}

func (r *Reader) open(f File) (err error) {
	wanted := cmp.Or(r.Format, FormatOf(r.name))
	if wanted == "" {
		return NoFormat(r.name, "format", Formats())
	}
	i, err := nearest.Index("format", wanted, formats, func(f format) string { return f.name })
	if err != nil {
		return err
	}
	r.unit, r.Format = formats[i].unit, wanted
	if err := r.checkOptions(); err != nil {
		return err
	}
	if r.rows, err = formats[i].rows(r, f); err == io.EOF { // it has none
		r.rows, err = r.serial(func([]Cell) error { return io.EOF }), nil
	}
	return err
}

func (f format) rows(r *Reader, file File) (*pipeline, error) {
	start := make([]byte, sniffed)
	n, _ := file.ReadAt(start, 0)
	if bytes.HasPrefix(start, []byte(Arrow)) {
		return nil, errArrow
	}
	if f.stream == nil {
		if p := packingOf(start[:n]); p != nil {
			return nil, fmt.Errorf("it is compressed by %s, which format %s cannot read; hint: %s unpacks it", p.name, f.name, p.unpack)
		}
		return f.open(r, file)
	}
	in, err := r.unpack(file)
	if err != nil {
		return nil, err
	}
	if err := known(in, f.unit == "line"); err != nil {
		return nil, fmt.Errorf("%w, which format %s cannot read", err, f.name)
	}
	return f.stream(r, in)
}

// checkOptions refuses options that belong to other formats.
func (r *Reader) checkOptions() error {
	switch separated := r.Format == "csv" || r.Format == "tsv"; {
	case r.Delimiter != "" && !separated:
		return fmt.Errorf("delimiter is %q: it is for csv, the format is %s", r.Delimiter, r.Format)
	case r.Comment != "" && !separated:
		return fmt.Errorf("comment is %q: it is for csv and tsv, the format is %s", r.Comment, r.Format)
	case r.K != 0 && !strings.HasPrefix(r.Format, "fast"):
		return fmt.Errorf("k is %d: it is for fasta and fastq, the format is %s", r.K, r.Format)
	case r.K > longestKmer:
		return fmt.Errorf("k is %d, allowed are 1 to %d", r.K, longestKmer)
	}
	for _, c := range r.Columns {
		if c.Decimals < 0 || c.Decimals > mostDecimals {
			return fmt.Errorf("decimals is %d, allowed are 1 to %d", c.Decimals, mostDecimals)
		}
	}
	return nil
}

// placed is an error that names its place in the file.
type placed struct{ error }

func (p placed) Unwrap() error { return p.error }

func (r *Reader) here(format string, args ...any) error {
	return placed{fmt.Errorf("%s, %s %d"+format, append([]any{r.name, r.unit, r.at}, args...)...)}
}

// cellWrong returns an error of the last row's cell in a column.
func (r *Reader) cellWrong(column int, err error) error {
	return r.here(", column %s: %w", r.Column(column), err)
}

// wrong adds the name of the file to errors without a place.
func (r *Reader) wrong(err error) error {
	if _, ok := err.(placed); ok || err == nil || err == io.EOF {
		return err
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// Column returns the name of a column, for messages.
func (r *Reader) Column(i int) string { return shown(r.Columns[i].Name) }

// find returns the columns' indices in the file. wrongType names a column's type if it cannot be used.
func (r *Reader) find(names []string, wrongType func(i int, c Column) string) ([]int, error) {
	at := make([]int, len(r.Columns))
	for i := range at {
		c := &r.Columns[i]
		if c.Name == "" && len(names) == 1 {
			c.Name = names[0]
		}
		if at[i] = slices.Index(names, c.Name); at[i] < 0 && c.Optional {
			continue
		} else if c.Name == "" {
			return nil, fmt.Errorf("it has %d columns, so one must be named: choose from %s", len(names), list(names))
		} else if at[i] < 0 && len(names) > mostNames {
			return nil, fmt.Errorf("unknown column %q: choose from %s", c.Name, list(names))
		} else if at[i] < 0 {
			return nil, nearest.Unknown("column", shown(c.Name), lists.Map(names, shown))
		} else if slices.Contains(names[at[i]+1:], c.Name) {
			return nil, fmt.Errorf("column %q occurs more than once", c.Name)
		}
		as := *c
		as.Reals = c.Reals || c.Scaled && c.Decimals > 0
		if wrong := wrongType(at[i], as); wrong != "" {
			takes := map[bool]string{true: "numbers and texts", false: "whole numbers and texts"}[as.Reals]
			hint := ""
			if as.Reals = true; wrongType(at[i], as) == "" {
				hint = c.RealHint
			}
			return nil, fmt.Errorf("column %s is of type %s, it takes %s%s", shown(c.Name), wrong, takes, hint)
		}
	}
	return at, nil
}

// untyped is for files whose columns have no types.
func untyped(int, Column) string { return "" }

const mostNames = 20

func list(names []string) string {
	text := strings.Join(lists.Map(names[:min(len(names), mostNames)], shown), ", ")
	if more := len(names) - mostNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// shown makes a name safe for messages: a file may call a column anything.
func shown(name string) string {
	odd := name == "" || len(name) > 60 || strings.ContainsFunc(name, func(r rune) bool { return !strconv.IsPrint(r) })
	return lists.Either(odd, nearest.Quoted(name), name)
}

// packing is a way to compress a file, recognized by its first bytes.
type packing struct {
	name, magic string
	unpack      string                             // the command that unpacks it
	open        func(io.Reader) (io.Reader, error) // nil if only the command can
}

var packings = []*packing{
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

// packingOf returns how what begins so is compressed, nil if it is not.
func packingOf(start []byte) *packing {
	return lists.First(packings, func(p *packing) bool { return bytes.HasPrefix(start, []byte(p.magic)) })
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
	binaries := [][2]string{ // by their first bytes
		{"PAR1", "Parquet"}, {"ORC", "ORC"}, {"Obj\x01", "Avro"}, {"SQLite format 3\x00", "SQLite"},
		{"\x89HDF", "HDF5"}, {"%PDF", "PDF"}, {"\x7fELF", "a program"}, {"\xff\xfe", "UTF-16 text"}, {"\xfe\xff", "UTF-16 text"},
	}
	if is := lists.First(binaries, func(b [2]string) bool { return strings.HasPrefix(string(start), b[0]) })[1]; is != "" {
		return fmt.Errorf("it is %s", is)
	}
	return fmt.Errorf("it is not text: it begins with %s", nearest.Quoted(string(start[:min(len(start), 16)])))
}
