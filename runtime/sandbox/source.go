package sandbox

import (
	"fmt"
	"reflect"
	"strings"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
)

// place is a line of a file.
type place struct {
	file string
	line int
}

// Do compiles a source and calls it within the limits.
func (box *Box) Do(name, source string, results int, arguments ...glua.LValue) error {
	fn, err := box.Compile(name, source)
	if err != nil {
		return err
	}
	return box.Call(fn, results, arguments...)
}

// Compile compiles a source. It is the only way to make a function from text, so all code passes its checks.
func (box *Box) Compile(name, source string) (fn *glua.LFunction, err error) {
	box.sources[name] = strings.Split(strings.TrimRight(source, "\n"), "\n")
	if len(source) > MaxSource {
		return nil, box.Located(name, 0, fmt.Sprintf("the file has %d bytes, at most %d", len(source), MaxSource), nil)
	}
	defer func() {
		if r := recover(); r != nil {
			err = box.Located(name, 0, fmt.Sprintf("the file cannot be compiled: %v", r), nil)
		}
	}()
	chunk, err := parse.Parse(strings.NewReader(source), name)
	if err != nil {
		return nil, box.invalid(name, err)
	}
	r := &rewriter{Box: box, file: name}
	if r.walk(reflect.ValueOf(chunk)); r.tooDeep > 0 {
		return nil, box.Located(name, r.tooDeep, fmt.Sprintf("expressions or blocks are nested more than %d deep", MaxDepth), nil)
	}
	proto, err := glua.Compile(chunk, name)
	if err != nil {
		return nil, box.invalid(name, err)
	}
	return box.L.NewFunctionFromProto(proto), nil
}

// LineOf returns where a field is written, or else the nearest field around it, or else the first line.
func (box *Box) LineOf(path string) (file string, line int) {
	for path != "" {
		if at, ok := box.places[path]; ok {
			return at.file, at.line
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return box.options.File, 1
}

// MaxDepth bounds the depth of a syntax tree, because the compiler is recursive.
const MaxDepth = 4000

const (
	// concatName is the function that replaces the operator "..". No script can write such a name.
	concatName = ".."

	maxOperands = 50 // of one concatenation; each needs a register
)

// rewriter replaces concatenations by calls, because one instruction of the interpreter can join 200 strings. It also
// records the lines of variables and their fields, for errors.
type rewriter struct {
	*Box
	file    string
	depth   int
	tooDeep int // the line where the tree is too deep, or 0
}

// walk visits all statements and expressions below a value of package ast.
func (r *rewriter) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface:
		if !v.IsNil() {
			r.node(v)
		}
	case reflect.Pointer:
		if !v.IsNil() {
			r.walk(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			r.walk(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				r.walk(v.Field(i))
			}
		}
	}
}

// node visits a statement or an expression and may replace it.
func (r *rewriter) node(v reflect.Value) {
	node := v.Interface().(ast.PositionHolder)
	r.depth++
	defer func() { r.depth-- }()
	if r.depth > MaxDepth && r.tooDeep == 0 {
		r.tooDeep = max(node.Line(), 1)
	}
	if r.tooDeep > 0 {
		return
	}
	switch node := node.(type) {
	case *ast.StringConcatOpExpr:
		v.Set(reflect.ValueOf(r.concat(node)))
		return
	case *ast.AssignStmt:
		for i, value := range node.Rhs[:min(len(node.Lhs), len(node.Rhs))] {
			r.variable(node.Lhs[i], value)
		}
	case *ast.FuncDefStmt:
		r.variable(node.Name.Func, node.Func)
	}
	r.walk(v.Elem())
}

// concat makes a call of a chain a .. b .. c, which is a .. (b .. c).
func (r *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	call := &ast.FuncCallExpr{Func: &ast.IdentExpr{Value: concatName}, AdjustRet: true}
	for _, made := range []ast.Expr{call, call.Func} {
		made.SetLine(e.Line())
		made.SetLastLine(e.LastLine())
	}
	rest := ast.Expr(e)
	for len(call.Args) < maxOperands {
		chain, ok := rest.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		call.Args, rest = append(call.Args, chain.Lhs), chain.Rhs
	}
	call.Args = append(call.Args, rest, &ast.NilExpr{}) // only a last argument can be more than one value
	r.walk(reflect.ValueOf(call.Args))
	return call
}

// variable records the lines of a variable and of the fields of a table in it: options, options.n, stages[2].rate.
func (r *rewriter) variable(left, value ast.Expr) {
	if name, ok := left.(*ast.IdentExpr); ok {
		r.fieldLines(name.Value, left.Line(), value, 0)
	}
}

func (r *rewriter) fieldLines(path string, line int, value ast.Expr, depth int) {
	r.places[path] = place{r.file, line}
	table, ok := value.(*ast.TableExpr)
	if !ok || depth > 3 {
		return
	}
	items := 0
	for _, f := range table.Fields {
		at := ""
		switch key := f.Key.(type) {
		case nil:
			items++
			at = fmt.Sprintf("%s[%d]", path, items)
		case *ast.StringExpr:
			at = path + "." + key.Value
		default:
			continue
		}
		r.fieldLines(at, f.Value.Line(), f.Value, depth+1)
	}
}
