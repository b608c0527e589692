package kernels

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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

// cgo's flags are in a comment of library.go and must equal those of flags.txt. Only
// -Werror is specific to this repository.
func TestHostFlagsMatchPluginFlags(t *testing.T) {
	source := must.Get(os.ReadFile("library.go"))(t)
	for name, tag := range map[string]string{"host": "", "amd64": "amd64 ", "arm64": "arm64 "} {
		found := regexp.MustCompile("(?m)^#cgo " + tag + "CXXFLAGS: (.*)$").FindSubmatch(source)
		must.Need(t, found != nil, "library.go has no flags for %q", tag)
		cgo := slices.DeleteFunc(strings.Fields(string(found[1])), func(flag string) bool { return flag == "-Werror" })
		have := Flags(name)
		must.Hold(t, slices.Equal(have, cgo), "flags.txt has %v for %s, library.go %v", have, name, cgo)
	}
	must.Hold(t, Flags("nothing") == nil, "Flags returned words for an unknown name")
}

// Every word in the columns of HZ_OPS is one that Go knows.
func TestOperationsAreSpelledRight(t *testing.T) {
	for i, op := range Operations {
		must.Hold(t, OpNumber(op.Name) == i && Ops[i] == op.Name && op.Help != "", "operation %d: %+v", i, op)
		for _, outcome := range op.Outcomes {
			must.Hold(t, slices.Contains(Outcomes, outcome), "%s: %q is no outcome", op.Name, outcome)
		}
		known := slices.Contains([]Kind{OnKeys, OnSlots, OnTable, Mixed, Family}, op.Kind) &&
			slices.Contains([]Answer{NoAnswer, OneValue, Number, Values, Rows}, op.Answer) &&
			slices.Contains([]Removal{RemovesNone, RemovesOne, RemovesAnswered}, op.Removes) &&
			slices.Contains([]Change{Keeps, Gives, Sums, Lowers, Raises}, op.Becomes) &&
			slices.Contains([]Order{AnyOrder, LastStays, OrderMatters}, op.Order)
		must.Hold(t, known && (op.Removes != RemovesAnswered || op.Counts()), "%s: a column that means nothing: %+v", op.Name, op)
	}
	if op := Op("upsert"); !op.Value || !op.Adds || op.Blind() || op.Looks() || !op.OnePair() || !op.May("replaced") {
		t.Errorf("upsert: %+v", op)
	}
	if op := Op("tally"); op.Value || !op.Adds || op.Blind() || op.Looks() || !op.Combines() || op.Kernel() != "combine" {
		t.Errorf("tally: %+v", op)
	}
	for kernel, combines := range map[string]bool{
		"hz_linear_b8_k4v4_combine": true, "hz_stash_k4v64_combine_counted": true, "hz_linear_b8_k4v4_insert": false, "hz_combine_fill": false,
		Ahead("hz_linear_b8_k4v4_combine"): true,
	} {
		must.Hold(t, Combining(kernel) == combines, "%s: Combining is %v", kernel, !combines)
	}
	must.Hold(t, OpNumber("guess") == -1 && Op("guess").Name == "", "guess is an operation")
}
