package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Override gives axes other values: name=0.5:0.9:0.1, from, to and step,
// name=1k:1M:*10, from, to and factor, or name=0.6,0.8, a list. The values are of the kind that the script's are.
func Override(axes []Axis, settings []string) ([]Axis, error) {
	axes = slices.Clone(axes)
	for _, setting := range settings {
		name, text, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("axis %q: write name=from:to:step or name=value,value", setting)
		}
		i := slices.IndexFunc(axes, func(a Axis) bool { return a.Name == name })
		if i < 0 {
			return nil, unknownAxis(name, axes)
		}
		values, err := axisValues(text, axes[i].Values)
		if err != nil {
			return nil, fmt.Errorf("axis %s is %q: %w", name, text, err)
		}
		axes[i].Values = values
	}
	return axes, nil
}

func unknownAxis(name string, axes []Axis) error {
	var known []string
	for _, a := range axes {
		known = append(known, a.Name)
	}
	if known == nil {
		return fmt.Errorf("unknown axis %q: the script has none", name)
	}
	return nearest.Unknown("axis", name, known)
}

// axisValues reads values of the kind that like has.
func axisValues(text string, like []any) ([]any, error) {
	_, numeric := like[0].(float64)
	if bounds := strings.Split(text, ":"); numeric && len(bounds) == 3 {
		return axisRange(bounds)
	}
	var values []any
	for item := range strings.SplitSeq(text, ",") {
		value, err := axisValue(strings.TrimSpace(item), like[0])
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

func axisValue(text string, like any) (any, error) {
	value, ok := ParseValue(text, like)
	switch like.(type) {
	case float64:
		if !ok {
			return nil, fmt.Errorf("%q is no number: it takes numbers, such as 0.6,0.8 or 0.5:0.9:0.1 or 1k:1M:*10", text)
		}
	case bool:
		if !ok {
			return nil, fmt.Errorf("%q: it takes true and false", text)
		}
	default:
		if text == "" {
			return nil, fmt.Errorf("an empty value: it takes texts with commas between them")
		}
	}
	return value, nil
}

// axisRange reads from:to:step, or from:to:*factor.
func axisRange(bounds []string) ([]any, error) {
	last, multiply := strings.CutPrefix(strings.TrimSpace(bounds[2]), "*")
	var numbers [3]float64
	for i, bound := range []string{bounds[0], bounds[1], last} {
		x, ok := ParseNumber(strings.TrimSpace(bound))
		if !ok {
			return nil, fmt.Errorf("%q is no number: it takes from:to:step or from:to:*factor, such as 0.5:0.9:0.1 or 1k:1M:*10", bound)
		}
		numbers[i] = x
	}
	if multiply {
		return Powers(numbers[0], numbers[1], numbers[2])
	}
	return Range(numbers[0], numbers[1], numbers[2])
}
