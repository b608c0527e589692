package kernels

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// The Go structs are generated; this test fails if they are out of date.
func TestGoStructsMatchTheHeader(t *testing.T) {
	dir := t.TempDir() // cgo leaves files behind
	for _, name := range []string{"abi.h", "partition_abi.h", "sort_abi.h", "abi_defs.go"} {
		text := must.Get(os.ReadFile(name))(t)
		must.OK(t, os.WriteFile(filepath.Join(dir, name), text, 0o644))
	}
	cgo := bounded.Command(t, "go", "tool", "cgo", "-godefs", "abi_defs.go")
	cgo.Dir = dir
	defs, err := cgo.Output()
	must.Need(t, err == nil, "go tool cgo -godefs: %v", err)
	format := bounded.Command(t, "gofmt")
	format.Stdin = bytes.NewReader(defs)
	want := must.Get(format.Output())(t)
	have := must.Get(os.ReadFile("abi_generated.go"))(t)
	must.Need(t, bytes.Equal(afterHeader(want), afterHeader(have)), "abi_generated.go differs from abi.h: run go generate ./kernels")
}

// afterHeader removes the comments of cgo and generate.sh from a source.
func afterHeader(source []byte) []byte { return source[bytes.Index(source, []byte("\ntype (")):] }
