//go:build cuda

package cuda

import (
	"debug/elf"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// The program is not linked to libcuda, or it would not start without a driver.
func TestTheProgramNeedsNoDriver(t *testing.T) {
	program := must.Get(elf.Open("/proc/self/exe"))(t)
	libraries := must.Get(program.ImportedLibraries())(t)
	for _, library := range libraries {
		must.Hold(t, !strings.Contains(library, "cuda"), "the program is linked to %s", library)
	}
}

// symbols.h lists exactly the functions that gorgonia.org/cu imports.
func TestSymbolsAreThoseThatTheLibraryCalls(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs go, to compile the library")
	}
	text, err := os.ReadFile("symbols.h")
	if err != nil {
		t.Skip("needs the sources: ", err)
	}
	var listed []string
	for _, match := range regexp.MustCompile(`\bX\((cu\w+)\)`).FindAllStringSubmatch(string(text), -1) {
		listed = append(listed, match[1])
	}
	archive, err := bounded.Command(t, "go", "list", "-export", "-f", "{{.Export}}", "gorgonia.org/cu").Output()
	must.Need(t, err == nil, "go list -export gorgonia.org/cu: %v", err)
	imported := undefined(t, strings.TrimSpace(string(archive)))
	for _, name := range imported {
		must.Hold(t, slices.Contains(listed, name), "gorgonia.org/cu calls %s, which symbols.h does not list", name)
	}
	for _, name := range listed {
		must.Hold(t, slices.Contains(imported, name), "symbols.h lists %s, which gorgonia.org/cu does not call", name)
	}
}

// undefined returns the cu functions that C objects in an archive call but do not define.
func undefined(t *testing.T, archive string) []string {
	t.Helper()
	f := must.Get(os.Open(archive))(t)
	defer f.Close()
	called, defined := map[string]bool{}, map[string]bool{}
	for _, member := range members(t, f) {
		object, err := elf.NewFile(member)
		if err != nil {
			continue // Go's own object files are no ELF files
		}
		symbols := must.Get(object.Symbols())(t)
		for _, s := range symbols {
			if !regexp.MustCompile(`^cu[A-Z]`).MatchString(s.Name) {
				continue
			}
			called[s.Name] = true
			defined[s.Name] = defined[s.Name] || s.Section != elf.SHN_UNDEF
		}
	}
	var list []string
	for name := range called {
		if !defined[name] {
			list = append(list, name)
		}
	}
	must.Need(t, len(list) != 0, "%s: no calls of the driver found", archive)
	return list
}

// members splits a Unix archive: 8 bytes, then per member a header of 60 bytes with the
// size in bytes 48 to 58, and the content at an even offset.
func members(t *testing.T, f *os.File) []*io.SectionReader {
	t.Helper()
	var list []*io.SectionReader
	header := make([]byte, 60)
	for at := int64(8); ; {
		_, err := f.ReadAt(header, at)
		if err == io.EOF {
			return list
		}
		must.OK(t, err)
		size := must.Get(strconv.ParseInt(strings.TrimSpace(string(header[48:58])), 10, 64))(t)
		list = append(list, io.NewSectionReader(f, at+60, size))
		at += 60 + size + size%2
	}
}
