package kernels

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// embedded has the files that tools/ptx.sh makes; nil if package ptx is not linked in.
var embedded fs.FS

// Embed gives the program the GPU kernels in a folder. Package ptx calls it.
func Embed(folder fs.FS) { embedded = folder }

// PTX is a GPU kernel as text, which the driver compiles for the GPU it runs on.
type PTX struct {
	Name  string
	Arch  int // the oldest GPU it runs on: 70 means sm_70
	Block int // threads per block
	Call  int // size of the arguments (blocks and count) passed by value; 0 if passed by address
	file  *ptxFile
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
	Kernels []PTX
	Text    string
}

// Modules returns PTX that contains only the listed kernels. A file has over a hundred, and the driver would
// take seconds to compile those that no table needs. Kernels of one file share a module.
func Modules(list []PTX) []Module {
	byFile := map[*ptxFile][]PTX{}
	for _, p := range list {
		byFile[p.file] = append(byFile[p.file], p)
	}
	var modules []Module
	for file, kernels := range byFile {
		names := lists.Map(kernels, func(p PTX) string { return p.Name })
		modules = append(modules, Module{File: file.name, Kernels: kernels, Text: file.with(names)})
	}
	slices.SortFunc(modules, func(a, b Module) int { return strings.Compare(a.File, b.File) })
	return modules
}

// ptxKernels unpacks and indexes the folder the first time a GPU needs it; a program that runs on a CPU never
// does. tools/ptx.sh writes each file atomically, so an unreadable one means a broken build.
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
		list, err := ReadPTX(path, packed, strings.NewReplacer())
		if err != nil {
			return nil, err
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

// ReadPTX returns the kernels in PTX that was compiled and packed like the program's, with
// their names replaced. The name of the file appears in errors from the driver.
func ReadPTX(name string, packed []byte, names *strings.Replacer) ([]PTX, error) {
	var text []byte
	unpacker, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		text, err = io.ReadAll(unpacker)
	}
	var file *ptxFile
	if err == nil {
		file, err = parsePTX(strings.TrimSuffix(name, ".gz"), names.Replace(string(text)))
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return file.kernels(), nil
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
	name    string
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
	ptxHeader     = regexp.MustCompile(`^\.(version|target|address_size|file)`) // every module needs these lines
	ptxTarget     = regexp.MustCompile(`(?m)^\s*\.target\s+sm_(\d+)`)
	ptxFunction   = regexp.MustCompile(`\.(entry|func)\s*(?:\([^)]*\)\s*)?([\w$%]+)`)
	ptxVariable   = regexp.MustCompile(`([A-Za-z_$%][\w$]*)\s*[\[=;]`)
	ptxBlock      = regexp.MustCompile(`\.(?:maxntid|reqntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?`)
	ptxCall       = regexp.MustCompile(`\.param\s+\.align\s+\d+\s+\.b8\s+[\w$]+_param_0\[(\d+)\]`)
	ptxIdentifier = regexp.MustCompile(`[A-Za-z_$%][\w$]*`)
)

// parsePTX goes through the lines of PTX. A header directive is one line. Any other item ends
// with the line that closes what was opened and has a brace or a semicolon last.
func parsePTX(name, text string) (*ptxFile, error) {
	f := &ptxFile{name: name, defined: map[string][]int{}}
	start, at, open := 0, 0, 0 // of the item, of the next line, and how many brackets are open
	for line := range strings.Lines(text) {
		first := start == at
		at += len(line)
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
		case open == 0 && endsPTXItem(text[start:at], code):
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

func endsPTXItem(item, last string) bool {
	return (strings.HasSuffix(last, "}") || strings.HasSuffix(last, ";")) && strings.Count(item, `"`)%2 == 0
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

// references returns the names that an item mentions and the file declares.
func (f *ptxFile) references(item int) []string {
	var list []string
	for _, name := range ptxIdentifier.FindAllString(f.items[item].text, -1) {
		if f.defined[name] != nil && name != f.items[item].name {
			list = append(list, name)
		}
	}
	return list
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
