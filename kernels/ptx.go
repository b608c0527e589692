package kernels

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// embedded has the files that tools/ptx.sh makes; nil if package ptx is not linked in.
var embedded fs.FS

// Embed gives the program the GPU kernels in a folder. Package ptx calls it.
func Embed(folder fs.FS) { embedded = folder }

// PTX is a GPU kernel as text, which the driver compiles for the GPU it runs on.
type PTX struct {
	Name string
	Arch int // the oldest GPU it runs on: 70 means sm_70
	from *ptxSource
}

// ptxSource is a file of PTX, which is unpacked and taken apart when a kernel of it is first needed.
type ptxSource struct {
	name  string
	file  func() (*ptxFile, error)
	ready func(gpu int) string
}

// Entry is a kernel in a module.
type Entry struct {
	Name  string
	Block int // threads per block
	Call  int // size of the arguments (blocks and count) passed by value; 0 if passed by address
}

// ptxNeeds says why the kernels of a file need a GPU at least that recent.
var ptxNeeds = map[int]string{
	70: "kernels need lanes that take different paths",
	90: "8+8 byte pairs need 128-bit atomics",
}

// Needs says why the kernel does not run on GPUs older than Arch.
func (p PTX) Needs() string { return ptxNeeds[p.Arch] }

// Module is PTX that the driver compiles in one piece.
type Module struct {
	File    string // the file that the kernels are from
	Kernels []Entry
	Text    string
	Ready   func(gpu int) string // the same compiled for GPUs of an architecture, 90 for sm_90; empty if it is not
}

// Modules returns PTX that contains only the listed kernels. A file has over a hundred, and the driver would
// take seconds to compile those that no table needs. Kernels of one file share a module.
func Modules(list []PTX) (modules []Module, _ error) {
	bySource := map[*ptxSource][]string{}
	for _, p := range list {
		bySource[p.from] = append(bySource[p.from], p.Name)
	}
	for source, names := range bySource {
		file, err := source.file()
		if err != nil {
			return nil, err
		}
		modules = append(modules, Module{File: source.name, Kernels: file.entries(names), Text: file.with(names), Ready: source.ready})
	}
	slices.SortFunc(modules, func(a, b Module) int { return strings.Compare(a.File, b.File) })
	return modules, nil
}

// ptxKernels indexes the folder the first time a GPU needs it; a program that runs on a CPU never does.
// tools/ptx.sh writes each file atomically, so an unreadable one means a broken build.
var ptxKernels = sync.OnceValue(func() map[string]PTX {
	if embedded == nil {
		return nil
	}
	index, err := indexPTX(embedded)
	if err != nil {
		panic(fmt.Sprintf("kernels: embedded PTX: %v; run tools/ptx.sh and build again", err))
	}
	return index
})

