package trace

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/hashzoo/hashzoo/workloads/columnar"
)

// oracleRows are libCacheSim's oracleGeneral: 24 bytes for each request, low byte first:
// u32 time in seconds, u64 id, u32 size, i64 when the id is next asked for. The value is
// the size.
type oracleRows struct{ in *bufio.Reader }

const oracleBytes = 24

func openOracleGeneral(f columnar.Opened, _ *Options) (rows, error) {
	return &oracleRows{bufio.NewReaderSize(f, 1<<16)}, nil
}

func (o *oracleRows) next() (r row, err error) {
	var raw [oracleBytes]byte
	n, err := io.ReadFull(o.in, raw[:])
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return r, fmt.Errorf("the file ends within it: %d bytes of %d", n, oracleBytes)
	}
	if err != nil {
		return r, err
	}
	number := func(n uint64) cell { return cell{number: n, is: cellNumber} }
	r[timeColumn] = number(uint64(binary.LittleEndian.Uint32(raw[0:])))
	r[keyColumn] = number(binary.LittleEndian.Uint64(raw[4:]))
	r[valueColumn] = number(uint64(binary.LittleEndian.Uint32(raw[12:])))
	return r, nil
}

func (o *oracleRows) close() {}
