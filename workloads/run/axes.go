package run

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Axis is a parameter of a run with the values that it takes.
type Axis struct {
	Name   string
	Values []any // numbers (float64), texts or booleans
}

// Coordinate is where a point is on one axis.
type Coordinate struct {
	Name  string `json:"name"`
	Value any    `json:"value"` // a float64, a bool or a string
}

// Point is a combination of values, one of each axis.
type Point []Coordinate

// maxPoints bounds the product of the axes.
const maxPoints = 100_000

// Points is the product of the axes, or one point without any. The last axis changes fastest.
func Points(axes []Axis) ([]Point, error) {
	points := []Point{{}}
	for _, axis := range axes {
		if len(points)*len(axis.Values) > maxPoints {
			return nil, fmt.Errorf("axes: more than %d points; take fewer values of %s", maxPoints, axis.Name)
		}
		var longer []Point
		for _, p := range points {
			for _, value := range axis.Values {
				longer = append(longer, append(p[:len(p):len(p)], Coordinate{axis.Name, value}))
			}
		}
		points = longer
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

// where says at which point, if there are axes.
func (p Point) where() string {
	if len(p) == 0 {
		return ""
	}
	return " at " + p.String()
}

// String is the point as people read it: load=0.8 hits=1.
func (p Point) String() string {
	var parts []string
	for _, c := range p {
		parts = append(parts, c.Name+"="+Text(c.Value))
	}
	return strings.Join(parts, " ")
}

// Override replaces the values of axes: name=values, as ParseValues reads them. They are of
// the type of the script's.
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
		var err error
		if axes[i].Values, err = ParseValues(text, axes[i].Values[0]); err != nil {
			return nil, fmt.Errorf("axis %s is %q: %w", name, text, err)
		}
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
