package lua

import (
	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// readAxes reads axes = { name = { a, b }, name = { from = , to = , step = } }.
func readAxes(v glua.LValue) ([]run.Axis, error) {
	all, err := named("axes", v)
	if err != nil {
		return nil, err
	}
	var axes []run.Axis
	for _, name := range all.names {
		if !isName(name) {
			return nil, wrongField(all.at(name), " is no name, it takes letters, digits and _, such as load_factor")
		}
		values, err := readAxis(all.at(name), all.value[name])
		if err != nil {
			return nil, err
		}
		axes = append(axes, run.Axis{Name: name, Values: values})
	}
	return axes, nil
}

func readAxis(path string, v glua.LValue) ([]any, error) {
	if isNamed(v) {
		return readRange(path, v)
	}
	items, err := list(path, v)
	if err != nil {
		return nil, err
	}
	if len(items) == 0 {
		return nil, wrongField(path, " has no values, it takes at least one")
	}
	var values []any
	for i, item := range items {
		value, ok := scalar(item)
		if !ok {
			return nil, wrongField(path, " has %s, it takes numbers, texts or booleans", sandbox.Describe(item))
		}
		if kindOf(value) != kindOf(values0(values, value)) {
			return nil, wrongField(path, " has %s and %s, it takes values of one kind", sandbox.Describe(items[i-1]), sandbox.Describe(item))
		}
		values = append(values, value)
	}
	return values, nil
}

func values0(values []any, otherwise any) any {
	if len(values) == 0 {
		return otherwise
	}
	return values[0]
}

func readRange(path string, v glua.LValue) ([]any, error) {
	f, err := named(path, v)
	if err != nil {
		return nil, err
	}
	if err := f.only("from", "to", "step", "factor"); err != nil {
		return nil, err
	}
	numbers := map[string]float64{}
	for _, name := range f.names {
		if numbers[name], err = f.number(name, -1<<53, 1<<53); err != nil {
			return nil, err
		}
	}
	if !f.has("from") || !f.has("to") || f.has("step") == f.has("factor") {
		return nil, wrongField(path, ": a range takes from, to, and either step or factor")
	}
	var values []any
	if f.has("step") {
		values, err = run.Range(numbers["from"], numbers["to"], numbers["step"])
	} else {
		values, err = run.Powers(numbers["from"], numbers["to"], numbers["factor"])
	}
	if err != nil {
		return nil, wrongField(path, ": %v", err)
	}
	return values, nil
}
