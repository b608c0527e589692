package run

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
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

// parseConditions reads thresholds. Names that only the run can tell are checked after it.
func parseConditions(texts []string, stages []Stage) (list []condition, err error) {
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

// CheckThreshold returns what is wrong with a condition, as far as that is known before the run.
func CheckThreshold(text string, stages []Stage) error {
	stages, err := Named(stages)
	if err == nil {
		_, err = parseConditions([]string{text}, stages)
	}
	return err
}

// plausibleName checks a name like find.mops or warm.find.mops. One without a dot may be the script's own.
func plausibleName(name string, stages []Stage) error {
	parts := strings.Split(name, ".")
	if len(parts) == 1 {
		return nil
	}
	n := len(parts) - 2
	field, op, phase := parts[n+1], parts[n], strings.Join(parts[:n], ".")
	phases := append([]string{Prepare}, lists.Map(stages, func(s Stage) string { return s.Name })...)
	err := cmp.Or(nearest.Check("result", field, fields), nearest.Check("operation", op, kernels.Ops))
	if err == nil && n > 0 {
		err = nearest.Check("phase", phase, phases)
	}
	return err
}

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

// lookUp finds a result by its name. The script's own come first.
func lookUp(name string, all, own map[string]any) (any, error) {
	flat := map[string]any{}
	flatten(flat, "", all)
	maps.Copy(flat, own)
	if value, ok := flat[name]; ok {
		return value, nil
	}
	return nil, nearest.Unknown("result", name, slices.Sorted(maps.Keys(flat)))
}

func flatten(flat map[string]any, before string, all map[string]any) {
	for name, value := range all {
		if inner, ok := value.(map[string]any); ok {
			flatten(flat, before+name+".", inner)
		} else {
			flat[before+name] = value
		}
	}
}

// ErrThreshold means that a run was completed but does not meet its script's conditions.
var ErrThreshold = errors.New("a threshold does not hold")