func indexPTX(folder fs.FS) (map[string]PTX, error) {
	paths, err := fs.Glob(folder, "*.ptx.gz")
	if err != nil {
		return nil, err
	}
	index := map[string]PTX{}
	for _, path := range paths {
		packed, err := fs.ReadFile(folder, path)
		if err != nil {
			return nil, err
		}
		list, err := listPTX(folder, path, packed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, kernel := range list {
			keepOldest(index, kernel)
		}
	}
	return index, nil
}

// keepOldest adds a kernel to the index unless the index has a version for older GPUs.
func keepOldest(index map[string]PTX, p PTX) {
	if known, ok := index[p.Name]; !ok || p.Arch < known.Arch {
		index[p.Name] = p
	}
}

var ptxArch = regexp.MustCompile(`\.sm_(\d+)\.ptx`)

// listPTX returns the kernels of a file by the list with which it begins: a gzip member of its own, so the rest
// need not be unpacked, which for all files takes longer than to start on a GPU.
func listPTX(folder fs.FS, path string, packed []byte) (list []PTX, _ error) {
	arch := ptxArch.FindStringSubmatch(path)
	text, err := unpacked(packed, true)
	if err != nil || arch == nil {
		return nil, cmp.Or(err, fmt.Errorf("a file of PTX ends in .sm_NN.ptx.gz"))
	}
	from := &ptxSource{name: strings.TrimSuffix(path, ".gz")}
	from.file = sync.OnceValues(func() (*ptxFile, error) { return unpackPTX(from.name, packed, strings.NewReplacer()) })
	from.ready = func(gpu int) string { return readCubin(folder, path, packed, gpu) }
	for line := range strings.Lines(string(text)) {
		kernel := PTX{Name: strings.TrimSpace(strings.TrimPrefix(line, "// ")), from: from}
		kernel.Arch, _ = strconv.Atoi(arch[1])
		list = append(list, kernel)
	}
	return list, err
}

// readCubin returns what tools/cubin.sh made of PTX for a GPU: code for sm_80 runs on sm_86, too.
func readCubin(folder fs.FS, path string, packed []byte, gpu int) string {
	digest := sha256.Sum256(packed)
	for least := gpu / 10 * 10; gpu >= least; gpu-- {
		name := fmt.Sprintf("%s.%x.sm_%d.cubin.gz", strings.TrimSuffix(path, ".ptx.gz"), digest[:8], gpu)
		if packed, err := fs.ReadFile(folder, name); err == nil {
			if code, err := unpacked(packed, false); err == nil {
				return string(code)
			}
		}
	}
	return ""
}

// ReadPTX returns the kernels in PTX that was compiled and packed like the program's, with
// their names replaced. The name of the file appears in errors from the driver.
func ReadPTX(name string, packed []byte, names *strings.Replacer) (list []PTX, _ error) {
	file, err := unpackPTX(name, packed, names)
	if err != nil {
		return nil, err
	}
	from := &ptxSource{name, func() (*ptxFile, error) { return file, nil }, func(int) string { return "" }}
	compiled := lists.Filter(file.items, func(item ptxItem) bool { return item.block > 0 })
	return lists.Map(compiled, func(item ptxItem) PTX { return PTX{item.name, file.arch, from} }), nil
}

func unpackPTX(name string, packed []byte, names *strings.Replacer) (file *ptxFile, _ error) {
	text, err := unpacked(packed, false)
	if err == nil {
		file, err = parsePTX(names.Replace(string(text)))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file, nil
}

// unpacked returns what was packed, or its first member.
func unpacked(packed []byte, first bool) ([]byte, error) {
	from, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if from.Multistream(!first); !first { // the last four bytes say how much the last member is, which comes after the list
		text.Grow(min(int(binary.LittleEndian.Uint32(packed[len(packed)-4:]))+1<<16, 1<<26))
	}
	_, err = text.ReadFrom(from)
	return text.Bytes(), err
}

// entries returns the named kernels.
func (f *ptxFile) entries(names []string) (list []Entry) {
	for _, name := range names {
		for _, i := range f.defined[name] {
			if item := f.items[i]; item.block > 0 {
				list = append(list, Entry{name, item.block, item.call})
			}
		}
	}
	return list
}

// with returns the file's header, the named kernels, and everything they refer to.
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

// ptxFile is PTX cut into items that can be left out.
type ptxFile struct {
	arch    int
	header  string // .version, .target, .address_size
	items   []ptxItem
	defined map[string][]int // item indices by name; a function may be declared before it is defined
}

// ptxItem is a declaration at module scope: a kernel, a function or a variable.
type ptxItem struct {
	name  string // empty for an item without a name, which is always kept
	block int    // threads per block; 0 if it is not a kernel
	call  int    // size of the argument struct, if passed by value
	text  string
}

var (
	ptxHeader   = regexp.MustCompile(`^\.(version|target|address_size|file)`) // every module needs these lines
	ptxTarget   = regexp.MustCompile(`(?m)^\s*\.target\s+sm_(\d+)`)
	ptxFunction = regexp.MustCompile(`\.(entry|func)\s*(?:\([^)]*\)\s*)?([\w$%]+)`)
	ptxVariable = regexp.MustCompile(`([A-Za-z_$%][\w$]*)\s*[\[=;]`)
	ptxBlock    = regexp.MustCompile(`\.(?:maxntid|reqntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?`)
	ptxCall     = regexp.MustCompile(`\.param\s+\.align\s+\d+\s+\.b8\s+[\w$]+_param_0\[(\d+)\]`)
	ptxEnd      = regexp.MustCompile(`[};]$`)
)

// parsePTX goes through the lines of PTX. A header directive is one line. Any other item ends
// with the line that closes what was opened and has a brace or a semicolon last.
func parsePTX(text string) (*ptxFile, error) {
	f := &ptxFile{defined: map[string][]int{}}
	start, at, open := 0, 0, 0 // of the item, of the next line, and how many brackets are open
	for line := range strings.Lines(text) {
		first := start == at
		at += len(line)
		if open > 0 && !strings.ContainsAny(line, "(){}") { // nearly all lines
			continue
		}
		code, _, _ := strings.Cut(line, "//")
		code, _, _ = strings.Cut(code, "/*") // which clang does not write
		code = strings.TrimSpace(code)
		if strings.ContainsAny(code, "(){}") {
			open += strings.Count(code, "{") + strings.Count(code, "(") - strings.Count(code, "}") - strings.Count(code, ")")
		}
		switch {
		case first && ptxHeader.MatchString(code):
			f.header += line
		case first && code == "":
		case open == 0 && ptxEnd.MatchString(code) && strings.Count(text[start:at], `"`)%2 == 0:
			if err := f.add(strings.TrimSpace(text[start:at])); err != nil {
				return nil, err
			}
		default:
			continue
		}
		start = at
	}
	target := ptxTarget.FindStringSubmatch(f.header)
	switch {
	case start < at:
		return nil, fmt.Errorf("PTX ends in the middle of %.40q", text[start:])
	case target == nil:
		return nil, fmt.Errorf("PTX without .target sm_NN")
	}
	var err error
	f.arch, err = strconv.Atoi(target[1])
	return f, err
}

// add records a declaration under its name.
func (f *ptxFile) add(text string) error {
	item := ptxItem{text: text}
	head, _, _ := strings.Cut(text, "{")
	if function := ptxFunction.FindStringSubmatch(head); function != nil {
		item.name = function[2]
		if function[1] == "entry" {
			if item.block = ptxBlockSize(head); item.block == 0 {
				return fmt.Errorf("kernel %s has no block size: .maxntid is missing", item.name)
			}
			if call := ptxCall.FindStringSubmatch(head); call != nil {
				item.call, _ = strconv.Atoi(call[1])
			}
		}
	} else if variable := ptxVariable.FindStringSubmatch(text); variable != nil {
		item.name = variable[1]
	}
	if item.name != "" {
		f.defined[item.name] = append(f.defined[item.name], len(f.items))
	}
	f.items = append(f.items, item)
	return nil
}

// references returns the names of functions and variables that an item mentions; nothing refers to a kernel.
func (f *ptxFile) references(item int) (list []string) {
	for name := range strings.FieldsFuncSeq(f.items[item].text, func(r rune) bool { return !inName(r) }) {
		if at, ok := f.defined[name]; ok && f.items[at[0]].block == 0 && name != f.items[item].name {
			list = append(list, name)
		}
	}
	return list
}

// inName reports whether names have such a character.
func inName(r rune) bool {
	return r == '_' || r == '$' || r == '%' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func ptxBlockSize(head string) int {
	dims := ptxBlock.FindStringSubmatch(head)
	if dims == nil {
		return 0
	}
	size := 1
	for _, dim := range dims[1:] {
		if n, err := strconv.Atoi(dim); err == nil {
			size *= n
		}
	}
	return size
}
