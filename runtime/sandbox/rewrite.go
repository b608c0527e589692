package sandbox

import (
	"fmt"

	"github.com/yuin/gopher-lua/ast"
)

// MaxDepth is how deep a syntax tree may be: the compiler goes down recursively.
const MaxDepth = 4000

const (
	// concatName is the function that stands for the operator "..". No script can
	// write such a name.
	concatName = ".."

	maxOperands = 50 // of one concatenation; each needs a register
)

// rewriter goes through a syntax tree. It replaces concatenations by calls, because
// the interpreter's own cannot be bounded: a string times 200 in one instruction.
// And it notes where the fields of declarations are written, for errors.
type rewriter struct {
	declares func(name string) bool
	note     func(path string, line int)
	depth    int
	tooDeep  int // the line where the tree is too deep, or 0
}

func (r *rewriter) stmts(list []ast.Stmt) {
	for _, s := range list {
		r.stmt(s)
	}
}

// down counts levels, and says whether to go on.
func (r *rewriter) down(line int) bool {
	r.depth++
	if r.depth > MaxDepth && r.tooDeep == 0 {
		r.tooDeep = max(line, 1)
	}
	return r.tooDeep == 0
}

func (r *rewriter) stmt(s ast.Stmt) {
	defer func() { r.depth-- }()
	if !r.down(s.Line()) {
		return
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		r.exprs(s.Lhs)
		r.declarations(s)
		r.exprs(s.Rhs)
	case *ast.LocalAssignStmt:
		r.exprs(s.Exprs)
	case *ast.FuncCallStmt:
		s.Expr = r.expr(s.Expr)
	case *ast.DoBlockStmt:
		r.stmts(s.Stmts)
	case *ast.WhileStmt:
		s.Condition = r.expr(s.Condition)
		r.stmts(s.Stmts)
	case *ast.RepeatStmt:
		s.Condition = r.expr(s.Condition)
		r.stmts(s.Stmts)
	case *ast.IfStmt:
		s.Condition = r.expr(s.Condition)
		r.stmts(s.Then)
		r.stmts(s.Else)
	case *ast.NumberForStmt:
		s.Init, s.Limit, s.Step = r.expr(s.Init), r.expr(s.Limit), r.expr(s.Step)
		r.stmts(s.Stmts)
	case *ast.GenericForStmt:
		r.exprs(s.Exprs)
		r.stmts(s.Stmts)
	case *ast.FuncDefStmt:
		s.Name.Func, s.Name.Receiver = r.expr(s.Name.Func), r.expr(s.Name.Receiver)
		r.stmts(s.Func.Stmts)
	case *ast.ReturnStmt:
		r.exprs(s.Exprs)
	case *ast.BreakStmt, *ast.LabelStmt, *ast.GotoStmt:
	default:
		panic(fmt.Sprintf("a statement of an unknown kind, %T", s))
	}
}

func (r *rewriter) exprs(list []ast.Expr) {
	for i := range list {
		list[i] = r.expr(list[i])
	}
}

// expr returns what stands for an expression; it is changed in place otherwise.
func (r *rewriter) expr(e ast.Expr) ast.Expr {
	if e == nil {
		return nil
	}
	defer func() { r.depth-- }()
	if !r.down(e.Line()) {
		return e
	}
	switch e := e.(type) {
	case *ast.TrueExpr, *ast.FalseExpr, *ast.NilExpr, *ast.NumberExpr, *ast.StringExpr, *ast.Comma3Expr, *ast.IdentExpr:
	case *ast.AttrGetExpr:
		e.Object, e.Key = r.expr(e.Object), r.expr(e.Key)
	case *ast.TableExpr:
		for _, f := range e.Fields {
			f.Key, f.Value = r.expr(f.Key), r.expr(f.Value)
		}
	case *ast.FuncCallExpr:
		e.Func, e.Receiver = r.expr(e.Func), r.expr(e.Receiver)
		r.exprs(e.Args)
	case *ast.LogicalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.RelationalOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.ArithmeticOpExpr:
		e.Lhs, e.Rhs = r.expr(e.Lhs), r.expr(e.Rhs)
	case *ast.UnaryMinusOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryNotOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.UnaryLenOpExpr:
		e.Expr = r.expr(e.Expr)
	case *ast.FunctionExpr:
		r.stmts(e.Stmts)
	case *ast.StringConcatOpExpr:
		return r.concat(e)
	default:
		panic(fmt.Sprintf("an expression of an unknown kind, %T", e))
	}
	return e
}

// concat makes a call of a chain a .. b .. c, which is a .. (b .. c).
func (r *rewriter) concat(e *ast.StringConcatOpExpr) ast.Expr {
	call := &ast.FuncCallExpr{Func: &ast.IdentExpr{Value: concatName}, AdjustRet: true}
	call.SetLine(e.Line())
	call.SetLastLine(e.LastLine())
	call.Func.SetLine(e.Line())
	call.Func.SetLastLine(e.LastLine())
	rest := ast.Expr(e)
	for len(call.Args) < maxOperands {
		chain, ok := rest.(*ast.StringConcatOpExpr)
		if !ok {
			break
		}
		call.Args = append(call.Args, single(r.expr(chain.Lhs)))
		rest = chain.Rhs
	}
	call.Args = append(call.Args, single(r.expr(rest)))
	return call
}

// single makes an operand give one value, as it does in an operation.
func single(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.FuncCallExpr:
		e.AdjustRet = true
	case *ast.Comma3Expr:
		e.AdjustRet = true
	}
	return e
}

// declarations notes the lines of what is assigned to names, and of the fields of
// tables in it: options, options.n, stages[2].rate.
func (r *rewriter) declarations(s *ast.AssignStmt) {
	for i, left := range s.Lhs {
		name, ok := left.(*ast.IdentExpr)
		if ok && i < len(s.Rhs) && r.declares(name.Value) {
			r.note(name.Value, left.Line())
			r.fieldLines(name.Value, s.Rhs[i], 0)
		}
	}
}

func (r *rewriter) fieldLines(path string, value ast.Expr, depth int) {
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
		r.note(at, f.Value.Line())
		r.fieldLines(at, f.Value, depth+1)
	}
}
