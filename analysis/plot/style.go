package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hashzoo/hashzoo/runtime/lists"
)

// colors are those of Okabe and Ito, which color-blind readers can tell apart, with gray for their
// yellow: on white paper that is invisible. The second eight are Tol's muted ones and brown. No two of sixteen curves have
// one color; shapes and dashes tell groups apart in gray.
var colors = []color.Color{
	color.RGBA{0, 114, 178, 255}, color.RGBA{213, 94, 0, 255}, color.RGBA{0, 158, 115, 255}, color.RGBA{204, 121, 167, 255},
	color.RGBA{0, 0, 0, 255}, color.RGBA{230, 159, 0, 255}, color.RGBA{86, 180, 233, 255}, color.RGBA{130, 130, 130, 255},
	color.RGBA{136, 34, 85, 255}, color.RGBA{153, 153, 51, 255}, color.RGBA{51, 34, 136, 255}, color.RGBA{221, 204, 119, 255},
	color.RGBA{68, 170, 153, 255}, color.RGBA{120, 72, 32, 255}, color.RGBA{204, 102, 119, 255}, color.RGBA{170, 68, 200, 255},
}

var gridColor = color.Gray{225}

var dashes = [][]vg.Length{nil, {4, 1.5}, {1.2, 1.2}, {5, 1.2, 1.2, 1.2}, {2.5, 1}}

// shape is a marker: a circle, or corners around a center.
type shape struct {
	corners int
	turn    float64 // of the first corner, in parts of a circle
	inner   float64 // the radius between the corners of a star; 0 for a polygon
	radius  float64 // relative to the circle's, so that all look equally large
}

var shapes = []shape{
	{radius: 0.95}, {corners: 4, turn: 0.125, radius: 1.2}, {corners: 3, turn: 0.25, radius: 1.3}, {corners: 4, turn: 0.25, radius: 1.25},
	{corners: 3, turn: 0.75, radius: 1.3}, {corners: 5, turn: 0.25, inner: 0.45, radius: 1.5}, {corners: 6, radius: 1.1}, {corners: 4, turn: 0.25, inner: 0.3, radius: 1.6},
}

// style is the look of a group. No two of the first 64 are the same.
type style struct {
	color color.Color
	shape shape
	dash  []vg.Length
}

func styleOf(group int) style {
	n := group + group/len(shapes)
	return style{colors[group%len(colors)], shapes[n%len(shapes)], dashes[n%len(dashes)]}
}

func (s shape) outline(at vg.Point, size vg.Length) (p vg.Path) {
	r := float64(size) * s.radius
	if s.corners == 0 {
		p.Move(vg.Point{X: at.X + vg.Length(r), Y: at.Y})
		p.Arc(at, vg.Length(r), 0, 2*math.Pi)
		p.Close()
		return p
	}
	step := lists.Either(s.inner > 0, 2, 1)
	for i := range step * s.corners {
		radius := r
		if i%2 == 1 && s.inner > 0 {
			radius *= s.inner
		}
		angle := 2 * math.Pi * (s.turn + float64(i)/float64(step*s.corners))
		corner := vg.Point{X: at.X + vg.Length(radius*math.Cos(angle)), Y: at.Y + vg.Length(radius*math.Sin(angle))}
		if i == 0 {
			p.Move(corner)
		} else {
			p.Line(corner)
		}
	}
	p.Close()
	return p
}

// Sizes in points: text of 8 points is as large as a paper's captions.
const (
	textSize   = 8
	smallSize  = 7
	markSize   = 2.3
	lineWidth  = 1.1
	thinWidth  = 0.6
	legendLine = 20 // the length of a sample in the legend
)

// letters is a style of text. Bold fonts fail in PDF (gonum.org/v1/plot v0.17.0).
func letters(size vg.Length) text.Style {
	f := font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
	return text.Style{Color: color.Black, Font: f, Handler: plot.DefaultTextHandler}
}

// mark draws a marker. A hollow one is white inside.
func (s style) mark(c *draw.Canvas, at vg.Point, hollow bool) {
	paint(c, s.shape.outline(at, markSize), s.inside(hollow), draw.LineStyle{Color: s.color, Width: 0.9})
}

func (s style) inside(hollow bool) color.Color {
	if hollow {
		return color.White
	}
	return s.color
}

// paint fills a path and draws its edge.
func paint(c *draw.Canvas, path vg.Path, inside color.Color, edge draw.LineStyle) {
	c.SetColor(inside)
	c.Fill(path)
	c.SetLineStyle(edge)
	c.Stroke(path)
}

func (s style) line() draw.LineStyle {
	return draw.LineStyle{Color: s.color, Width: lineWidth, Dashes: s.dash}
}

// Numbers of others are gray, below everything else. Their markers are larger, so that equal ones show as a rim.
var (
	shadowColor = color.Gray{215}
	shadowLine  = draw.LineStyle{Color: color.Gray{150}, Width: 1, Dashes: []vg.Length{2, 1.6}}
	limitLine   = draw.LineStyle{Color: shadowLine.Color, Width: 0.8, Dashes: []vg.Length{5, 3}}
	shadowEdge  = draw.LineStyle{Color: shadowLine.Color, Width: 0.6}
	lidLine     = draw.LineStyle{Color: color.Gray{90}, Width: 1.6}
)

const shadowSize = 3.9

func (s style) shadow(c *draw.Canvas, at vg.Point) {
	paint(c, s.shape.outline(at, shadowSize), shadowColor, shadowEdge)
}
