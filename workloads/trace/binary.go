package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hashzoo/hashzoo/workloads/rows"
)

// oracleGeneral is libCacheSim's format: 24 bytes for each request, low byte first: u32
// time in seconds, u64 id, u32 size, i64 when the id is next asked for. The size is the
// value.
const (
	oracleGeneral   = "oracle-general"
	oracleExtension = ".oraclegeneral"
	oracleBytes     = 24
)

// requests reads the requests of such a file.
type requests struct {
	name  string
	in    *bufio.Reader
	cells [3]rows.Cell
	row   uint64
}

var oracleColumns = [columns]int{keyColumn: 0, opColumn: -1, valueColumn: 1, timeColumn: 2}

func openOracle(name string, f rows.File) *requests {
	return &requests{name: name, in: bufio.NewReaderSize(f, 1<<16)}
}

// Next reads a request.
func (o *requests) Next() ([]rows.Cell, error) {
	var raw [oracleBytes]byte
	n, err := io.ReadFull(o.in, raw[:])
	if err == io.EOF {
		return nil, err
	}
	o.row++
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = fmt.Errorf("the file ends within it: %d bytes of %d", n, oracleBytes)
	}
	if err != nil {
		return nil, o.Wrong(0, err)
	}
	for i, number := range []uint64{
		binary.LittleEndian.Uint64(raw[4:]), uint64(binary.LittleEndian.Uint32(raw[12:])), uint64(binary.LittleEndian.Uint32(raw[0:])),
	} {
		o.cells[i] = rows.Cell{Kind: rows.Whole, Number: number}
	}
	return o.cells[:], nil
}

// Wrong is an error of the last request.
func (o *requests) Wrong(_ int, err error) error {
	return fmt.Errorf("%s, row %d: %w", o.name, o.row, err)
}

// Close does nothing: the file stays open.
func (o *requests) Close() {}
