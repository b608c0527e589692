package manifest

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"

	"github.com/hashzoo/hashzoo/schemes"
)

// formula writes the expression in C++, with some names replaced by their values; the others become
// variables of type double. What depends on known values alone is calculated.
func (e *Expr) formula(known values) (string, error) {
	chunk, err := parse.Parse(strings.NewReader("return (\n"+e.text+"\n)"), "")
	if err != nil {
		return "", err
	}
	t, err := former(known).of(chunk[0].(*ast.ReturnStmt).Exprs[0])
	if err != nil {
		return "", e.located(fmt.Errorf("%q: it has no form in C++: %w", e.text, err))
	}
	text, err := t.text()
	return unwrapped(text), err
}

// unwrapped removes brackets around all of an expression.
func unwrapped(text string) string {
	open := 0
	for i, c := range text {
		open += map[rune]int{'(': 1, ')': -1}[c]
		if open == 0 && i < len(text)-1 {
			return text
		}
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "("), ")")
}

// term is a part of an expression: a value, or code.
type term struct {
	value any // float64, string, bool, map[any]term, or nil if there is code, or for Lua's nil
	code  string
	given string // of `condition and given`: code is the condition
	holds bool   // code is a condition, and not a number
}

func (t term) known() bool  { return t.code == "" }
func (t term) truthy() bool { return t.value != nil && t.value != false }

// text returns the term as a number in C++.
func (t term) text() (string, error) {
	number, ok := t.value.(float64)
	switch {
	case t.given != "":
		return "", fmt.Errorf("`and` without `or`")
	case t.code != "":
		return t.code, nil
	case !ok:
		return "", fmt.Errorf("%v is no number", t.value)
	case number == math.Trunc(number) && math.Abs(number) < 1e9:
		return strconv.FormatFloat(number, 'f', -1, 64), nil
	case number == math.Trunc(number):
		return strconv.FormatFloat(number, 'f', 1, 64), nil
	}
	return strconv.FormatFloat(number, 'g', -1, 64), nil
}

// former writes expressions; it has the known values.
type former values

func (f former) of(e ast.Expr) (term, error) {
	switch e := e.(type) {
	case *ast.NilExpr:
		return term{}, nil
	case *ast.TrueExpr:
		return term{value: true}, nil
	case *ast.FalseExpr:
		return term{value: false}, nil
	case *ast.StringExpr:
		return term{value: e.Value}, nil
	case *ast.NumberExpr:
		v, err := strconv.ParseFloat(e.Value, 64)
		return term{value: v}, err
	case *ast.IdentExpr:
		if v, ok := f[e.Value]; ok {
			return term{value: v}, nil
		}
		return term{code: e.Value}, nil
	case *ast.UnaryMinusOpExpr:
		return f.arithmetic("-", &ast.NumberExpr{Value: "0"}, e.Expr)
	case *ast.UnaryNotOpExpr:
		t, err := f.of(e.Expr)
		if !t.known() {
			return term{code: "!(" + t.code + ")", holds: true}, err
		}
		return term{value: !t.truthy()}, err
	case *ast.ArithmeticOpExpr:
		return f.arithmetic(e.Operator, e.Lhs, e.Rhs)
	case *ast.RelationalOpExpr:
		return f.relation(e)
	case *ast.LogicalOpExpr:
		return f.logic(e)
	case *ast.TableExpr:
		return f.table(e)
	case *ast.AttrGetExpr:
		return f.element(e)
	case *ast.FuncCallExpr:
		return f.call(e)
	}
	return term{}, fmt.Errorf("%T", e)
}

func (f former) both(a, b ast.Expr) (left, right term, err error) {
	if left, err = f.of(a); err == nil {
		right, err = f.of(b)
	}
	return left, right, err
}

func (f former) arithmetic(operator string, a, b ast.Expr) (term, error) {
	left, right, err := f.both(a, b)
	if err != nil {
		return term{}, err
	}
	x, isX := left.value.(float64)
	y, isY := right.value.(float64)
	if isX && isY {
		v, ok := calculated(operator, x, y)
		if !ok {
			return term{}, fmt.Errorf("the operator %s", operator)
		}
		return term{value: v}, nil
	}
	if !strings.Contains("+-*/", operator) {
		return term{}, fmt.Errorf("the operator %s", operator)
	}
	return infix(left, operator, right)
}

func calculated(operator string, x, y float64) (float64, bool) {
	switch operator {
	case "+":
		return x + y, true
	case "-":
		return x - y, true
	case "*":
		return x * y, true
	case "/":
		return x / y, true
	case "%":
		return x - math.Floor(x/y)*y, true
	case "^":
		return math.Pow(x, y), true
	}
	return 0, false
}

// infix writes an operator between two numbers.
func infix(left term, operator string, right term) (term, error) {
	a, err := left.text()
	if err != nil {
		return term{}, err
	}
	b, err := right.text()
	return term{code: "(" + a + " " + operator + " " + b + ")"}, err
}

