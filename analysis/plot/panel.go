package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
)

// chart draws the curves of a panel.
type chart struct {
	analysis.Panel
	figure analysis.Figure
}

func newPanel(f analysis.Figure, p analysis.Panel) *plot.Plot {
	out := plot.New()
	out.BackgroundColor = nil
	out.Title.Text, out.Title.Padding = p.Title, vg.Points(3)
	out.Title.TextStyle.Font = letters(textSize).Font
	for _, axis := range []*plot.Axis{&out.X, &out.Y} {
		axis.Label.TextStyle.Font, axis.Tick.Label.Font = letters(textSize).Font, letters(smallSize).Font
		axis.Padding, axis.Tick.Length, axis.Label.Padding = 0, vg.Points(3), vg.Points(2)
	}
	out.X.Label.Text, out.Y.Label.Text = f.X.Label, f.Y.Label
	scaleX(&out.X, f)
	scaleY(&out.Y, f.Y, p)
	out.Add(chart{p, f})
	return out
}

func numbers(panels []analysis.Panel, of func(analysis.Spot) float64) (list []float64) {
	for _, p := range panels {
		for _, c := range slices.Concat(p.Curves, p.Published) {
			for _, s := range c.Spots {
				list = append(list, of(s))
			}
		}
	}
	return list
}

// scaleX is the same for all panels.
func scaleX(axis *plot.Axis, f analysis.Figure) {
	if f.X.Categories != nil {
		axis.Min, axis.Max = -0.6, float64(len(f.X.Categories))-0.4
		axis.Tick.Marker = named(f.X.Categories)
		if f.X.Bars {
			axis.Tick.Length = 0
		}
		return
	}
	xs := numbers(f.Panels, func(s analysis.Spot) float64 { return s.X })
	for _, p := range f.Panels {
		xs = append(xs, lists.Map(p.Gaps, func(g analysis.Gap) float64 { return g.X })...)
	}
	low, high := slices.Min(xs), slices.Max(xs)
	right := 1.0
	if slices.ContainsFunc(f.Panels, func(p analysis.Panel) bool { return p.Levels != nil }) {
		right = 4 // for their markers, beside the curves
	}
	if f.X.Log {
		room := math.Pow(max(high/low, 1.1), 0.04)
		logarithmic(axis, low/room, high*math.Pow(room, right), xs)
		axis.Tick.Marker = upTo(math.Log10(high*room), axis.Tick.Marker)
		return
	}
	room := cmp.Or(0.04*(high-low), max(0.1*math.Abs(high), 0.1))
	axis.Min, axis.Max = low-room, high+room*right
	axis.Tick.Marker = evenly(axis.Min, axis.Max, 5)
	if isWhole := func(x float64) bool { return x == math.Trunc(x) }; !slices.ContainsFunc(xs, func(x float64) bool { return !isWhole(x) }) {
		axis.Tick.Marker = wholes(axis.Min, axis.Max, 5)
	}
	axis.Tick.Marker = upTo(high+room, axis.Tick.Marker)
}

// upTo leaves out the ticks beyond a value.
func upTo(high float64, marks plot.Ticker) ticks {
	return slices.DeleteFunc(marks.Ticks(0, 0), func(t plot.Tick) bool { return t.Value > high })
}

// logarithmic makes an axis of logarithms. A plot.LogScale would place the label's box wrongly and shrink the panel.
func logarithmic(axis *plot.Axis, low, high float64, values []float64) {
	marks := byPowers(low, high, values)
	for i := range marks {
		marks[i].Value = math.Log10(marks[i].Value)
	}
	axis.Min, axis.Max, axis.Tick.Marker = math.Log10(low), math.Log10(high), marks
}

func position(a analysis.Axis, value float64) float64 {
	return lists.Either(a.Log, math.Log10(value), value)
}

