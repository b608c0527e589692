package run

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Values of options and axes are numbers (float64), texts or booleans.

// ParseValue reads a value of the kind that like is of.
func ParseValue(text string, like any) (any, bool) {
	switch like.(type) {
	case float64:
		x, ok := ParseNumber(text)
		return x, ok
	case bool:
		return text == "true", text == "true" || text == "false"
	}
	return text, true
}

// ParseNumber reads a number as users write it: 0.5, 1e6, 1_000_000, 20k, 3M, 1G.
func ParseNumber(text string) (float64, bool) {
	digits, factor := strings.ReplaceAll(text, "_", ""), 1.0
	for suffix, times := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if short, ok := strings.CutSuffix(digits, suffix); ok {
			digits, factor = short, times
		}
	}
	if strings.Trim(digits, "+-.eE0123456789") != "" { // no inf, nan, 0x
		return 0, false
	}
	x, err := strconv.ParseFloat(digits, 64)
	return x * factor, err == nil && !math.IsInf(x*factor, 0)
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

// MaxValues bounds an axis: more values are a mistake, such as a step too small.
const MaxValues = 100_000

// Range is the numbers from, from + step, and so on, up to and with to.
func Range(from, to, step float64) ([]any, error) {
	steps := math.Floor((to-from)/step + 1e-9)
	if step == 0 || !(steps >= 0) || steps >= MaxValues {
		return nil, fmt.Errorf("from %v to %v by %v: it takes steps that lead there, at most %d of them", from, to, step, MaxValues)
	}
	var values []any
	for i := range int(steps) + 1 {
		values = append(values, rounded(from+float64(i)*step))
	}
	return values, nil
}

// Powers is the numbers from, from * factor, and so on, up to and with to.
func Powers(from, to, factor float64) ([]any, error) {
	steps := math.Floor(math.Log(to/from)/math.Log(factor) + 1e-9)
	if !(from > 0 && to > 0 && factor > 0 && factor != 1 && steps >= 0 && steps < MaxValues) {
		return nil, fmt.Errorf("from %v to %v times %v: it takes numbers above 0 and a factor that leads there", from, to, factor)
	}
	var values []any
	for i := range int(steps) + 1 {
		values = append(values, rounded(from*math.Pow(factor, float64(i))))
	}
	return values, nil
}

// rounded takes away what adding leaves behind the 12th digit: 0.6, not
// 0.6000000000000001.
func rounded(x float64) float64 {
	if x == math.Trunc(x) {
		return x
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 12, 64), 64)
	return short
}
