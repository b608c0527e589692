package sandbox

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
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

// Error is an error in Lua code, or an error that occurred while one of its lines ran.
type Error struct {
	File string
	Line int    // 0 if the error belongs to no line
	Text string // the message
	Code string // the text of the line
	Err  error  // the error of a Go function behind it, or nil
}

// Error returns one line: file, line, message and the text of the line.
func (e *Error) Error() string {
	return lists.Either(e.Code == "", e.Place()+": "+e.Text, e.Place()+": "+e.Text+" | "+e.Code)
}

// Place returns file:line.
func (e *Error) Place() string {
	return lists.Either(e.Line == 0, e.File, e.File+":"+strconv.Itoa(e.Line))
}

func (e *Error) Unwrap() error { return e.Err }

// MaxText bounds the characters of a message, since code can raise errors of any length.
const MaxText = 2000

const maxShown = 100 // characters of a code line in an error

// Located returns an error at a line, or about the whole file if the line does not exist.
func (box *Box) Located(file string, line int, text string, cause error) *Error {
	text = nearest.Shorten(OneLine(strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")), MaxText)
	e := &Error{File: file, Text: text, Err: cause}
	if code := box.sources[file]; line > 0 && line <= len(code) {
		e.Line, e.Code = line, nearest.Shorten(OneLine(strings.TrimSpace(code[line-1])), maxShown)
	}
	return e
}

// OneLine replaces control characters, because untrusted code must not control a terminal.
func OneLine(text string) string {
	return strings.Map(func(r rune) rune { return lists.Either(unicode.IsControl(r) && r != '\t', '?', r) }, text)
}

// failed converts an error of the interpreter. Its place is in the message or, for error values, in the stack trace.
func (box *Box) failed(err, cause error) *Error {
	text, trace := err.Error(), ""
	if api, ok := errors.AsType[*glua.ApiError](err); ok {
		text, trace = "error with "+Describe(api.Object)+" instead of a message", api.StackTrace
		if said, ok := api.Object.(glua.LString); ok {
			text = string(said)
		}
	}
	if at, line, rest, ok := box.place(text); ok {
		return box.Located(at, line, rest, cause)
	}
	for entry := range strings.Lines(trace) {
		if at, line, _, ok := box.place(strings.TrimSpace(entry)); ok {
			return box.Located(at, line, text, cause)
		}
	}
	return box.Located(box.options.File, 0, text, cause)
}

// place splits "a.lua:3: message".
func (box *Box) place(text string) (file string, line int, rest string, ok bool) {
	for name := range box.sources {
		after, found := strings.CutPrefix(text, name+":")
		digits, rest, colon := strings.Cut(after, ":")
		if line, err := strconv.Atoi(digits); found && colon && err == nil {
			return name, line, strings.TrimSpace(rest), true
		}
	}
	return "", 0, "", false
}

// invalid converts an error of the parser or the compiler.
func (box *Box) invalid(file string, err error) *Error {
	last := len(box.sources[file])
	if syntax, ok := errors.AsType[*parse.Error](err); ok {
		line, text := syntax.Pos.Line, fmt.Sprintf("%s near %q", strings.ToLower(syntax.Message[:1])+syntax.Message[1:], nearest.Shorten(syntax.Token, 40))
		switch {
		case line != parse.EOF && box.newer(file, line, syntax.Token) != "":
			text = box.newer(file, line, syntax.Token)
		case line == parse.EOF:
			line = last
			if syntax.Message == "syntax error" {
				text = "the file ends too early; hint: check for a missing end or bracket"
			}
		case syntax.Message == "unterminated string":
			line-- // the parser is already on the next line
		}
		return box.Located(file, min(line, last), text, nil)
	}
	line, text := 0, err.Error()
	if compile, ok := errors.AsType[*glua.CompileError](err); ok {
		line, text = compile.Line, compile.Message
		if m := atLine.FindStringSubmatch(text); m != nil {
			line, _ = strconv.Atoi(m[2])
			text = m[1]
		}
	}
	return box.Located(file, line, text, nil)
}

// newer explains an operator of a newer version of Lua at which the parser stopped. It returns nothing for other tokens.
func (box *Box) newer(file string, line int, token string) string {
	code := box.sources[file]
	for _, o := range later {
		if line <= len(code) && token == o.token && strings.Contains(code[line-1], o.operator) {
			return fmt.Sprintf("there is no operator %s in this Lua (5.1); hint: %s", o.operator, o.hint)
		}
	}
	return ""
}

// atLine finds the line of a goto without its label, which only the message contains.
var atLine = regexp.MustCompile(`^(.*) at line (\d+)$`)

// Function is a Go function for Lua. Its errors are raised at the calling Lua line.
type Function = func(L *glua.LState) (int, error)

// Return returns values to Lua.
func Return(L *glua.LState, values ...glua.LValue) (int, error) {
	for _, v := range values {
		L.Push(v)
	}
	return len(values), nil
}

// raised is an error on its way to Lua.
type raised struct{ error }

// Check returns a value, or raises the error in Lua. Only functions that Lua or Try calls may use it.
func Check[T any](v T, err error) T {
	Raise(err)
	return v
}

// Raise raises an error in Lua, if there is one.
func Raise(err error) {
	if err != nil {
		panic(raised{err})
	}
}

// Function makes a Lua function of a Go function.
func (box *Box) Function(f Function) *glua.LFunction { return box.Called("", f) }

// Called makes a Lua function whose errors start with its name.
func (box *Box) Called(name string, f Function) *glua.LFunction {
	return box.L.NewFunction(box.raising(name, f))
}

// Try calls what may raise errors, outside of Lua, and returns the error.
func Try(do func()) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case raised:
			err = r.error
		default:
			panic(r)
		}
	}()
	do()
	return nil
}

