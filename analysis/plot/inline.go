package plot

import (
	"fmt"
	"html/template"
	"image/color"
	"regexp"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hashzoo/hashzoo/analysis"
)

// Inline draws each panel of a figure as an SVG element for an HTML page. Its colors are CSS variables of the page:
// --curve-0 and on, --paper, --grid, --shadow, --shadow-line and --lid; text and axes have the color of the text around them.
func Inline(f analysis.Figure) (panels []template.HTML) {
	width := Column * vg.Centimeter
	if f.X.Bars {
		width = max(width, vg.Length(8*len(f.X.Categories)+30))
	}
	l := layout{f: f, width: width, columns: 1}
	for _, p := range f.Panels {
		panels = append(panels, element(width, l.panel(), p.Title, func(c draw.Canvas) string {
			c = draw.Crop(c, 2, -5, 2, -2)
			axes := l.fittedPanel(p)
			axes.Draw(c)
			return chart{p, f}.hints(axes, axes.DataCanvas(c))
		}))
	}
	return panels
}

// Sample is a name of a legend, and an SVG element that stands for it.
type Sample struct {
	Name string
	SVG  template.HTML
}

// Samples are the legend of a figure.
func Samples(f analysis.Figure) (list []Sample) {
	const height = 9
	l := legendOf(f, 0)
	for i, name := range l.names {
		list = append(list, Sample{name, element(legendLine+4, height, "", func(c draw.Canvas) string {
			l.sample(c, i, vg.Point{X: 2, Y: height / 2})
			return ""
		})})
	}
	return list
}

var (
	prolog = regexp.MustCompile(`(?s)^.*?<svg.*?>\n`)
	face   = regexp.MustCompile(`font-family:[^;]*;font-variant:normal;font-weight:normal;font-style:normal;`)
)

// sized is a canvas whose texts are as wide as they were measured, whatever font shows them.
type sized struct {
	*vgsvg.Canvas
	widths []vg.Length
}

func (c *sized) FillString(f font.Face, at vg.Point, text string) {
	c.widths = append(c.widths, f.Width(text))
	c.Canvas.FillString(f, at, text)
}

func (c *sized) text() string {
	var text strings.Builder
	_, _ = c.WriteTo(&text) // into memory
	parts := strings.Split(text.String(), "<text ")
	for i, width := range c.widths {
		parts[i+1] = fmt.Sprintf(`<text textLength="%.4g" lengthAdjust="spacingAndGlyphs" `, width.Points()) + parts[i+1]
	}
	return strings.Join(parts, "")
}

// element is an SVG element without what a page says anyway: the font and how large a point is.
func element(width, height vg.Length, label string, paint func(draw.Canvas) (further string)) template.HTML {
	c := &sized{Canvas: vgsvg.New(width, height)}
	further := paint(draw.New(c))
	text := c.text()
	svg := face.ReplaceAllString(prolog.ReplaceAllString(text, ""), "")
	svg = strings.Replace(svg, "</g>\n</svg>", further+"</g>\n</svg>", 1)
	role := `aria-hidden="true"`
	if label != "" {
		role = fmt.Sprintf(`role="img" aria-label="%s"`, template.HTMLEscapeString(label))
	}
	start := fmt.Sprintf(`<svg class="chart" viewBox="0 0 %.5g %.5g" style="--points:%.0f" fill="currentColor" %s>`, width, height, width, role)
	return template.HTML(start + "\n" + variables.Replace(svg))
}

// variables replaces colors. Black text and areas have none, since that is the default.
var variables = func() *strings.Replacer {
	pairs := replaced(color.Black, "currentColor")
	for i, c := range colors {
		pairs = append(pairs, replaced(c, fmt.Sprintf("var(--curve-%d)", i))...)
	}
	for name, c := range map[string]color.Color{"paper": color.White, "grid": gridColor, "shadow": shadowColor, "shadow-line": shadowLine.Color, "lid": lidLine.Color} {
		pairs = append(pairs, replaced(c, "var(--"+name+")")...)
	}
	return strings.NewReplacer(pairs...)
}()

func replaced(c color.Color, name string) (pairs []string) {
	r, g, b, _ := c.RGBA()
	for _, property := range []string{"fill:", "stroke:"} {
		pairs = append(pairs, fmt.Sprintf("%s#%02X%02X%02X", property, r>>8, g>>8, b>>8), property+name)
	}
	return pairs
}

// hints are invisible circles with the numbers of marks, shown when the mouse points at them.
func (ch chart) hints(axes *plot.Plot, c draw.Canvas) string {
	var text strings.Builder
	onX, onY := axes.Transforms(&c)
	for _, curve := range slices.Concat(ch.Published, ch.Curves) {
		if len(curve.Spots) >= many {
			continue
		}
		for _, s := range curve.Spots {
			x := position(ch.figure.X, s.X)
			if ch.figure.X.Bars {
				left, width := ch.bar(curve.Group, s.X)
				x = left + width/2
			}
			fmt.Fprintf(&text, `<circle class="hint" cx="%.4g" cy="%.4g" r="4"><title>%s</title></circle>`+"\n",
				onX(x), onY(limited(position(ch.figure.Y, s.Y), axes.Y)), template.HTMLEscapeString(ch.hint(curve, s)))
		}
	}
	return text.String()
}

// hint writes a mark in words: first, load factor 0.8: 12.3 ± 0.1 throughput (Mop/s).
func (ch chart) hint(curve analysis.Curve, s analysis.Spot) string {
	f := ch.figure
	where := strings.TrimSpace(f.X.Label + " " + xText(f.X, s.X))
	if group := f.Groups[curve.Group]; group != "" && group != f.Y.Label {
		where = group + ", " + where
	}
	text := fmt.Sprintf("%s: %s %s", where, strings.TrimSuffix(cell(s), "*"), f.Y.Label)
	if s.Mark != "" {
		text += "; hollow: " + s.Mark
	}
	if s.Source != "" {
		text += "; " + s.Source
	}
	return text
}
