package kernels

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ptxFile is PTX cut into items that can be left out. The parser only recognizes where a
// declaration ends.
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
	ptxTarget     = regexp.MustCompile(`(?m)^\s*\.target\s+sm_(\d+)`)
	ptxFunction   = regexp.MustCompile(`\.(entry|func)\s*(?:\([^)]*\)\s*)?([\w$%]+)`)
	ptxVariable   = regexp.MustCompile(`([A-Za-z_$%][\w$]*)\s*[\[=;]`)
	ptxBlock      = regexp.MustCompile(`\.(?:maxntid|reqntid)\s+(\d+)(?:\s*,\s*(\d+))?(?:\s*,\s*(\d+))?`)
	ptxCall       = regexp.MustCompile(`\.param\s+\.align\s+\d+\s+\.b8\s+[\w$]+_param_0\[(\d+)\]`)
	ptxIdentifier = regexp.MustCompile(`[A-Za-z_$%][\w$]*`)
)

func parsePTX(name, text string) (*ptxFile, error) {
	f := &ptxFile{name: name, defined: map[string][]int{}}
	var header strings.Builder
	for at := skipPTXSpace(text, 0); at < len(text); at = skipPTXSpace(text, at) {
		end := ptxItemEnd(text, at)
		if end < 0 {
			return nil, fmt.Errorf("PTX ends in the middle of %.40q", text[at:])
		}
		if isPTXHeader(text[at:end]) {
			header.WriteString(text[at:end])
		} else if err := f.add(text[at:end]); err != nil {
			return nil, err
		}
		at = end
	}
	f.header = header.String()
	target := ptxTarget.FindStringSubmatch(f.header)
	if target == nil {
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

// isPTXHeader reports whether the text is a directive that ends with its line and that
// every module needs.
func isPTXHeader(text string) bool {
	for _, directive := range []string{".version", ".target", ".address_size", ".file"} {
		if strings.HasPrefix(text, directive) {
			return true
		}
	}
	return false
}

// skipPTXSpace returns the position of the next character that is neither space nor in a
// comment.
func skipPTXSpace(text string, at int) int {
	for at < len(text) {
		switch {
		case strings.ContainsRune(" \t\r\n", rune(text[at])):
			at++
		case strings.HasPrefix(text[at:], "//"), strings.HasPrefix(text[at:], "/*"):
			at = skipPTXComment(text, at)
		default:
			return at
		}
	}
	return at
}

func skipPTXComment(text string, at int) int {
	if text[at+1] == '*' {
		return after(text, at, "*/")
	}
	return after(text, at, "\n")
}

// after returns the position after the next occurrence of `end`, or the end of the text.
func after(text string, at int, end string) int {
	if n := strings.Index(text[at:], end); n >= 0 {
		return at + n + len(end)
	}
	return len(text)
}

// ptxItemEnd returns where the declaration at `at` ends: a header directive at the end of
// its line, a function at its closing brace, anything else at a semicolon. It returns -1
// if the text ends first.
func ptxItemEnd(text string, at int) int {
	if isPTXHeader(text[at:]) {
		return after(text, at, "\n")
	}
	depth, value := 0, false
	for ; at < len(text); at++ {
		switch c := text[at]; c {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
			if c == '}' && depth == 0 && !value {
				return at + 1
			}
		case '=':
			value = value || depth == 0 // the following braces enclose a variable's value
		case ';':
			if depth == 0 {
				return at + 1
			}
		case '"':
			if at = closingQuote(text, at); at < 0 {
				return -1
			}
		case '/':
			if strings.HasPrefix(text[at:], "//") || strings.HasPrefix(text[at:], "/*") {
				at = skipPTXComment(text, at) - 1
			}
		}
	}
	return -1
}

func closingQuote(text string, at int) int {
	n := strings.IndexByte(text[at+1:], '"')
	if n < 0 {
		return -1
	}
	return at + 1 + n
}
