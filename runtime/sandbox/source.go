package sandbox

import (
	"fmt"
	"reflect"
	"strings"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Code is compiled source. Any number of states may run it.
type Code struct {
	lines []string
	Proto *glua.FunctionProto
}

// Library is all code of one state: a script and the modules it requires.
type Library struct {
	sources  map[string]*Code
	declares func(name string) bool
	fields   map[string]Place // where the fields of declarations are written
}

// Place is a line of a file.
type Place struct {
	File string
	Line int
}

// NewLibrary returns an empty library. It records where the fields of declarations are
// written: globals for which declares returns true. Declares may be nil.
func NewLibrary(declares func(name string) bool) *Library {
	if declares == nil {
		declares = func(string) bool { return false }
	}
	return &Library{sources: map[string]*Code{}, declares: declares, fields: map[string]Place{}}
}

// Compile compiles a source. It is the only way to make a function from text, so all code
// passes its checks.
func (l *Library) Compile(name, source string) (c *Code, err error) {
	c = &Code{lines: strings.Split(strings.TrimRight(source, "\n"), "\n")}
	l.sources[name] = c
	if len(source) > MaxSource {
		return nil, l.Located(name, 0, fmt.Sprintf("the file has %d bytes, at most %d", len(source), MaxSource), nil)
	}
	defer func() {
		if r := recover(); r != nil {
			err = l.Located(name, 0, fmt.Sprintf("the file cannot be compiled: %v", r), nil)
		}
	}()
	chunk, err := parse.Parse(strings.NewReader(source), name)
	if err != nil {
		return nil, l.invalid(name, err)
	}
	if err := l.rewrite(name, chunk); err != nil {
		return nil, err
	}
	if c.Proto, err = glua.Compile(chunk, name); err != nil {
		return nil, l.invalid(name, err)
	}
	return c, nil
}

func (l *Library) rewrite(name string, chunk []ast.Stmt) error {
	r := &rewriter{declares: l.declares, note: func(path string, line int) { l.fields[path] = Place{name, line} }}
	r.walk(reflect.ValueOf(chunk))
	if r.tooDeep > 0 {
		return l.Located(name, r.tooDeep, fmt.Sprintf("expressions or blocks are nested more than %d deep", MaxDepth), nil)
	}
	return nil
}

// LineOf returns where a field is written, or else the nearest field around it; nil if
// neither is known.
func (l *Library) LineOf(path string) *Place {
	for path != "" {
		if at, ok := l.fields[path]; ok {
			return &at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return nil
}
