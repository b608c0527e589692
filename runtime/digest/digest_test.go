package digest_test

import (
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/digest"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func block() *kernels.Digest {
	return &kernels.Digest{
		Part: [4]uint64{4096, 8192}, PartWidth: [4]uint64{4, 8}, Positional: 1, Sum: [2]uint64{1, 2},
	}
}

// A digest that changes its text without a new kernels.DigestVersion would make
// old results incomparable without saying so.
func TestGolden(t *testing.T) {
	must.Need(t, kernels.DigestVersion == 1, "a new version has new digests: change them here")
	must.Match(t, digest.Finish("insert", 10, block()), "35bcd1b23f82a10436850691c01717ba")
}

func TestWhatItDependsOn(t *testing.T) {
	same := digest.Finish("insert", 10, block())
	seen := map[string]string{same: "nothing"}
	for what, change := range map[string]func(b *kernels.Digest) string{
		"operation":         func(b *kernels.Digest) string { return digest.Finish("find", 10, b) },
		"number":            func(b *kernels.Digest) string { return digest.Finish("insert", 11, b) },
		"first sum":         func(b *kernels.Digest) string { b.Sum[0]++; return digest.Finish("insert", 10, b) },
		"second sum":        func(b *kernels.Digest) string { b.Sum[1]++; return digest.Finish("insert", 10, b) },
		"width":             func(b *kernels.Digest) string { b.PartWidth[0] = 8; return digest.Finish("insert", 10, b) },
		"a part is missing": func(b *kernels.Digest) string { b.Part[1] = 0; return digest.Finish("insert", 10, b) },
		"positional":        func(b *kernels.Digest) string { b.Positional = 0; return digest.Finish("insert", 10, b) },
	} {
		text := change(block())
		other, there := seen[text]
		must.Hold(t, !there, "a change of %s gives the digest of a change of %s", what, other)
		must.Hold(t, len(text) == 32, "%s: %q has not 32 digits", what, text)
		seen[text] = what
	}
	elsewhere := block()
	elsewhere.Part = [4]uint64{1 << 40, 1 << 41}
	elsewhere.First = 5
	must.Hold(t, digest.Finish("insert", 10, elsewhere) == same, "where arrays are in memory changes the digest")
}