func (f former) relation(e *ast.RelationalOpExpr) (term, error) {
	left, right, err := f.both(e.Lhs, e.Rhs)
	if err != nil {
		return term{}, err
	}
	if !left.known() || !right.known() {
		t, err := infix(left, strings.Replace(e.Operator, "~=", "!=", 1), right)
		t.holds = true
		return t, err
	}
	x, isX := left.value.(float64)
	y, isY := right.value.(float64)
	holds := map[string]bool{"==": left.value == right.value, "~=": left.value != right.value}
	if isX && isY {
		holds["<"], holds["<="], holds[">"], holds[">="] = x < y, x <= y, x > y, x >= y
	}
	v, ok := holds[e.Operator]
	if !ok {
		return term{}, fmt.Errorf("%v %s %v", left.value, e.Operator, right.value)
	}
	return term{value: v}, nil
}

// logic knows `condition and a or b` of a condition that is not known; every number is true.
func (f former) logic(e *ast.LogicalOpExpr) (term, error) {
	left, err := f.of(e.Lhs)
	if err != nil {
		return term{}, err
	}
	if number := !left.known() && !left.holds && left.given == ""; number || left.known() {
		if (number || left.truthy()) == (e.Operator == "and") {
			return f.of(e.Rhs)
		}
		return left, nil
	}
	right, err := f.of(e.Rhs)
	if err != nil {
		return term{}, err
	}
	text, err := right.text()
	switch {
	case err != nil:
		return term{}, err
	case e.Operator == "and" && left.holds:
		return term{code: left.code, given: text}, nil
	case e.Operator == "or" && left.given != "":
		return term{code: "(" + left.code + " ? " + left.given + " : " + text + ")"}, nil
	}
	return term{}, fmt.Errorf("`%s` of conditions", e.Operator)
}

func (f former) table(e *ast.TableExpr) (term, error) {
	list, next := map[any]term{}, 1.0
	for _, field := range e.Fields {
		key := term{value: next}
		if field.Key != nil {
			var err error
			if key, err = f.of(field.Key); err != nil {
				return term{}, err
			}
		} else {
			next++
		}
		v, err := f.of(field.Value)
		if err != nil {
			return term{}, err
		}
		list[key.value] = v
	}
	return term{value: list}, nil
}

func (f former) element(e *ast.AttrGetExpr) (term, error) {
	object, key, err := f.both(e.Object, e.Key)
	list, ok := object.value.(map[any]term)
	if err == nil && (!ok || !key.known()) {
		err = fmt.Errorf("an element that depends on the size")
	}
	return list[key.value], err
}

func (f former) call(e *ast.FuncCallExpr) (term, error) {
	name := e.Func.(*ast.IdentExpr).Value
	var numbers []float64
	var texts []string
	for _, arg := range e.Args {
		t, err := f.of(arg)
		if err != nil {
			return term{}, err
		}
		text, err := t.text()
		if err != nil {
			return term{}, err
		}
		texts = append(texts, text)
		if v, ok := t.value.(float64); ok {
			numbers = append(numbers, v)
		}
	}
	if len(numbers) == len(texts) {
		return term{value: functions[name].of(numbers)}, nil
	}
	for i := range texts {
		texts[i] = unwrapped(texts[i])
	}
	return term{code: written(name, texts)}, nil
}

// written writes a call of a function that expressions know.
func written(name string, args []string) string {
	list := strings.Join(args, ", ")
	switch name {
	case "min":
		return "least({" + list + "})"
	case "max":
		return "most({" + list + "})"
	case "power2", "prime":
		return name + "(" + list + ")"
	}
	return "std::" + name + "(" + list + ")"
}

// Code is a configuration as C++ has it: the class of its kernels for a pair P, and formulas of
// the memory that a table takes. They depend on n, load, slots, key, value, pair and slot; Capacity
// also on buckets; those of regions also on capacity; and Args on capacity and buckets alone.
type Code struct {
	Class             string
	Buckets, Capacity string // empty: Go sizes the tables
	Most              int64
	Regions           []RegionCode
	Args              []string // the run-time parameters, in the order of Table.Arg
}

// RegionCode is a region of the table.
type RegionCode struct {
	Name, Bytes string
	Fill        int64
}

// Code returns the C++ of a configuration.
func (m *Manifest) Code(c schemes.Config) (code Code, err error) {
	code = Code{Class: "hz::" + m.Class + "<" + strings.Join(m.templateArguments(c), ", ") + ">", Most: m.Size.Most}
	known := valuesOf(c)
	formula := func(e *Expr) (text string) {
		if err == nil {
			text, err = e.formula(known)
		}
		return text
	}
	if m.Size.Buckets != nil {
		code.Buckets, code.Capacity = formula(m.Size.Buckets), formula(m.Size.Capacity)
	}
	for _, r := range m.Regions {
		code.Regions = append(code.Regions, RegionCode{r.Name, formula(r.Bytes), r.Fill})
	}
	for i, p := range m.Scheme.Params {
		if auto := m.Params[i].Auto; p.Role == schemes.Arg && auto != nil && c.Get(p.Name) == 0 {
			code.Args = append(code.Args, formula(auto))
		} else if p.Role == schemes.Arg {
			code.Args = append(code.Args, strconv.FormatInt(c.Get(p.Name), 10))
		}
	}
	return code, err
}
