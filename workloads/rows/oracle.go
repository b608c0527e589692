package rows

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
)

// openOracle reads libCacheSim's oracleGeneral, whose requests are structs, low byte first.
func openOracle(r *Reader, f File) (next, error) {
	var request struct {
		Time uint32
		ID   uint64
		Size uint32
		Next int64 // when the ID is requested next
	}
	columns, err := r.find([]string{"time", "id", "size", "next"}, untyped)
	in := bufio.NewReaderSize(f, 1<<16)
	raw := make([]byte, binary.Size(request))
	return func(cells []Cell) error {
		n, err := io.ReadFull(in, raw)
		if err == io.EOF {
			return err
		}
		r.at++
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return r.here(": the file ends within it: %d bytes of %d", n, len(raw))
		}
		if err != nil {
			return err
		}
		binary.Decode(raw, binary.LittleEndian, &request)
		for i, column := range columns {
			cells[i] = [...]Cell{unsigned(uint64(request.Time)), unsigned(request.ID), unsigned(uint64(request.Size)), signed(request.Next)}[column]
		}
		return nil
	}, err
}
