package run

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// condition is a threshold: a result's name, a comparison, and a number.
type condition struct {
	text    string
	name    string
	compare string
	number  float64
}

var comparisons = map[string]func(a, b float64) bool{
	"<":  func(a, b float64) bool { return a < b },
	"<=": func(a, b float64) bool { return a <= b },
	">":  func(a, b float64) bool { return a > b },
	">=": func(a, b float64) bool { return a >= b },
	"==": func(a, b float64) bool { return a == b },
	"!=": func(a, b float64) bool { return a != b },
	"~=": func(a, b float64) bool { return a != b }, // as Lua writes it
}

var conditionForm = regexp.MustCompile(`^\s*([^<>=!~]*[^<>=!~\s])\s*(<=|>=|==|!=|~=|<|>)\s*(\S+)\s*$`)

// parseConditions reads the thresholds of a script whose stages have these names.
// Names that can only be known after the run are left for later.
func parseConditions(texts, stages []string) ([]condition, error) {
	var list []condition
	for _, text := range texts {
		parts := conditionForm.FindStringSubmatch(text)
		if parts == nil {
			return nil, fmt.Errorf("threshold %q: write a result, a comparison and a number, as in \"find.mops > 1\"", text)
		}
		x, ok := number.Parse(parts[3])
		if !ok {
			return nil, fmt.Errorf("threshold %q: %q is no number", text, parts[3])
		}
		if err := plausibleName(parts[1], stages); err != nil {
			return nil, fmt.Errorf("threshold %q: %w", text, err)
		}
		list = append(list, condition{text, parts[1], parts[2], x})
	}
	return list, nil
}

// CheckThreshold says what is wrong with a condition of a script with these stages, as
// far as that can be known before the run.
func CheckThreshold(text string, stages []Stage) error {
	stages, err := named(stages)
	if err == nil {
		_, err = parseConditions([]string{text}, stageNames(stages))
	}
	return err
}

// plausibleName checks a name like find.mops or warm.find.mops before the run. One
// without a dot may be the script's own.
func plausibleName(name string, stages []string) error {
	parts := strings.Split(name, ".")
	if len(parts) == 1 {
		return nil
	}
	field, op := parts[len(parts)-1], parts[len(parts)-2]
	if !slices.Contains(fields, field) {
		return nearest.Unknown("result", field, fields)
	}
	if !slices.Contains(kernels.Ops, op) {
		return nearest.Unknown("operation", op, kernels.Ops)
	}
	phases := append([]string{Prepare}, stages...)
	if len(parts) > 2 && !slices.Contains(phases, strings.Join(parts[:len(parts)-2], ".")) {
		return nearest.Unknown("phase", strings.Join(parts[:len(parts)-2], "."), phases)
	}
	return nil
}

// check compares with the results of one scheme at one point, and what the script
// says of them.
func (c condition) check(all, own map[string]any) (results.Threshold, error) {
	value, err := lookUp(c.name, all, own)
	if err != nil {
		return results.Threshold{}, fmt.Errorf("threshold %q: %w", c.text, err)
	}
	number, ok := value.(float64)
	if !ok {
		return results.Threshold{}, fmt.Errorf("threshold %q: %s is %v, which is no number", c.text, c.name, value)
	}
	return results.Threshold{Condition: c.text, Value: number, Holds: comparisons[c.compare](number, c.number)}, nil
}

// lookUp finds a result by its name, the script's own first.
func lookUp(name string, all, own map[string]any) (any, error) {
	if value, ok := own[name]; ok {
		return value, nil
	}
	flat := flatten("", all)
	if value, ok := flat[name]; ok {
		return value, nil
	}
	var known []string
	for name := range flat {
		known = append(known, name)
	}
	for name := range own {
		known = append(known, name)
	}
	slices.Sort(known)
	return nil, nearest.Unknown("result", name, slices.Compact(known))
}

// flatten names what is in inner objects with dots.
func flatten(before string, all map[string]any) map[string]any {
	flat := map[string]any{}
	for name, value := range all {
		inner, ok := value.(map[string]any)
		if !ok {
			flat[before+name] = value
			continue
		}
		for name, value := range flatten(before+name+".", inner) {
			flat[name] = value
		}
	}
	return flat
}

// ErrThreshold says that a run was done and did not meet its script's conditions.
var ErrThreshold = errors.New("a threshold does not hold")
