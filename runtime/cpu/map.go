//go:build !asan

package cpu

import "golang.org/x/sys/unix"

// obtain maps memory, in huge pages where the system has them: a table is read at
// random, and with small pages every read would miss the TLB as well.
func obtain(bytes int64) ([]byte, error) {
	block, err := unix.Mmap(-1, 0, int(bytes), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	// A system without huge pages refuses; then there are small ones.
	_ = unix.Madvise(block, unix.MADV_HUGEPAGE)
	return block, nil
}

func giveBack(block []byte) error { return unix.Munmap(block) }
