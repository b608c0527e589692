package manifest

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	glua "github.com/yuin/gopher-lua"
	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
)

// Expressions of manifests are those of Lua, without functions of their own:
//
//	ceil(slots / bucket)
//	bucket == 1 and 0.9 or 0.95
//	({[8] = 0.63, [16] = 0.82})[bucket]
//
// They know the names of a scope and the functions below, and nothing else.

// scope holds the names that an expression may use. A name that stands for a word maps to
// the possible words; other names are numbers.
type scope map[string][]string

// values are the values of names: float64 or string.
type values map[string]any

// Expr is an expression. It is compiled at its first evaluation.
type Expr struct {
	text  string
	wrong func(error) error // locates an error; may be nil
	code  *sandbox.Code
}

// located adds the expression's place to an error that has none.
func (e *Expr) located(err error) error {
	if at := new(mistake); err == nil || e.wrong == nil || errors.As(err, &at) {
		return err
	}
	return e.wrong(err)
}

const (
	maxLength  = 1000
	sourceName = "expression"
)

func parseExpression(text string, known scope) (e *Expr, err error) {
	if len(text) > maxLength {
		return nil, fmt.Errorf("an expression of %d characters: it takes at most %d", len(text), maxLength)
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%q: it cannot be read: %v", text, r)
		}
	}()
	chunk, err := parse.Parse(strings.NewReader("return (\n"+text+"\n)"), "")
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, syntax(err))
	}
	if result, ok := chunk[0].(*ast.ReturnStmt); !ok || len(chunk) > 1 || len(result.Exprs) != 1 {
		return nil, fmt.Errorf("%q: it is no single expression", text)
	} else if err := known.check(result.Exprs[0]); err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return &Expr{text: text}, nil
}

// syntax returns the parser's complaint without its position.
func syntax(err error) error {
	var at *parse.Error
	switch {
	case !errors.As(err, &at):
		return err
	case at.Token == ")" || at.Pos.Line == parse.EOF:
		return errors.New("it ends where more should come, or has a bracket too many")
	}
	return fmt.Errorf("%s near %q", strings.ToLower(at.Message), at.Token)
}

func (s scope) all(list ...ast.Expr) error {
	for _, e := range list {
		if err := s.check(e); err != nil {
			return err
		}
	}
	return nil
}

// check walks a syntax tree.
func (s scope) check(e ast.Expr) error {
	switch e := e.(type) {
	case nil, *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr:
		return nil
	case *ast.IdentExpr:
		return nearest.Check("name", e.Value, slices.Sorted(maps.Keys(s)))
	case *ast.AttrGetExpr:
		return s.all(e.Object, e.Key)
	case *ast.LogicalOpExpr:
		return s.all(e.Lhs, e.Rhs)
	case *ast.ArithmeticOpExpr:
		return s.all(e.Lhs, e.Rhs)
	case *ast.RelationalOpExpr:
		return errors.Join(s.all(e.Lhs, e.Rhs), s.comparison(e.Lhs, e.Rhs), s.comparison(e.Rhs, e.Lhs))
	case *ast.UnaryMinusOpExpr:
		return s.check(e.Expr)
	case *ast.UnaryNotOpExpr:
		return s.check(e.Expr)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			if err := s.all(f.Key, f.Value); err != nil {
				return err
			}
		}
		return nil
	case *ast.FuncCallExpr:
		return s.call(e)
	}
	return fmt.Errorf("it has more than arithmetic, comparisons, lists and functions: %s", strings.TrimSuffix(strings.TrimPrefix(fmt.Sprintf("%T", e), "*ast."), "Expr"))
}

// comparison checks a comparison of a name with a constant: words must exist.
func (s scope) comparison(name, with ast.Expr) error {
	id, ok := name.(*ast.IdentExpr)
	if !ok {
		return nil
	}
	words := s[id.Value]
	switch with := with.(type) {
	case *ast.StringExpr:
		if !slices.Contains(words, with.Value) {
			return fmt.Errorf("it compares %s with '%s': it takes %s", id.Value, with.Value, orNumber(words))
		}
	case *ast.NumberExpr:
		if words != nil {
			return fmt.Errorf("it compares %s with %s: it takes %s", id.Value, with.Value, orNumber(words))
		}
	}
	return nil
}

func orNumber(words []string) string {
	if words == nil {
		return "a number"
	}
	return strings.Join(words, ", ")
}

func (s scope) call(e *ast.FuncCallExpr) error {
	id, ok := e.Func.(*ast.IdentExpr)
	if !ok || e.Receiver != nil {
		return errors.New("it calls something that is no function")
	}
	f, ok := functions[id.Value]
	if !ok {
		return nearest.Unknown("function", id.Value, slices.Sorted(maps.Keys(functions)))
	}
	if len(e.Args) < 1 || len(e.Args) > f.most {
		return fmt.Errorf("%s takes %s, not %d", id.Value, f.takes(), len(e.Args))
	}
	return s.all(e.Args...)
}

// Number evaluates the expression, which must yield a finite number.
func (e *Expr) Number(given values) (float64, error) {
	n, err := evaluate[glua.LNumber](e, given, "a number")
	if x := float64(n); math.IsNaN(x) || math.IsInf(x, 0) {
		return 0, e.located(fmt.Errorf("%q is %v, no finite number", e.text, x))
	}
	return float64(n), e.located(err)
}

// Whole evaluates the expression, which must yield a whole number from 0 to 2^53, the
// range in which doubles are exact.
func (e *Expr) Whole(given values) (uint64, error) {
	v, err := e.Number(given)
	switch {
	case err != nil:
	case v != math.Trunc(v):
		err = fmt.Errorf("%q is %v: it takes a whole number; hint: ceil(...) or floor(...)", e.text, v)
	case v < 0 || v > 1<<53:
		err = fmt.Errorf("%q is %v: it takes 0 to 2^53", e.text, v)
	}
	return uint64(v), e.located(err)
}

