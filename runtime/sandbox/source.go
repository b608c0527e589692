package sandbox

import (
	"fmt"
	"strings"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// Code is a source, compiled. Any number of states may run it.
type Code struct {
	name  string
	lines []string
	Proto *glua.FunctionProto
}

// Library is all code of one state: a script, and modules as they are required.
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

// NewLibrary makes one that has no code yet. Globals of some names are declarations: it
// knows where their fields are written. Without a function for that, none are.
func NewLibrary(declares func(name string) bool) *Library {
	if declares == nil {
		declares = func(string) bool { return false }
	}
	return &Library{sources: map[string]*Code{}, declares: declares, fields: map[string]Place{}}
}

// Compile reads a source. Nothing that it does can be undone by the source's own
// code, since there is no other way to get a function from a text.
func (l *Library) Compile(name, source string) (c *Code, err error) {
	c = &Code{name: name, lines: strings.Split(strings.TrimRight(source, "\n"), "\n")}
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
	r.stmts(chunk)
	if r.tooDeep > 0 {
		return l.Located(name, r.tooDeep, fmt.Sprintf("expressions or blocks are nested more than %d deep", MaxDepth), nil)
	}
	return nil
}

// LineOf is where a field is written: shape.schemes.x is in shape.schemes if not on
// a line of its own.
func (l *Library) LineOf(path string) *Place {
	for path != "" {
		if at, ok := l.fields[path]; ok {
			return &at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return nil
}
