package kernels

import (
	"bytes"
	"compress/gzip"
	"embed"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
)

// tools/ptx.sh fills the folder. Without clang there is only its README, and
// this build knows no kernel for GPUs.
//
//go:embed all:ptx
var ptxFolder embed.FS

// PTX is a kernel for GPUs, as text that the driver compiles for the GPU at hand.
type PTX struct {
	Name  string
	Arch  int // the oldest GPU that it runs on: 70 is sm_70
	Block int // threads in a block
	Call  int // bytes of the blocks and the count that it is called with by value; 0 if by address
	file  *ptxFile
}

// ptxNeeds says what in the kernels of a file asks for a GPU that recent.
var ptxNeeds = map[int]string{
	70: "kernels need lanes that take different paths",
	90: "8+8 byte pairs need 128-bit atomics",
}

// Needs says why the kernel does not run on GPUs older than Arch.
func (p PTX) Needs() string { return ptxNeeds[p.Arch] }

// Module is PTX that the driver compiles at once.
type Module struct {
	File    string // which the kernels are from
	Kernels []PTX
	Text    string
}

// Modules returns PTX of those kernels and no others: a file has over a hundred,
// and the driver would take seconds to compile what no table asked for. Kernels
// of one file share a module.
func Modules(list []PTX) []Module {
	byFile := map[*ptxFile][]PTX{}
	var files []*ptxFile
	for _, p := range list {
		if byFile[p.file] == nil {
			files = append(files, p.file)
		}
		byFile[p.file] = append(byFile[p.file], p)
	}
	modules := make([]Module, len(files))
	for i, file := range files {
		var names []string
		for _, p := range byFile[file] {
			names = append(names, p.Name)
		}
		modules[i] = Module{File: file.name, Kernels: byFile[file], Text: file.with(names)}
	}
	return modules
}

// ptxKernels unpacks and indexes the folder when the first GPU asks for it; a
// program that runs on a CPU never does. What is embedded was written by
// tools/ptx.sh in one piece, so an unreadable file is a broken build.
var ptxKernels = sync.OnceValue(func() map[string]PTX {
	index, err := indexPTX(ptxFolder)
	if err != nil {
		panic(fmt.Sprintf("kernels: embedded PTX: %v; run tools/ptx.sh and build again", err))
	}
	return index
})

func indexPTX(folder embed.FS) (map[string]PTX, error) {
	paths, err := folder.ReadDir("ptx")
	if err != nil {
		return nil, err
	}
	index := map[string]PTX{}
	for _, p := range paths {
		if !strings.HasSuffix(p.Name(), ".ptx.gz") {
			continue
		}
		file, err := readPTX(folder, p.Name())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.Name(), err)
		}
		for _, kernel := range file.kernels() {
			keepOldest(index, kernel)
		}
	}
	return index, nil
}

// keepOldest files a kernel, unless there is one that runs on older GPUs.
func keepOldest(index map[string]PTX, p PTX) {
	if known, ok := index[p.Name]; !ok || p.Arch < known.Arch {
		index[p.Name] = p
	}
}

func readPTX(folder embed.FS, name string) (*ptxFile, error) {
	packed, err := folder.ReadFile(path.Join("ptx", name))
	if err != nil {
		return nil, err
	}
	return unpackPTX(name, packed)
}

// ReadPTX returns the kernels in PTX that was compiled and packed as those of the
// program were. Its name is for errors of the driver.
func ReadPTX(name string, packed []byte) ([]PTX, error) {
	file, err := unpackPTX(name, packed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file.kernels(), nil
}

func unpackPTX(name string, packed []byte) (*ptxFile, error) {
	unpacker, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(unpacker)
	if err != nil {
		return nil, err
	}
	return parsePTX(strings.TrimSuffix(name, ".gz"), string(text))
}

func (f *ptxFile) kernels() []PTX {
	var list []PTX
	for _, item := range f.items {
		if item.block > 0 {
			list = append(list, PTX{Name: item.name, Arch: f.arch, Block: item.block, Call: item.call, file: f})
		}
	}
	return list
}

// with returns the file's header, the named kernels, and what they refer to.
func (f *ptxFile) with(names []string) string {
	keep := make([]bool, len(f.items))
	for todo := slices.Clone(names); len(todo) > 0; {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range f.defined[name] {
			if !keep[i] {
				keep[i] = true
				todo = append(todo, f.references(i)...)
			}
		}
	}
	var text strings.Builder
	text.WriteString(f.header)
	for i, item := range f.items {
		if keep[i] || item.name == "" {
			text.WriteString(item.text)
			text.WriteString("\n")
		}
	}
	return text.String()
}
