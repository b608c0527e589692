package stream

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Expression is a stream as JSON, which recordings keep:
//
//	{"kind":"take","of":[{"kind":"unique","args":{"n":100,"seed":1}}],"args":{"count":10}}
//
// Kinds are those of Kinds. Of has the streams in the declared order; an argument that has a default may be left out.
type Expression struct {
	Kind string                 `json:"kind"`
	Of   []Expression           `json:"of,omitempty"`
	Args map[string]json.Number `json:"args,omitempty"`
	// Label describes numbers that are not in the expression: those of Data.
	Label string `json:"label,omitempty"`
}

// Expression is the stream's expression, from which Stream makes it again unless it has numbers of the host.
func (s Stream) Expression() (Expression, error) {
	if err := s.Err(); err != nil {
		return Expression{}, err
	}
	return s.node.expression(), nil
}

func (n *node) expression() Expression {
	e := Expression{Kind: n.kind.Name}
	if n.kind == dataKind {
		e.Label = n.array.name
	}
	for _, in := range n.inputs {
		e.Of = append(e.Of, in.expression())
	}
	for i, p := range n.kind.Params {
		if e.Args == nil {
			e.Args = make(map[string]json.Number, len(n.args))
		}
		e.Args[p.Name] = json.Number(p.text(n.args[i]))
	}
	return e
}

// Stream makes the stream, or one that has an error.
func (e Expression) Stream() Stream {
	var inputs []Stream
	for _, of := range e.Of {
		inputs = append(inputs, of.Stream())
	}
	params := Params{}
	for name, text := range e.Args {
		if n, err := strconv.ParseUint(string(text), 10, 64); err == nil {
			params[name] = n
		} else if params[name], err = text.Float64(); err != nil {
			return wrong("%s: %s is %q, which is no number that fits 64 bits", e.Kind, name, text)
		}
	}
	return New(e.Kind, inputs, params)
}

// String is the expression for people: kind(streams, name=argument ...); a constant is its number.
func (e Expression) String() string {
	if e.Label != "" {
		return e.Label
	}
	if e.Kind == "constant" && len(e.Args) == 1 {
		return string(e.Args["value"])
	}
	var parts []string
	for _, of := range e.Of {
		parts = append(parts, of.String())
	}
	if kind, ok := kinds[e.Kind]; ok {
		for _, p := range kind.Params {
			if text, given := e.Args[p.Name]; given {
				parts = append(parts, p.Name+"="+string(text))
			}
		}
	}
	return e.Kind + "(" + strings.Join(parts, ", ") + ")"
}
