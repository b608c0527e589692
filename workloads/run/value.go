package run

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/number"
)

// Values of options and axes are numbers (float64), texts or booleans.

// ParseValue reads a value of the type of like.
func ParseValue(text string, like any) (any, bool) {
	switch like.(type) {
	case float64:
		x, ok := number.Parse(text)
		return x, ok
	case bool:
		return text == "true", text == "true" || text == "false"
	}
	return text, true
}

// Text is a value as users write it.
func Text(value any) string {
	x, ok := value.(float64)
	switch {
	case !ok:
		return fmt.Sprint(value)
	case x == math.Trunc(x) && math.Abs(x) < 1e15:
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// ParseValues reads a list of values of the type of like: 0.6,0.8. Numbers may also be a
// range: from:to:step, or from:to:*factor.
func ParseValues(text string, like any) ([]any, error) {
	_, numeric := like.(float64)
	if bounds := strings.Split(text, ":"); numeric && len(bounds) == 3 {
		return parseRange(bounds)
	}
	var values []any
	for item := range strings.SplitSeq(text, ",") {
		value, ok := ParseValue(strings.TrimSpace(item), like)
		switch like.(type) {
		case float64:
			if !ok {
				return nil, fmt.Errorf("%q is no number: it takes numbers, such as 0.6,0.8 or 0.5:0.9:0.1 or 1k:1M:*10", strings.TrimSpace(item))
			}
		case bool:
			if !ok {
				return nil, fmt.Errorf("%q: it takes true and false", strings.TrimSpace(item))
			}
		default:
			if value == "" {
				return nil, errors.New("an empty value: it takes texts with commas between them")
			}
		}
		values = append(values, value)
	}
	return values, nil
}

func parseRange(bounds []string) ([]any, error) {
	last, multiply := strings.CutPrefix(strings.TrimSpace(bounds[2]), "*")
	var numbers [3]float64
	for i, bound := range []string{bounds[0], bounds[1], last} {
		var ok bool
		if numbers[i], ok = number.Parse(strings.TrimSpace(bound)); !ok {
			return nil, fmt.Errorf("%q is no number: it takes from:to:step or from:to:*factor, such as 0.5:0.9:0.1 or 1k:1M:*10", bound)
		}
	}
	if multiply {
		return Powers(numbers[0], numbers[1], numbers[2])
	}
	return Range(numbers[0], numbers[1], numbers[2])
}

// MaxValues bounds an axis: more values are a mistake, such as a step that is too small.
const MaxValues = 100_000

// Range is the numbers from, from + step, and so on, up to and including to.
func Range(from, to, step float64) ([]any, error) {
	steps := math.Floor((to-from)/step + 1e-9)
	if step == 0 || !(steps >= 0) || steps >= MaxValues {
		return nil, fmt.Errorf("from %v to %v by %v: it takes steps that lead there, at most %d of them", from, to, step, MaxValues)
	}
	return sequence(steps, func(i float64) float64 { return from + i*step }), nil
}

// Powers is the numbers from, from * factor, and so on, up to and including to.
func Powers(from, to, factor float64) ([]any, error) {
	steps := math.Floor(math.Log(to/from)/math.Log(factor) + 1e-9)
	if !(from > 0 && to > 0 && factor > 0 && factor != 1 && steps >= 0 && steps < MaxValues) {
		return nil, fmt.Errorf("from %v to %v times %v: it takes numbers above 0 and a factor that leads there", from, to, factor)
	}
	return sequence(steps, func(i float64) float64 { return from * math.Pow(factor, i) }), nil
}

// sequence has 12 digits of each number: 0.6, not 0.6000000000000001.
func sequence(steps float64, at func(i float64) float64) (values []any) {
	for i := range int(steps) + 1 {
		x := at(float64(i))
		if x != math.Trunc(x) {
			x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
		}
		values = append(values, x)
	}
	return values
}
