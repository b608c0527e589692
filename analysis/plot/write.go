package plot

import (
	"cmp"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
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
	_, _ = c.Canvas.WriteTo(&text) // into memory
	parts := strings.Split(text.String(), "<text ")
	for i, width := range c.widths {
		parts[i+1] = fmt.Sprintf(`<text textLength="%.4g" lengthAdjust="spacingAndGlyphs" `, width.Points()) + parts[i+1]
	}
	return strings.Join(parts, "")
}

// WriteTo writes a file, which names fonts that look alike where Liberation is missing.
func (c *sized) WriteTo(w io.Writer) (int64, error) {
	n, err := io.WriteString(w, strings.ReplaceAll(c.text(), "font-family:Liberation Sans", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif"))
	return int64(n), err
}

// element is an SVG element without what a page says anyway: the font and how large a point is.
func element(width, height vg.Length, label string, paint func(draw.Canvas) (further string)) template.HTML {
	c := &sized{Canvas: vgsvg.New(width, height)}
	further := paint(draw.New(c))
	text := c.text()
	svg := face.ReplaceAllString(prolog.ReplaceAllString(text, ""), "")
	svg = strings.Replace(svg, "</g>\n</svg>", further+"</g>\n</svg>", 1)
	role := lists.Either(label == "", `aria-hidden="true"`, fmt.Sprintf(`role="img" aria-label="%s"`, template.HTMLEscapeString(label)))
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
			if s.X == analysis.AnyX {
				continue
			}
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

// Tables write the numbers of figures, by their formats.
var Tables = map[string]func(io.Writer, []analysis.Figure) error{"latex": latex, "markdown": markdown, "csv": comma}

// titled is the table of a panel.
type titled struct {
	title string
	results.Table
}

func panels(figures []analysis.Figure) (list []titled) {
	for _, f := range figures {
		for _, p := range f.Panels {
			title := strings.Trim(f.Title+": "+p.Title, ": ") + ", " + f.Y.Label
			list = append(list, titled{strings.TrimPrefix(title, ", "), wide(f, p)})
		}
	}
	return list
}

// wide has a line for each x and a column for each group.
func wide(f analysis.Figure, p analysis.Panel) results.Table {
	t := results.Table{Columns: []results.Column{{Title: cmp.Or(f.X.Label, f.X.Name), Number: f.X.Categories == nil}}}
	var xs []float64
	curves, names := withPublished(f, p)
	for i, c := range curves {
		t.Columns = append(t.Columns, results.Column{Title: names[i], Number: true})
		xs = lists.Add(xs, lists.Map(c.Spots, func(s analysis.Spot) float64 { return s.X })...)
	}
	slices.Sort(xs)
	t.Rows = lists.Map(xs, func(x float64) []string {
		return append([]string{xText(f.X, x)}, lists.Map(curves, func(c analysis.Curve) string {
			here := lists.Filter(c.Spots, func(s analysis.Spot) bool { return s.X == x }) // nearly always one
			return strings.Join(lists.Map(here, cell), ", ")
		})...)
	})
	return t
}

// withPublished are the curves of a panel, then the numbers of others, and what they are called.
func withPublished(f analysis.Figure, p analysis.Panel) (curves []analysis.Curve, names []string) {
	for _, c := range p.Curves {
		curves, names = append(curves, c), append(names, f.Groups[c.Group])
	}
	byGroup := func(a, b analysis.Curve) int { return cmp.Compare(a.Group, b.Group) }
	for _, c := range slices.SortedFunc(slices.Values(p.Published), byGroup) {
		curves, names = append(curves, c), append(names, strings.TrimPrefix(f.Groups[c.Group]+", "+f.Published, ", "))
	}
	return curves, names
}

func xText(a analysis.Axis, x float64) string {
	if x == analysis.AnyX {
		return "any"
	}
	if a.Categories != nil {
		return a.Categories[int(x)]
	}
	return strconv.FormatFloat(x, 'g', 10, 64)
}

// cell writes a number with its interval: 12.3 ± 0.2. An asterisk stands for a hollow marker.
func cell(s analysis.Spot) string {
	half := (s.High - s.Low) / 2
	text := strconv.FormatFloat(s.Y, 'f', digits(s.Y), 64)
	if half > 0 {
		text += " ± " + strconv.FormatFloat(half, 'f', digits(s.Y), 64)
	}
	if s.Mark != "" {
		text += "*"
	}
	return text
}

// digits after the point for three significant ones, or four.
func digits(y float64) int {
	if y == 0 {
		return 0
	}
	return min(max(2-int(math.Floor(math.Log10(math.Abs(y)))), 0), 9)
}

// remarks explain the table.
func remarks(figures []analysis.Figure) (list []string) {
	for _, f := range figures {
		for _, note := range f.Notes {
			list = lists.Add(list, strings.Replace(note, "hollow: ", "*: ", 1))
		}
	}
	return list
}

func markdown(w io.Writer, figures []analysis.Figure) (err error) {
	for _, t := range panels(figures) {
		fmt.Fprintf(w, "**%s**\n\n", results.Plain(t.title))
		err = cmp.Or(err, t.Markdown(w))
		fmt.Fprintln(w)
	}
	starred := func(note string) string { return strings.Replace(note, "*: ", `\*: `, 1) }
	return cmp.Or(err, results.List(w, lists.Map(remarks(figures), starred)))
}

// comma writes a line for each mark, for programs.
func comma(w io.Writer, figures []analysis.Figure) error {
	t := results.TableOf[any]("figure | panel | x | group | y | low | high | x_name | y_name | note", nil, nil)
	for _, f := range figures {
		for _, p := range f.Panels {
			curves, names := withPublished(f, p)
			for i, c := range curves {
				for _, s := range c.Spots {
					t.Rows = append(t.Rows, []string{f.Title, p.Title, xText(f.X, s.X), names[i], trim(s.Y),
						trim(s.Low), trim(s.High), f.X.Name, f.Y.Label, cmp.Or(s.Mark, s.Source)})
				}
			}
		}
	}
	return t.CSV(w)
}

// latex writes a tabular for each panel, which needs no package.
func latex(w io.Writer, figures []analysis.Figure) error {
	var text strings.Builder
	for _, t := range panels(figures) {
		columns := lists.Map(t.Columns, func(c results.Column) string { return map[bool]string{true: "r", false: "l"}[c.Number] })
		titles := lists.Map(t.Columns, func(c results.Column) string { return escaped(c.Title) })
		fmt.Fprintf(&text, "%% %s\n\\begin{tabular}{%s}\n\\hline\n%s \\\\\n\\hline\n", results.Plain(t.title), strings.Join(columns, ""), strings.Join(titles, " & "))
		for _, row := range t.Rows {
			fmt.Fprintf(&text, "%s \\\\\n", strings.Join(lists.Map(row, escaped), " & "))
		}
		text.WriteString("\\hline\n\\end{tabular}\n\n")
	}
	for _, note := range remarks(figures) {
		fmt.Fprintf(&text, "%% %s\n", results.Plain(note))
	}
	_, err := io.WriteString(w, text.String())
	return err
}

var latexLetters = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`, "_", `\_`, "{", `\{`, "}", `\}`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "±", `$\pm$`, "<", `\textless{}`, ">", `\textgreater{}`)

func escaped(text string) string { return latexLetters.Replace(results.Plain(text)) }
