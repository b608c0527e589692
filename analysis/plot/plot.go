// Package plot draws figures of results: SVG, PDF and PNG, and their numbers as tables.
package plot

import (
	"fmt"
	"image/color"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgpdf"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// Extensions are the kinds of pictures.
var Extensions = []string{".pdf", ".png", ".svg"}

// CheckPath refuses a file of another kind.
func CheckPath(path string) error {
	extension := strings.ToLower(filepath.Ext(path))
	if slices.Contains(Extensions, extension) {
		return nil
	}
	hint := ""
	if format := map[string]string{".csv": "csv", ".md": "markdown", ".tex": "latex"}[extension]; format != "" { // of a table
		hint = fmt.Sprintf("; hint: --table %s > %s writes the numbers", format, path)
	}
	return fmt.Errorf("%s has no extension of a picture: use %s%s", path, strings.Join(Extensions, ", "), hint)
}

// Widths of a column of a paper and of a page with two columns, in centimeters.
const (
	Column = 8.5
	Page   = 17.8
)

// Width is the usual width of a figure in centimeters.
func Width(f analysis.Figure) float64 {
	return lists.Either(len(f.Panels) == 1 && len(f.X.Categories) <= 16, Column, Page)
}

// Write draws a figure as the picture that the path's extension names. Equal figures make equal bytes.
func Write(w io.Writer, path string, f analysis.Figure, centimeters float64) error {
	const dotsPerInch = 300 // of a PNG: what printers ask for
	l := newLayout(f, vg.Length(centimeters)*vg.Centimeter)
	var c vg.CanvasWriterTo
	switch strings.ToLower(filepath.Ext(path)) {
	case ".svg":
		c = &sized{Canvas: vgsvg.New(l.width, l.height)}
	case ".pdf":
		fpdf.SetDefaultCreationDate(time.Unix(0, 0).UTC())
		fpdf.SetDefaultModificationDate(time.Unix(0, 0).UTC())
		fpdf.SetDefaultCatalogSort(true)
		c = vgpdf.New(l.width, l.height)
	case ".png":
		c = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(l.width, l.height), vgimg.UseDPI(dotsPerInch))}
	default:
		return CheckPath(path)
	}
	l.draw(draw.New(c))
	_, err := c.WriteTo(w)
	return err
}

// layout has the positions of a figure's parts: title, panels, legend, notes.
type layout struct {
	f             analysis.Figure
	width, height vg.Length
	columns, rows int
	legend        legend
	notes         []string
	title         vg.Length // heights
	foot          vg.Length
}

// Sizes of a panel in points.
const (
	leastPanel  = 118
	panelHeight = 118
	line        = 9.5
)

func newLayout(f analysis.Figure, width vg.Length) layout {
	l := layout{f: f, width: width}
	least := vg.Length(leastPanel)
	if f.X.Bars {
		least = max(least, vg.Length(8*len(f.X.Categories)+30))
	}
	most := max(1, int(width/least))
	l.rows = (len(f.Panels) + most - 1) / most
	l.columns = (len(f.Panels) + l.rows - 1) / l.rows
	if f.Title != "" {
		l.title = 14
	}
	if legend := legendOf(f, width); len(legend.names) > 1 {
		l.legend = legend
	}
	l.notes = slices.Concat(lists.Map(slices.Concat(f.Hollow, f.Failed), func(note string) []string { return wrap(note, width-8) })...)
	l.foot = vg.Length(l.legend.rows())*(line+2) + vg.Length(len(l.notes))*line + 4
	l.height = l.title + l.foot + vg.Length(l.rows)*l.panel()
	return l
}

// panel is the height of a panel: higher if it is wide, or has turned names below it.
func (l layout) panel() vg.Length {
	height := max(panelHeight, min(l.width/vg.Length(l.columns)*0.68, 165))
	if l.turned() {
		height += l.longest() * 0.75
	}
	return height
}

// turned reports whether the names below a panel are too long to stand side by side.
func (l layout) turned() bool {
	const besides = 36 // the labels of the y axis
	return (l.longest()+5)*vg.Length(len(l.f.X.Categories)) > l.width/vg.Length(l.columns)-besides
}

func (l layout) longest() vg.Length { return lists.Max(l.f.X.Categories, letters(smallSize).Width) }

func (l layout) draw(c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	if l.f.Title != "" {
		style := letters(textSize + 0.5)
		style.XAlign, style.YAlign = draw.XCenter, draw.YTop
		c.FillText(style, vg.Point{X: c.Center().X, Y: c.Max.Y - 3}, fitted(l.f.Title, style, l.width-8))
	}
	l.drawPanels(draw.Crop(c, 0, 0, l.foot, -l.title))
	at := c.Min.Y + l.foot - 2
	l.legend.draw(c, at)
	at -= vg.Length(l.legend.rows()) * (line + 2)
	for i, note := range l.notes {
		style := letters(smallSize)
		style.YAlign = draw.YTop
		c.FillText(style, vg.Point{X: c.Min.X + 4, Y: at - vg.Length(i)*line}, note)
	}
}