func (box *Box) raising(name string, f Function) glua.LGFunction {
	return func(L *glua.LState) (n int) {
		var failed error
		err := cmp.Or(Try(func() { n, failed = f(L) }), failed)
		if err == nil {
			return n
		}
		if name != "" && !strings.HasPrefix(err.Error(), name) {
			err = fmt.Errorf("%s: %w", name, err)
		}
		box.raised = err
		L.RaiseError("%s", err.Error())
		return n
	}
}

// wanted are the first arguments of a module's functions, for errors: the interpreter calls a Go value "userdata".
var wanted = map[string]string{glua.TabLibName: aTable, glua.StringLibName: "a text", glua.MathLibName: "a number"}

const aTable = "a Lua table"

// ofTables are the functions without a module that take a table first.
var ofTables = []string{"ipairs", "next", "pairs", "rawget", "rawset", "unpack"}

// refuse makes a function of the interpreter name a Go value that it is given instead of a table, text or number.
func (box *Box) refuse(name, takes string, f glua.LValue) {
	fn, ok := f.(*glua.LFunction)
	if !ok {
		return
	}
	call := fn.GFunction
	fn.GFunction = func(L *glua.LState) int {
		if object, ok := Value[Named](L.Get(1)); ok {
			hint := "" // for all that cannot be done with the object
			if h, ok := object.(interface{ Hint() string }); ok {
				hint = "; hint: " + h.Hint()
			}
			err := fmt.Errorf("%s takes %s, not %s%s", name, takes, object.What(), hint)
			return box.raising("", func(*glua.LState) (int, error) { return 0, err })(L)
		}
		return call(L)
	}
}

// later are operators of newer versions of Lua, with the tokens at which the parser stops, and hints.
var later = []struct{ operator, token, hint string }{
	{"//", "/", "/ of vectors and u64 rounds down, and so does math.floor(a / b)"},
	{"<<", "<", "* 2^n"},
	{">>", ">", "/ 2^n of vectors and u64"},
	{"&", "&", "% 2^n keeps the lowest n bits"},
	{"|", "|", "v:xor(w) of vectors, and + where no bit is in both"},
	{"~", "~", "v:xor(w) of vectors"},
	{"!=", "!", "~="},
}
