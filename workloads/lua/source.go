package lua

import (
	"fmt"
	"io/fs"
	"strings"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// code is a script or module, compiled. Any number of states may run it.
type code struct {
	name  string
	lines []string
	proto *glua.FunctionProto
}

// library is all code of one script: the script itself, and modules as they are
// required. It belongs to one state.
type library struct {
	dir     fs.FS
	sources map[string]*code
	fields  map[string]place // where the fields of declarations are written
}

type place struct {
	file string
	line int
}

func newLibrary(dir fs.FS) *library {
	return &library{dir: dir, sources: map[string]*code{}, fields: map[string]place{}}
}

// compile reads a source. Nothing that it does can be undone by the source's own
// code, since there is no other way to get a function from a text.
func (l *library) compile(name, source string) (c *code, err error) {
	c = &code{name: name, lines: strings.Split(strings.TrimRight(source, "\n"), "\n")}
	l.sources[name] = c
	if len(source) > maxSource {
		return nil, l.located(name, 0, fmt.Sprintf("the file has %d bytes, at most %d", len(source), maxSource), nil)
	}
	defer func() {
		if r := recover(); r != nil {
			err = l.located(name, 0, fmt.Sprintf("the file cannot be compiled: %v", r), nil)
		}
	}()
	chunk, err := parse.Parse(strings.NewReader(source), name)
	if err != nil {
		return nil, l.invalid(name, err)
	}
	if err := l.rewrite(name, chunk); err != nil {
		return nil, err
	}
	if c.proto, err = glua.Compile(chunk, name); err != nil {
		return nil, l.invalid(name, err)
	}
	return c, nil
}

func (l *library) rewrite(name string, chunk []ast.Stmt) error {
	r := &rewriter{note: func(path string, line int) { l.fields[path] = place{name, line} }}
	r.stmts(chunk)
	if r.tooDeep > 0 {
		return l.located(name, r.tooDeep, fmt.Sprintf("expressions or blocks are nested more than %d deep", maxDepth), nil)
	}
	return nil
}

// lineOf is where a field is written: shape.schemes.x is in shape.schemes if not on
// a line of its own.
func (l *library) lineOf(path string) *place {
	for path != "" {
		if at, ok := l.fields[path]; ok {
			return &at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return nil
}

// title is the first line of a script if that is a comment.
func title(source string) string {
	line, _, _ := strings.Cut(source, "\n")
	text, ok := strings.CutPrefix(strings.TrimSpace(line), "--")
	if !ok || strings.HasPrefix(text, "[[") {
		return ""
	}
	return oneLine(strings.TrimSpace(text))
}
