package export

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/schemes"
)

// Exported headers of all schemes share a program, in both orders. The small tier compiles one of them and does not run it.
func TestTogether(t *testing.T) {
	needs(t, cxx)
	include, tables := []string{}, ""
	dir := t.TempDir()
	for _, name := range schemes.Names() {
		folder, done := exported(t, name, "cuda")
		include = append(include, fmt.Sprintf("#include \"%s/%s.h\"\n", folder, name))
		tables += fmt.Sprintf("  wrong += fails<hashzoo::%s<uint32_t, uint32_t>>();\n", done.Class)
	}
	forth, back := strings.Join(include, ""), ""
	for _, line := range include {
		back = line + back
	}
	const fails = `template <class Table>
int fails() {
  Table table(100, 0.5);
  const uint32_t keys[2] = {7, 9}, values[2] = {70, 90};
  uint32_t answers[2] = {};
  table.insert(keys, values, 2);
  table.find(keys, answers, 2);
  return answers[0] != 70 || answers[1] != 90;
}
`
	write(t, dir, "forth.cc", forth+fails+"int back();\nint main() {\n  int wrong = back();\n"+tables+"  return wrong;\n}\n")
	write(t, dir, "back.cc", back+"int back() { return sizeof(hashzoo::Counts) == 0; }\n")
	if testing.Short() {
		run(t, dir, nil, "", cxx, "-std=c++20", "-march="+march(), "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "forth.cc")
		return
	}
	run(t, dir, nil, "", cxx, "-std=c++20", "-O0", "-march="+march(), "-Wall", "-Wextra", "-Werror", "-Dalways_inline=unused",
		"forth.cc", "back.cc", "-o", "together", "-pthread")
	run(t, dir, nil, "", filepath.Join(dir, "together"))
}

// Two exports of a scheme with other parameters are refused, not taken for one.
func TestOtherParametersTogether(t *testing.T) {
	dir := t.TempDir()
	one, _ := exported(t, "bcht", "cuda")
	other, _ := exported(t, "bcht:bucket=16", "cuda")
	write(t, dir, "two.cc", fmt.Sprintf("#include \"%s/bcht.h\"\n#include \"%s/bcht.h\"\n", one, other))
	run(t, dir, nil, "two exports of bcht have other parameters", "sh", "-c", "! g++ -std=c++20 -march="+march()+" -fsyntax-only two.cc")
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	must.OK(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
}
