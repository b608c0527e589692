// Package digest formats the sums of the digest kernel (kernels/digest.h) as the short
// text by which inputs, results and table contents are compared.
package digest

import (
	"encoding/binary"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
)

// Kernel is the kernel that computes the sums. Its batch block is a kernels.Digest; its items are the numbers.
const Kernel = "hz_digest_run"

// Finish returns the digest of n numbers, or groups of numbers, from the sums in block. It covers the name of the data
// and the widths, so different kinds of data with equal numbers get different digests.
func Finish(what string, n uint64, block *kernels.Digest) string {
	text := fmt.Appendf(nil, "hashzoo digest %d: %s, %d", kernels.DigestVersion, what, n)
	for i, at := range block.Part {
		if at != 0 {
			text = fmt.Appendf(text, ", part %d of width %d", i, block.PartWidth[i])
		}
	}
	text = binary.LittleEndian.AppendUint64(text, block.Positional)
	for _, sum := range block.Sum {
		text = binary.LittleEndian.AppendUint64(text, sum)
	}
	return fmt.Sprintf("%x", xxh3.Hash128(text).Bytes())
}
