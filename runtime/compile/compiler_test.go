package compile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"time"

	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestCacheGivesBackOnlyWhatIsWhole(t *testing.T) {
	folder := t.TempDir()
	c := cache{folder}
	from, to := filepath.Join(folder, "from"), filepath.Join(t.TempDir(), "to")
	must.OK(t, os.WriteFile(from, []byte("compiled"), 0o600))
	must.Hold(t, !c.get("key", to), "an empty cache has a file")
	c.put("key", from)
	must.Hold(t, c.get("key", to), "the file is missing")
	must.Match(t, string(must.Get(os.ReadFile(to))(t)), "compiled", "the cache gave")
	must.OK(t, os.WriteFile(filepath.Join(folder, "key"), []byte("torn"), 0o600))
	must.Hold(t, !c.get("key", to), "a torn file was taken for whole")
}

// Objects compiled with other headers are not reused: the same sources make another plugin.
func TestCacheKnowsTheHeaders(t *testing.T) {
	var digests []string
	for _, text := range []string{"#define A 1", "#define A 2"} {
		digests = append(digests, digestOf(fstest.MapFS{"a.h": {Data: []byte(text)}}))
	}
	must.Hold(t, digests[0] != digests[1], "headers that differ have the same digest")
	c := &Compiler{Program: "/nothing/that/compiles", write: func() error { return nil }, cache: cache{t.TempDir()}}
	o, from := Output{File: "a.so"}, filepath.Join(t.TempDir(), "from")
	must.OK(t, os.WriteFile(from, []byte("compiled"), 0o600))
	c.cache.put(Digest(fmt.Append(nil, c.Version, o.Flags, o.File, "source", "inputs")), from)
	_, err := c.one(t.Context(), Input{Source: "source", Headers: "inputs"}, o, t.TempDir())
	must.Hold(t, err != nil, "a file that was cached without the headers is used")
}

func TestCacheIsBounded(t *testing.T) {
	c := cache{t.TempDir()}
	from := filepath.Join(t.TempDir(), "from")
	must.OK(t, os.WriteFile(from, []byte("compiled"), 0o600))
	for i := range mostCached + 10 {
		must.OK(t, os.WriteFile(filepath.Join(c.folder, fmt.Sprint(i)), nil, 0o600))
	}
	left, used := filepath.Join(c.folder, ".load-1"), filepath.Join(c.folder, ".load-2")
	must.OK(t, errors.Join(os.Mkdir(left, 0o700), os.Mkdir(used, 0o700), os.Chtimes(left, time.Time{}, time.Now().Add(-2*abandoned))))
	c.put("key", from)
	must.Hold(t, must.Err(os.Stat(left)) != nil, "what a killed program left behind is still there")
	must.Say(t, os.Remove(used), "", "what another program uses is gone")
	entries, err := os.ReadDir(c.folder)
	must.Hold(t, err == nil && len(entries) == mostCached, "%d files, %v", len(entries), err)
}

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
	must.Match(t, authored(said, "/tmp/headers"), want)
	const linker = "ld: undefined symbol: nothing\n"
	must.Match(t, authored(linker, "/tmp/headers"), linker, "a linker's error became")
}
