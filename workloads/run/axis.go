package run

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Override gives axes other values: name=0.5:0.9:0.1, from, to and step, or
// name=0.6,0.8, a list. The values are of the kind that the script's are.
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
	switch like.(type) {
	case float64:
		if x, ok := ParseNumber(text); ok {
			return x, nil
		}
		return nil, fmt.Errorf("%q is no number: it takes numbers, such as 0.6,0.8 or 0.5:0.9:0.1", text)
	case bool:
		if text != "true" && text != "false" {
			return nil, fmt.Errorf("%q: it takes true and false", text)
		}
		return text == "true", nil
	}
	if text == "" {
		return nil, fmt.Errorf("an empty value: it takes texts with commas between them")
	}
	return text, nil
}

func axisRange(bounds []string) ([]any, error) {
	var numbers [3]float64
	for i, bound := range bounds {
		x, ok := ParseNumber(strings.TrimSpace(bound))
		if !ok {
			return nil, fmt.Errorf("%q is no number: it takes from:to:step, such as 0.5:0.9:0.1", bound)
		}
		numbers[i] = x
	}
	return Range(numbers[0], numbers[1], numbers[2])
}

// Range is the numbers from, from + step, and so on, up to and with to.
func Range(from, to, step float64) ([]any, error) {
	steps := math.Floor((to-from)/step + 1e-9)
	if step == 0 || !(steps >= 0) || steps >= maxPoints {
		return nil, fmt.Errorf("from %v to %v by %v: it takes steps that lead there, at most %d of them", from, to, step, maxPoints)
	}
	var values []any
	for i := range int(steps) + 1 {
		values = append(values, rounded(from+float64(i)*step))
	}
	return values, nil
}

// rounded takes away what adding leaves behind the 12th digit: 0.6, not
// 0.6000000000000001.
func rounded(x float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	return short
}

// ParseNumber reads a number as a user writes it: 0.5, 1e6, 1_000_000, 20k, 3M, 1G.
func ParseNumber(text string) (float64, bool) {
	digits, factor := strings.ReplaceAll(text, "_", ""), 1.0
	for suffix, times := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if short, ok := strings.CutSuffix(digits, suffix); ok {
			digits, factor = short, times
		}
	}
	x, err := strconv.ParseFloat(digits, 64)
	return x * factor, err == nil && !math.IsInf(x, 0) && !math.IsNaN(x)
}
