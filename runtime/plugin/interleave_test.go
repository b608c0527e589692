package plugin

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/compile"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// Lanes whose memory accesses come in any order lose no pair, and find what is there. The
// races of the ladder need threads to meet; here a scheduler draws the order.
func TestAccessesInAnyOrder(t *testing.T) {
	c := must.Get(compile.New("", true))(t)
	defer c.Close()
	for _, slots := range []int{4, 8} {
		t.Run(fmt.Sprint("bucket=", slots), func(t *testing.T) {
			t.Parallel()
			program := interleaved(t, c.Program, "../../schemes/sieve/sieve.h", fmt.Sprintf("Sieve<P, %d, 4>", slots), slots)
			for _, size := range [][]string{{"4", "256", "0.9", "1000"}, {"20", "16", "0.9", "64"}, {"40", "4", "0.8", "32"}} {
				if out, err := bounded.Command(t, program, size...).CombinedOutput(); err != nil {
					t.Errorf("ROUNDS BUCKETS LOAD LANES %v: %s%v", size, out, err)
				}
			}
		})
	}
}

// interleaved compiles testdata/interleave.cc for a class of a header, whose buckets have so many slots.
func interleaved(t *testing.T, compiler, header, class string, slots int) string {
	t.Helper()
	const source = "testdata/interleave.cc"
	at, err := filepath.Abs(header)
	for _, path := range []string{at, source} { // so that go test knows what the result depends on
		if _, missing := os.Stat(path); err == nil {
			err = missing
		}
	}
	must.OK(t, err)
	program := filepath.Join(t.TempDir(), "interleave")
	flags := slices.Concat(kernels.Flags("host"), kernels.Flags(runtime.GOARCH), []string{
		"-fexceptions", "-Werror", "-iquote", "../../kernels", fmt.Sprintf("-DSCHEME_HEADER=%q", at), "-DSCHEME=" + class, fmt.Sprint("-DSLOTS=", slots),
		source, "-o", program, "-lstdc++", "-lm",
	})
	if out, err := bounded.Command(t, compiler, flags...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}
