// Package digest turns what the digest kernel added up (kernels/digest.h) into the
// short text by which inputs, results and contents are compared.
package digest

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"github.com/zeebo/xxh3"

	"github.com/hashzoo/hashzoo/kernels"
)

// Kernel is the kernel that adds up: its batch block is a kernels.Digest, and its
// items are the numbers.
const Kernel = "hz_digest_run"

// Finish is the digest of n numbers, or groups of numbers, whose sums are in the
// block. It covers what they are and how wide, so that digests of different
// things differ even if their numbers do not.
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
	hash := xxh3.Hash128(text).Bytes()
	return hex.EncodeToString(hash[:])
}
