package host

import (
	"encoding/binary"
	"fmt"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/schemes"
)

// rows returns the contents of an FKS-cuckoo table, including spare buckets.
func rows(t schemes.Table) ([][]string, error) {
	b, pair, per := t.Block(), t.Pair(), int(t.Config().Get("bucket"))
	raw := make([]byte, b.Capacity*uint64(pair.Bytes()))
	if err := t.Read(raw, device.Addr(b.Region[0])); err != nil {
		return nil, err
	}
	rows := make([][]string, b.Buckets)
	for slot := 0; len(raw) > 0; slot++ {
		text := text(pair, number(raw[:pair.Key]), number(raw[pair.Key:pair.Bytes()]))
		rows[slot/per] = append(rows[slot/per], text)
		raw = raw[pair.Bytes():]
	}
	return rows, nil
}

func text(pair schemes.Pair, key, value uint64) string {
	switch key {
	case pair.EmptyKey():
		return "."
	case pair.ErasedKey():
		return "x"
	}
	return fmt.Sprintf("%d=%d", key, value)
}

func number(bytes []byte) uint64 {
	word := make([]byte, 8)
	copy(word, bytes)
	return binary.LittleEndian.Uint64(word)
}
