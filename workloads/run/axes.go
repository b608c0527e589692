package run

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/number"
)

// Axis is a parameter of a run with the values that it takes.
type Axis struct {
	Name   string
	Values []any // numbers (float64), texts or booleans
}

// Coordinate is the value of a point on one axis.
type Coordinate struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // a float64, a bool or a string
}

// Point is a combination of values, one of each axis.
type Point []Coordinate

// Repeat is the axis that measures each point several times. Scripts need not declare it.
const Repeat = "repeat"

const maxPoints = 100_000

// Points returns the product of the axes; without axes, one point. The last axis changes fastest.
func Points(axes []Axis) ([]Point, error) {
	points := []Point{{}}
	for _, axis := range axes {
		if len(points)*len(axis.Values) > maxPoints {
			return nil, fmt.Errorf("axes: more than %d points; take fewer values of %s", maxPoints, axis.Name)
		}
		points = slices.Concat(lists.Map(points, func(p Point) []Point {
			return lists.Map(axis.Values, func(value any) Point { return append(p[:len(p):len(p)], Coordinate{axis.Name, value}) })
		})...)
	}
	return points, nil
}

// Map is the point as scripts and results use it.
func (p Point) Map() map[string]any {
	values := map[string]any{}
	for _, c := range p {
		values[c.Name] = c.Value
	}
	return values
}

// Where returns " at load=0.8", or nothing without axes.
func (p Point) Where() string { return lists.Either(len(p) == 0, "", " at "+p.String()) }

// String is the point as people read it: load=0.8 hits=1.
func (p Point) String() string {
	return strings.Join(lists.Map(p, func(c Coordinate) string { return c.Name + "=" + Text(c.Value) }), " ")
}

// Override replaces the values of axes: name=values, of the type of the script's values.
func Override(axes []Axis, settings []string) ([]Axis, error) {
	axes = slices.Clone(axes)
	for _, setting := range settings {
		name, text, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("axis %q: write name=from:to:step or name=value,value", setting)
		}
		i, err := nearest.Index("axis", name, axes, func(a Axis) string { return a.Name })
		if err != nil {
			return nil, err
		}
		if axes[i].Values, err = ParseValues(text, axes[i].Values[0]); err != nil {
			return nil, fmt.Errorf("axis %s is %q: %w", name, text, err)
		}
	}
	return axes, nil
}

// Kind is the type of a value: a number, a boolean or a text.
func Kind(value any) string {
	switch value.(type) {
	case float64:
		return "number"
	case bool:
		return "boolean"
	}
	return "text"
}

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
	if x, ok := value.(float64); ok {
		return number.Text(x)
	}
	return fmt.Sprint(value)
}

// ParseValues reads a list of values of the type of like: 0.6,0.8. Numbers may be from:to:step or from:to:*factor.
func ParseValues(text string, like any) (values []any, _ error) {
	_, numeric := like.(float64)
	if bounds := strings.Split(text, ":"); numeric && len(bounds) == 3 {
		return parseRange(bounds)
	}
	for item := range strings.SplitSeq(text, ",") {
		item = strings.TrimSpace(item)
		value, ok := ParseValue(item, like)
		if !ok || value == "" {
			return nil, fmt.Errorf("%q is no value: it takes %s", item, takes[Kind(like)])
		}
		values = append(values, value)
	}
	return values, nil
}

var takes = map[string]string{
	"number":  "numbers, such as 0.6,0.8 or 0.5:0.9:0.1 or 1k:1M:*10",
	"boolean": "true and false",
	"text":    "texts with commas between them",
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

// Range returns from, from + step, and so on, up to and including to.
func Range(from, to, step float64) ([]any, error) {
	steps := math.Floor((to-from)/step + 1e-9)
	if step == 0 || !(steps >= 0) || steps >= MaxValues {
		return nil, fmt.Errorf("from %v to %v by %v: it takes steps that lead there, at most %d of them", from, to, step, MaxValues)
	}
	return sequence(steps, func(i float64) float64 { return from + i*step }), nil
}

// Powers returns from, from * factor, and so on, up to and including to.
func Powers(from, to, factor float64) ([]any, error) {
	steps := math.Floor(math.Log(to/from)/math.Log(factor) + 1e-9)
	if !(from > 0 && to > 0 && factor > 0 && factor != 1 && steps >= 0 && steps < MaxValues) {
		return nil, fmt.Errorf("from %v to %v times %v: it takes numbers above 0 and a factor that leads there", from, to, factor)
	}
	return sequence(steps, func(i float64) float64 { return from * math.Pow(factor, i) }), nil
}

// sequence rounds each number to 12 digits: 0.6, not 0.6000000000000001.
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
