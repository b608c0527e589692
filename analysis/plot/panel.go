package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"

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
			list = append(list, lists.Map(c.Spots, of)...)
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
	right := lists.Either(slices.Contains(xs, analysis.AnyX), 4.0, 1) // for markers beside the curves
	xs = slices.DeleteFunc(xs, func(x float64) bool { return x == analysis.AnyX })
	low, high := slices.Min(xs), slices.Max(xs)
	if f.X.Log {
		room := math.Pow(max(high/low, 1.1), 0.04)
		logarithmic(axis, low/room, high*math.Pow(room, right), xs)
		axis.Tick.Marker = upTo(math.Log10(high*room), axis.Tick.Marker)
		return
	}
	room := cmp.Or(0.04*(high-low), max(0.1*math.Abs(high), 0.1))
	axis.Min, axis.Max = low-room, high+room*right
	fraction := slices.ContainsFunc(xs, func(x float64) bool { return x != math.Trunc(x) })
	axis.Tick.Marker = upTo(high+room, evenly(axis.Min, axis.Max, 5, !fraction))
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
	marks := evenly(axis.Min, axis.Max, 5, false)
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

// published draws the numbers of others: gray, and larger than the markers that may cover them. One without a place on
// the x axis is a level line.
func (ch chart) published(c draw.Canvas, at func(x, y float64) vg.Point) {
	for _, curve := range ch.Published {
		points, placed := []vg.Point{}, 0
		for _, s := range curve.Spots {
			point := at(s.X, s.Y)
			if s.X == analysis.AnyX { // those come last
				point.X = c.Max.X - 5
				c.StrokeLine2(shadowLine, c.Min.X, point.Y, c.Max.X, point.Y)
			} else {
				placed++
			}
			points = append(points, point)
		}
		c.StrokeLines(shadowLine, points[:placed])
		for _, point := range points {
			styleOf(curve.Group).shadow(&c, point)
		}
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

// ticks are fixed marks of an axis.
type ticks = plot.ConstantTicks

// evenly has about n marks at multiples of 1, 2 or 5 times a power of ten. Batches have no halves, and marks at whole
// numbers only.
func evenly(low, high float64, n int, whole bool) (list ticks) {
	step := niceStep((high - low) / float64(n))
	for whole && step != math.Trunc(step) {
		step = niceStep(1.1 * step)
	}
	for k := math.Ceil(low/step - 1e-9); k*step <= high*(1+1e-9); k++ {
		list = append(list, plot.Tick{Value: k * step, Label: number(k*step, step)})
	}
	return list
}

// niceStep rounds a step up.
func niceStep(least float64) float64 {
	if !(least > 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 2.5, 5} {
		if m*power >= least*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// number writes a value with as many digits as the step needs.
func number(x, step float64) string {
	switch {
	case x == 0:
		return "0"
	case step >= 1e9:
		return trim(x/1e9) + "G"
	case step >= 1e6:
		return trim(x/1e6) + "M"
	case step >= 1e4:
		return trim(x/1e3) + "K"
	}
	digits := 0
	for s := step; digits < 12 && math.Abs(s-math.Round(s)) > 1e-6*s; digits++ {
		s *= 10
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}

func trim(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }

// byPowers has marks at powers of two if all values are such, else at powers of ten and at multiples of these, of
// which the more have labels the shorter the axis is.
func byPowers(low, high float64, values []float64) (list ticks) {
	isPower := func(x float64) bool { return x >= 1 && x < 1<<62 && math.Exp2(math.Round(math.Log2(x))) == x }
	if len(values) > 1 && len(lists.Filter(values, isPower)) == len(values) {
		return powersOfTwo(low, high)
	}
	decades := math.Log10(high / low)
	if decades < 0.5 {
		return evenly(low, high, mostMarks, false)
	}
	for power := math.Pow(10, math.Floor(math.Log10(low))); power <= high; power *= 10 {
		for m := 1.0; m < 10; m++ {
			x, labeled := m*power, m == 1 || decades < 2.5 && (m == 2 || m == 5) || decades < 1 && (m == 3 || m == 7)
			label := lists.Either(labeled, number(x, x), "")
			if x >= low*(1-1e-9) && x <= high*(1+1e-9) {
				list = append(list, plot.Tick{Value: x, Label: label})
			}
		}
	}
	return list
}

// mostMarks is the largest number of marks with labels on an axis.
const mostMarks = 4

func powersOfTwo(low, high float64) (list ticks) {
	first, last := int(math.Ceil(math.Log2(low)-1e-9)), int(math.Floor(math.Log2(high)+1e-9))
	every := 1
	for (last-first)/every >= mostMarks {
		every++
	}
	for k := first; k <= last; k++ {
		x := math.Ldexp(1, k)
		list = append(list, plot.Tick{Value: x, Label: lists.Either((k-first)%every == 0, analysis.Text(x), "")})
	}
	return list
}

// named has a mark for each category.
func named(categories []string) (list ticks) {
	for i, name := range categories {
		list = append(list, plot.Tick{Value: float64(i), Label: name})
	}
	return list
}
