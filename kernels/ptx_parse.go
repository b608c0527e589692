package kernels

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

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