// turn writes names from below. The space at their end, which is one that SVG keeps, holds them off the axis.
func turn(axis *plot.Axis, names []string) {
	marks := named(names)
	for i := range marks {
		marks[i].Label += "\u00a0\u00a0"
	}
	axis.Tick.Marker = marks
	axis.Tick.Label.Rotation = math.Pi / 2
	axis.Tick.Label.XAlign, axis.Tick.Label.YAlign = draw.XRight, draw.YCenter
}

// scaleY begins at 0, unless it is logarithmic. Long intervals are cut off.
func scaleY(axis *plot.Axis, y analysis.Axis, p analysis.Panel) {
	ys := numbers([]analysis.Panel{p}, func(s analysis.Spot) float64 { return s.Y })
	ends := numbers([]analysis.Panel{p}, func(s analysis.Spot) float64 { return s.High })
	for _, level := range p.Levels {
		if !y.Log || level.Y > 0 {
			ys = append(ys, level.Y)
		}
	}
	ys = append(ys, p.Limits...)
	low, high := slices.Min(ys), slices.Max(ys)
	if y.Log {
		logarithmic(axis, low/1.3, high*1.3, nil)
		return
	}
	top := max(high*1.06, min(slices.Max(ends)*1.02, high*1.3))
	axis.Min, axis.Max = min(0, low*1.05), top
	if axis.Max <= axis.Min {
		axis.Max = axis.Min + 1
	}
	marks := evenly(axis.Min, axis.Max, 5)
	if last := marks[len(marks)-1].Value; last > 0.96*axis.Max {
		axis.Max = last * 1.04 // the label of the last mark must not lift the title
	}
	axis.Tick.Marker = marks
}

// Plot draws light lines behind the curves, then the curves.
func (ch chart) Plot(c draw.Canvas, p *plot.Plot) {
	onX, onY := p.Transforms(&c)
	ch.grid(c, p, onY)
	transX := func(x float64) vg.Length { return onX(position(ch.figure.X, x)) }
	transY := func(y float64) vg.Length { return onY(limited(position(ch.figure.Y, y), p.Y)) }
	at := func(x, y float64) vg.Point { return vg.Point{X: transX(x), Y: transY(y)} }
	for _, limit := range ch.Limits {
		height := at(1, limit).Y
		c.StrokeLine2(limitLine, c.Min.X, height, c.Max.X, height)
	}
	if ch.figure.X.Bars {
		ch.bars(c, transX, transY)
		ch.lids(c, transX, transY)
		return
	}
	ch.published(c, at)
	for _, curve := range ch.Curves {
		ch.curve(c, curve, at)
	}
	for i, gap := range ch.Gaps {
		cross(c, styleOf(gap.Group), vg.Point{X: transX(gap.X), Y: c.Min.Y + 4 + 7*vg.Length(below(ch.Gaps[:i], gap.X))})
	}
}

// published draws the numbers of others: gray, and larger than the markers that may cover them.
func (ch chart) published(c draw.Canvas, at func(x, y float64) vg.Point) {
	for _, curve := range ch.Published {
		var line []vg.Point
		for _, spot := range curve.Spots {
			line = append(line, at(spot.X, spot.Y))
		}
		c.StrokeLines(shadowLine, line)
		for _, point := range line {
			styleOf(curve.Group).shadow(&c, point)
		}
	}
	for _, level := range ch.Levels {
		height := at(1, level.Y).Y
		if !(height >= c.Min.Y && height <= c.Max.Y) {
			continue
		}
		c.StrokeLine2(shadowLine, c.Min.X, height, c.Max.X, height)
		styleOf(level.Group).shadow(&c, vg.Point{X: c.Max.X - 5, Y: height})
	}
}

// lids are the numbers of others over bars.
func (ch chart) lids(c draw.Canvas, transX, transY func(float64) vg.Length) {
	for _, curve := range ch.Published {
		for _, spot := range curve.Spots {
			left, width := ch.bar(curve.Group, spot.X)
			c.StrokeLine2(lidLine, transX(left-0.05*width), transY(spot.Y), transX(left+1.05*width), transY(spot.Y))
		}
	}
}