// True evaluates the expression, which must be a condition.
func (e *Expr) True(given values) (bool, error) {
	yes, err := evaluate[glua.LBool](e, given, "true or false")
	return bool(yes), e.located(err)
}

func evaluate[T glua.LValue](e *Expr, given values, takes string) (typed T, err error) {
	v, err := e.value(given)
	if err != nil {
		return typed, err
	}
	typed, ok := v.(T)
	if !ok {
		err = fmt.Errorf("%q is %s: it takes %s", e.text, describe(v), takes)
	}
	return typed, err
}

func describe(v glua.LValue) string {
	if word, ok := v.(glua.LString); ok {
		return "'" + string(word) + "'"
	}
	return sandbox.Describe(v)
}

// value evaluates the expression; constants do not need Lua.
func (e *Expr) value(given values) (glua.LValue, error) {
	switch number, err := strconv.ParseFloat(e.text, 64); {
	case err == nil:
		return glua.LNumber(number), nil
	case e.text == "true" || e.text == "false":
		return glua.LBool(e.text == "true"), nil
	}
	v, err := calculate(e, given)
	if err != nil {
		var at *sandbox.Error
		if errors.As(err, &at) {
			err = errors.New(at.Text)
		}
		return nil, fmt.Errorf("%q: %w", e.text, err)
	}
	return v, nil
}

// calculator is the Lua state that evaluates expressions, one at a time. It is replaced after an error.
var calculator struct {
	sync.Mutex
	box     *sandbox.Box
	globals *glua.LTable
	given   values // of the expression that is evaluated
}

var calculatorLimits = sandbox.Limits{Steps: 100_000, Time: time.Second, Memory: 1 << 20}

func calculate(e *Expr, given values) (v glua.LValue, err error) {
	calculator.Lock()
	defer calculator.Unlock()
	if calculator.box == nil {
		if err := newCalculator(); err != nil {
			return nil, err
		}
	}
	box := calculator.box
	calculator.given = given
	defer func() {
		if err != nil {
			box.Close()
			calculator.box = nil
		}
	}()
	if e.code == nil {
		if e.code, err = sandbox.NewLibrary(nil).Compile(sourceName, "return (\n"+e.text+"\n)"); err != nil {
			return nil, err
		}
	}
	f := box.L.NewFunctionFromProto(e.code.Proto)
	f.Env = calculator.globals
	if err := box.Call(f, 1); err != nil {
		return nil, err
	}
	return box.L.Get(-1), nil
}

func newCalculator() error {
	box, err := sandbox.New(sandbox.Options{Limits: calculatorLimits, File: sourceName, Subject: "the expression"})
	if err != nil {
		return err
	}
	if _, err := box.Library.Compile(sourceName, "return 0"); err != nil { // the name is known in errors
		return err
	}
	made := map[string]*glua.LFunction{}
	for name, f := range functions {
		made[name] = box.Function(f.call)
	}
	calculator.box, calculator.globals = box, box.L.NewTable()
	meta := box.L.NewTable()
	meta.RawSetString("__index", box.Function(func(L *glua.LState) (int, error) {
		name := L.Get(2).String()
		switch v := calculator.given[name].(type) {
		case float64:
			L.Push(glua.LNumber(v))
		case string:
			L.Push(glua.LString(v))
		default:
			if made[name] == nil {
				return 0, fmt.Errorf("%s is not known yet", name)
			}
			L.Push(made[name])
		}
		return 1, nil
	}))
	calculator.globals.Metatable = meta
	return nil
}

// function is a function of one to `most` numbers.
type function struct {
	most int
	of   func([]float64) float64
}

func of1(f func(float64) float64) function {
	return function{1, func(x []float64) float64 { return f(x[0]) }}
}

// functions are the functions that expressions can call. The prime search needs no limit:
// expressions are about table sizes, and the next prime is near.
var functions = map[string]function{
	"ceil":   of1(math.Ceil),
	"floor":  of1(math.Floor),
	"round":  of1(math.Round),
	"log2":   of1(math.Log2),
	"sqrt":   of1(math.Sqrt),
	"power2": of1(power2),
	"prime":  of1(prime),
	"min":    {8, slices.Min[[]float64]},
	"max":    {8, slices.Max[[]float64]},
}

func (f function) takes() string {
	if f.most == 1 {
		return "1 number"
	}
	return fmt.Sprintf("1 to %d numbers", f.most)
}

// call runs the function for Lua.
func (f function) call(L *glua.LState) (int, error) {
	var args []float64
	for i := 1; i <= L.GetTop(); i++ {
		n, ok := L.Get(i).(glua.LNumber)
		if !ok {
			return 0, fmt.Errorf("a function is given %s: it takes a number", sandbox.Describe(L.Get(i)))
		}
		args = append(args, float64(n))
	}
	L.Push(glua.LNumber(f.of(args)))
	return 1, nil
}

// power2 returns the smallest power of two that is at least x.
func power2(x float64) float64 {
	if x <= 1 || math.IsInf(x, 0) || math.IsNaN(x) {
		return max(x, 1)
	}
	fraction, exponent := math.Frexp(x)
	if fraction == 0.5 {
		exponent--
	}
	return math.Ldexp(1, exponent)
}

// prime returns the smallest prime that is at least x, or an error beyond 2^53, where doubles are not exact.
func prime(x float64) float64 {
	if !(x <= 1<<53) {
		return math.NaN()
	}
	for n := int64(max(2, math.Ceil(x))); ; n++ {
		if big.NewInt(n).ProbablyPrime(0) { // exact below 2^64
			return float64(n)
		}
	}
}
