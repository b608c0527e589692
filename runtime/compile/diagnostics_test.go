package compile

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A compile error in an author's header names that header, even if clang reports it in one
// of hashzoo's, and appears once, even if many kernels repeat it.
func TestCompileErrorsNameTheAuthorsFiles(t *testing.T) {
	const said = `In file included from <stdin>:1:
./mine/mine.h:62:19: error: no member named 'opn' in 'hz::Bucket<hz::PairOf<unsigned int, unsigned int, 8>, 4>'
   62 |     u32 open = at.opn(tile);
      |                ~~ ^
/tmp/headers/operations.h:84:1: note: in instantiation of function template specialization 'hz::Mine<int>::insert_in<int>' requested here
   84 | HZ_KEYED_OP(insert);
      | ^
mine/scheme.toml:10:1: note: in instantiation of function template specialization 'hz::run<hz::op_insert, int>' requested here
   10 | HZ_KERNELS_FOR(x)
./mine/mine.h:40:3: note: 'open' declared here
   40 |   u32 open();
./mine/mine.h:62:19: error: no member named 'opn' in 'hz::Bucket<hz::PairOf<unsigned long, unsigned long, 16>, 4>'
   62 |     u32 open = at.opn(tile);
/tmp/headers/drive_cpu.h:116:39: error: static assertion failed due to requirement 'kReads<hz::Mine>': the scheme needs first(key)
  116 |         walk = 1;
/tmp/headers/drive.h:303:7: note: in instantiation of member function 'hz::Worker' requested here
mine/scheme.toml:10:18: note: in instantiation of function template specialization 'hz::run<hz::op_find, int>' requested here
3 errors generated.
`
	const want = `mine/mine.h:62:19: error: no member named 'opn' in 'hz::Bucket<hz::PairOf<unsigned int, unsigned int, 8>, 4>'
   62 |     u32 open = at.opn(tile);
      |                ~~ ^
mine/mine.h:40:3: note: 'open' declared here
   40 |   u32 open();
mine/scheme.toml:10:18: error: static assertion failed: the scheme needs first(key); needed by drive_cpu.h:116, for find
`
	if diff := cmp.Diff(want, authored(said, "/tmp/headers")); diff != "" {
		t.Error(diff)
	}
	const linker = "ld: undefined symbol: nothing\n"
	if got := authored(linker, "/tmp/headers"); got != linker {
		t.Errorf("a linker's error became %q", got)
	}
}