// below counts the gaps at a place, on which the next one stands.
func below(gaps []analysis.Gap, x float64) int {
	return len(lists.Filter(gaps, func(g analysis.Gap) bool { return g.X == x }))
}

func cross(c draw.Canvas, s style, at vg.Point) {
	const r = 2.6
	c.StrokeLine2(draw.LineStyle{Color: s.color, Width: 1.2}, at.X-r, at.Y-r, at.X+r, at.Y+r)
	c.StrokeLine2(draw.LineStyle{Color: s.color, Width: 1.2}, at.X-r, at.Y+r, at.X+r, at.Y-r)
}

// limited keeps an interval on the axis.
func limited(y float64, axis plot.Axis) float64 { return min(max(y, axis.Min), axis.Max) }

func (ch chart) grid(c draw.Canvas, p *plot.Plot, transY func(float64) vg.Length) {
	light := draw.LineStyle{Color: gridColor, Width: 0.4}
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" && t.Value > p.Y.Min {
			c.StrokeLine2(light, c.Min.X, transY(t.Value), c.Max.X, transY(t.Value))
		}
	}
}

// many is the number of marks from which on a curve has no markers: they would hide it.
const many = 60

func (ch chart) curve(c draw.Canvas, curve analysis.Curve, at func(x, y float64) vg.Point) {
	s := styleOf(curve.Group)
	var line []vg.Point
	for _, spot := range curve.Spots {
		line = append(line, at(spot.X, spot.Y))
		if spot.High > spot.Low {
			whisker(c, draw.LineStyle{Color: s.color, Width: thinWidth}, at(spot.X, spot.Low), at(spot.X, spot.High))
		}
	}
	c.StrokeLines(s.line(), line)
	marked := false // of many marks that follow each other, some are enough
	for i, spot := range curve.Spots {
		hollow := spot.Mark != ""
		if len(line) < many || hollow && (!marked || i%(len(line)/10) == 0) {
			s.mark(&c, line[i], hollow)
		}
		marked = hollow
	}
}

func whisker(c draw.Canvas, style draw.LineStyle, low, high vg.Point) {
	const half = 1.8
	c.StrokeLine2(style, low.X, low.Y, high.X, high.Y)
	c.StrokeLine2(style, low.X-half, low.Y, low.X+half, low.Y)
	c.StrokeLine2(style, high.X-half, high.Y, high.X+half, high.Y)
}

// bars stand next to each other in each category. Hollow ones are white.
func (ch chart) bars(c draw.Canvas, transX, transY func(float64) vg.Length) {
	for _, curve := range ch.Curves {
		s := styleOf(curve.Group)
		for _, spot := range curve.Spots {
			left, width := ch.bar(curve.Group, spot.X)
			box := vg.Rectangle{Min: vg.Point{X: transX(left + 0.05*width), Y: c.Min.Y}, Max: vg.Point{X: transX(left + 0.95*width), Y: transY(spot.Y)}}
			s.box(c, box, spot.Mark != "")
			if spot.High > spot.Low {
				middle := (box.Min.X + box.Max.X) / 2
				ink := draw.LineStyle{Color: color.Black, Width: thinWidth}
				whisker(c, ink, vg.Point{X: middle, Y: max(transY(spot.Low), c.Min.Y)}, vg.Point{X: middle, Y: min(transY(spot.High), c.Max.Y)})
			}
		}
	}
}

// bar is the place of a group's bar in a category.
func (ch chart) bar(group int, x float64) (left, width float64) {
	width = 0.8 / float64(len(ch.figure.Groups))
	return x - 0.4 + float64(group)*width, width
}

func (s style) box(c draw.Canvas, box vg.Rectangle, hollow bool) {
	paint(&c, box.Path(), s.inside(hollow), draw.LineStyle{Color: s.color, Width: 0.8})
}
