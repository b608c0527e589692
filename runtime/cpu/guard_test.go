package cpu

import (
	"testing"
	"unsafe"

	"github.com/hashzoo/hashzoo/runtime/must"
)

// Release detects writes between a block and the guard pages around it.
func TestGuardDetectsWritesNextToABlock(t *testing.T) {
	for _, c := range []struct {
		bytes int64
		at    int // of the block
		want  string
	}{
		{100, 0, ""}, {100, 99, ""}, {256, 255, ""}, {8192, 8191, ""},
		{100, 100, "a kernel wrote 1 bytes past the end of a block of 100 bytes"},
		{100, 255, "a kernel wrote 1 bytes past the end of a block of 100 bytes"},
		{100, -1, "a kernel wrote 1 bytes before the start of a block of 100 bytes"},
		{5000, -1, "a kernel wrote 1 bytes before the start of a block of 5000 bytes"},
	} {
		block := must.Get(obtainGuarded(c.bytes))(t)
		must.Hold(t, addressOf(block)%aligned == 0 && int64(len(block)) == c.bytes, "%d bytes at %#x", len(block), addressOf(block))
		*(*byte)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(block)), c.at)) = 7
		said := ""
		if err := giveBackGuarded(block); err != nil {
			said = err.Error()
		}
		must.Match(t, said, c.want, c.bytes, c.at)
	}
}
