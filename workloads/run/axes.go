package run

import (
	"fmt"
	"strings"
)

// Axis is a name with the values that a run goes through.
type Axis struct {
	Name   string
	Values []any // numbers (float64), texts or booleans
}

// Coordinate is where a point is on one axis.
type Coordinate struct {
	Name  string
	Value any
}

// Point is a combination of values, one of each axis.
type Point []Coordinate

// maxPoints bounds the product of the axes.
const maxPoints = 100_000

// Points is the product of the axes; the last axis changes fastest. Without axes
// there is one point.
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

// Map is the point as scripts and results have it.
func (p Point) Map() map[string]any {
	values := map[string]any{}
	for _, c := range p {
		values[c.Name] = c.Value
	}
	return values
}

// where says at which point, unless there is but one.
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
