package lua

import (
	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// readAxes reads axes = { name = { a, b }, name = { from = , to = , step = } }.
func readAxes(v glua.LValue) (axes []run.Axis, err error) {
	err = eachNamed("axes", v, func(path, name string, v glua.LValue) error {
		if !isName(name) {
			return wrongField(path, " is not a name: it takes letters, digits and _, such as load_factor")
		}
		read := readValues
		if isNamed(v) {
			read = readRange
		}
		values, err := read(path, v)
		axes = append(axes, run.Axis{Name: name, Values: values})
		return err
	})
	return axes, err
}

func readValues(path string, v glua.LValue) (values []any, err error) {
	items, err := list(path, v)
	if err == nil && len(items) == 0 {
		err = wrongField(path, " has no values, it takes at least one")
	}
	for i, item := range items {
		value, ok := scalar(item)
		switch {
		case !ok:
			return nil, wrongField(path, " has %s, it takes numbers, texts or booleans", sandbox.Describe(item))
		case i > 0 && kindOf(value) != kindOf(values[0]):
			return nil, wrongField(path, " has %s and %s, it takes values of one kind", sandbox.Describe(items[i-1]), sandbox.Describe(item))
		}
		values = append(values, value)
	}
	return values, err
}

func readRange(path string, v glua.LValue) (values []any, err error) {
	var r struct {
		From   float64 `lua:"from" min:"-0x1p53" max:"0x1p53"`
		To     float64 `lua:"to" min:"-0x1p53" max:"0x1p53"`
		Step   float64 `lua:"step" min:"-0x1p53" max:"0x1p53"`
		Factor float64 `lua:"factor" min:"-0x1p53" max:"0x1p53"`
	}
	f, err := decode(path, v, &r)
	switch {
	case err != nil:
		return nil, err
	case f.count("from", "to") != 2 || f.count("step", "factor") != 1:
		return nil, wrongField(path, ": a range takes from, to, and either step or factor")
	case f.has("step"):
		values, err = run.Range(r.From, r.To, r.Step)
	default:
		values, err = run.Powers(r.From, r.To, r.Factor)
	}
	if err != nil {
		return nil, wrongField(path, ": %v", err)
	}
	return values, nil
}