// drawPanels aligns the panels. Only those at the left say what y is, only the lowest what x is.
func (l layout) drawPanels(c draw.Canvas) {
	grid := make([][]*plot.Plot, l.rows)
	for row := range grid {
		grid[row] = make([]*plot.Plot, l.columns)
		for column := range grid[row] {
			i := row*l.columns + column
			if i >= len(l.f.Panels) {
				continue
			}
			p := l.fittedPanel(l.f.Panels[i])
			if column > 0 {
				p.Y.Label.Text = ""
			}
			if i+l.columns < len(l.f.Panels) {
				p.X.Label.Text = ""
			}
			grid[row][column] = p
		}
	}
	tiles := draw.Tiles{Rows: l.rows, Cols: l.columns, PadX: 8, PadY: 8, PadLeft: 3, PadRight: 5, PadTop: 4, PadBottom: 2}
	for row, canvases := range plot.Align(grid, tiles, c) {
		for column, canvas := range canvases {
			if p := grid[row][column]; p != nil {
				p.Draw(canvas)
			}
		}
	}
}

// fittedPanel has texts that fit its size.
func (l layout) fittedPanel(panel analysis.Panel) *plot.Plot {
	p := newPanel(l.f, panel)
	p.Title.Text = fitted(p.Title.Text, p.Title.TextStyle, l.width/vg.Length(l.columns)*0.95)
	p.Y.Label.Text = balanced(p.Y.Label.Text, 0.7*l.panel())
	if l.turned() {
		turn(&p.X, l.f.X.Categories)
	}
	return p
}

// fitted shortens a text that is too wide.
func fitted(text string, style interface{ Width(string) vg.Length }, width vg.Length) string {
	runes := []rune(text)
	for n := len(runes); n > 0; n-- {
		short := string(runes[:n])
		if n < len(runes) {
			short += "..."
		}
		if style.Width(short) <= width {
			return short
		}
	}
	return text
}

// balanced breaks a label that is too long into lines of about the same length.
func balanced(text string, width vg.Length) string {
	whole := letters(textSize).Width(text)
	if whole <= width {
		return text
	}
	return strings.Join(wrap(text, 1.1*whole/vg.Length(math.Ceil(float64(whole/width)))), "\n")
}

func wrap(text string, width vg.Length) (lines []string) {
	style := letters(smallSize)
	for word := range strings.FieldsSeq(text) {
		if last := len(lines) - 1; last >= 0 && style.Width(lines[last]+" "+word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

// legend is a list of groups in columns.
type legend struct {
	names   []string
	columns []vg.Length // widths
	boxes   bool        // the groups are bars
	groups  int         // how many there are; what follows is of others
}

// legendOf has as few rows as fit: the groups, then what the numbers of others are called.
func legendOf(f analysis.Figure, width vg.Length) legend {
	const otherFonts = 1.16 // how much wider a text of an SVG may be where the font is missing
	l := legend{names: f.Groups, boxes: f.X.Bars, groups: len(f.Groups)}
	if f.Published != "" {
		l.names = append(slices.Clone(f.Groups), f.Published)
	}
	for rows := 1; rows <= len(l.names); rows++ {
		l.columns = make([]vg.Length, (len(l.names)+rows-1)/rows)
		for i, name := range l.names {
			c := i % len(l.columns)
			l.columns[c] = max(l.columns[c], otherFonts*letters(textSize).Width(name)+legendLine+12)
		}
		if l.width() <= width-8 {
			break
		}
	}
	return l
}

func (l legend) width() vg.Length {
	return lists.Sum(l.columns, func(w vg.Length) vg.Length { return w })
}

func (l legend) rows() int {
	columns := max(len(l.columns), 1)
	return (len(l.names) + columns - 1) / columns
}

// draw centers the legend below a height.
func (l legend) draw(c draw.Canvas, top vg.Length) {
	x := vg.Length(0)
	style := letters(textSize)
	style.YAlign = draw.YCenter
	for i, name := range l.names {
		column := i % len(l.columns)
		if column == 0 {
			x = c.Center().X - l.width()/2 + 4
		}
		at := vg.Point{X: x, Y: top - vg.Length(i/len(l.columns))*(line+2) - line/2}
		x += l.columns[column]
		l.sample(c, i, at)
		c.FillText(style, vg.Point{X: at.X + legendLine + 4, Y: at.Y}, name)
	}
}

// sample draws what stands for a name: a line with a marker, or a box. Its left end is given.
func (l legend) sample(c draw.Canvas, i int, at vg.Point) {
	s, middle := styleOf(i), vg.Point{X: at.X + legendLine/2, Y: at.Y}
	switch {
	case i == l.groups && l.boxes:
		c.StrokeLine2(lidLine, middle.X, at.Y, at.X+legendLine, at.Y)
	case i == l.groups:
		c.StrokeLine2(shadowLine, at.X, at.Y, at.X+legendLine, at.Y)
		styleOf(0).shadow(&c, middle)
	case l.boxes:
		s.box(c, vg.Rectangle{Min: vg.Point{X: middle.X, Y: at.Y - 3}, Max: vg.Point{X: at.X + legendLine, Y: at.Y + 3}}, false)
	default:
		c.StrokeLine2(s.line(), at.X, at.Y, at.X+legendLine, at.Y)
		s.mark(&c, middle, false)
	}
}

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
	return lists.Either[color.Color](hollow, color.White, s.color)
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

func (s style) shadow(c *draw.Canvas, at vg.Point) {
	const shadowSize = 3.9
	paint(c, s.shape.outline(at, shadowSize), shadowColor, shadowEdge)
}
