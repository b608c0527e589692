package expr

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Parse reads an expression in which these names may be used.
func Parse(text string, names []string) (*Expr, error) {
	if len(text) > maxLength {
		return nil, fmt.Errorf("an expression of %d characters: at most %d are read", len(text), maxLength)
	}
	tokens, err := split(text)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	p := parser{tokens: tokens, names: names}
	root, err := p.choice(0)
	if err == nil && p.at < len(tokens) {
		err = fmt.Errorf("%q is too much", tokens[p.at])
	}
	if err != nil {
		return nil, fmt.Errorf("%q: %w", text, err)
	}
	return &Expr{text: text, root: root}, nil
}

var token = regexp.MustCompile(`^(?:[0-9][0-9_]*(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?|[A-Za-z_][A-Za-z0-9_]*|'[^']*'|[=!<>]=|&&|\|\||[-+*/%<>!?:(),])`)

func split(text string) (tokens []string, err error) {
	for rest := strings.TrimSpace(text); rest != ""; rest = strings.TrimSpace(rest) {
		t := token.FindString(rest)
		if t == "" {
			return nil, fmt.Errorf("%.10q is no number, name or operator", rest)
		}
		tokens, rest = append(tokens, t), rest[len(t):]
	}
	return tokens, nil
}

type parser struct {
	tokens []string
	at     int
	names  []string
}

// next is the token to read next; it is empty at the end.
func (p *parser) next() string {
	if p.at == len(p.tokens) {
		return ""
	}
	return p.tokens[p.at]
}

// takes reads a token if it is the next one.
func (p *parser) takes(t string) bool {
	if p.next() != t {
		return false
	}
	p.at++
	return true
}

func (p *parser) expect(t string) error {
	switch {
	case p.takes(t):
		return nil
	case p.next() == "":
		return fmt.Errorf("it ends where %q is missing", t)
	}
	return fmt.Errorf("%q where %q is missing", p.next(), t)
}

// choice reads condition ? yes : no, or what stands for a condition alone.
func (p *parser) choice(depth int) (node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	condition, err := p.infix(0, depth)
	if err != nil || !p.takes("?") {
		return condition, err
	}
	yes, err := p.choice(depth + 1)
	if err != nil {
		return nil, err
	}
	if err := p.expect(":"); err != nil {
		return nil, err
	}
	no, err := p.choice(depth + 1)
	return choice{condition, yes, no}, err
}

// infix reads operands between operators of a higher rank than the one before.
func (p *parser) infix(rank, depth int) (node, error) {
	left, err := p.operand(depth)
	for err == nil {
		op := p.next()
		o, ok := operators[op]
		if !ok || o.rank <= rank {
			return left, nil
		}
		p.at++
		var right node
		right, err = p.infix(o.rank, depth)
		left = binary{op, left, right}
	}
	return nil, err
}

func (p *parser) operand(depth int) (node, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("it is nested more than %d deep", maxDepth)
	}
	t := p.next()
	if t == "" {
		return nil, fmt.Errorf("it ends where a number or a name is missing")
	}
	p.at++
	switch first := t[0]; {
	case t == "(":
		inner, err := p.choice(depth + 1)
		if err != nil {
			return nil, err
		}
		return inner, p.expect(")")
	case t == "-" || t == "!":
		of, err := p.operand(depth + 1)
		return unary{t, of}, err
	case first == '\'':
		return constant{strings.Trim(t, "'")}, nil
	case first >= '0' && first <= '9':
		x, err := strconv.ParseFloat(strings.ReplaceAll(t, "_", ""), 64)
		return constant{x}, err
	case strings.ContainsAny(t[:1], "=!<>&|+*/%?:(),"):
		return nil, fmt.Errorf("%q where a number or a name is missing", t)
	case p.takes("("):
		return p.call(t, depth)
	case !slices.Contains(p.names, t):
		return nil, nearest.Unknown("name", t, p.names)
	}
	return name(t), nil
}

// call reads the arguments of a function and its closing bracket.
func (p *parser) call(of string, depth int) (node, error) {
	f, ok := functions[of]
	if !ok {
		return nil, nearest.Unknown("function", of, slices.Sorted(maps.Keys(functions)))
	}
	var args []node
	for {
		arg, err := p.choice(depth + 1)
		if err != nil {
			return nil, err
		}
		args = append(args, arg)
		if !p.takes(",") {
			break
		}
	}
	if err := p.expect(")"); err != nil {
		return nil, err
	}
	if len(args) < f.least || len(args) > f.most {
		return nil, fmt.Errorf("%s takes %s, and is given %d", of, howMany(f), len(args))
	}
	return call{f, args}, nil
}

func howMany(f function) string {
	if f.least == f.most {
		return strconv.Itoa(f.least)
	}
	return fmt.Sprintf("%d to %d numbers", f.least, f.most)
}
