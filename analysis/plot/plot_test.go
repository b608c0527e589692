package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/must"
)

// sample has two panels of curves, one of which has an interval and a hollow marker.
func sample() analysis.Figure {
	curve := func(group int, factor float64) analysis.Curve {
		c := analysis.Curve{Group: group}
		for i, x := range []float64{0.5, 0.7, 0.9} {
			y := factor * float64(3-i)
			c.Spots = append(c.Spots, analysis.Spot{X: x, Y: y, Low: y * 0.9, High: y * 1.1})
		}
		return c
	}
	hollow := curve(1, 5)
	hollow.Spots[2].Mark = "operations failed"
	return analysis.Figure{Title: "A title & more", X: analysis.Axis{Name: "load", Label: "load factor"}, Y: analysis.Axis{Label: "throughput (Mop/s)"},
		Groups: []string{"first", "second:a_b=<1>"}, Hollow: []string{"hollow: operations failed"}, Notes: []string{"hollow: operations failed"},
		Panels: []analysis.Panel{{Title: "insert", Curves: []analysis.Curve{curve(0, 10), hollow}}, {Title: "find", Curves: []analysis.Curve{curve(0, 123)}}}}
}

// besides is sample with numbers of others, and a scheme that failed.
func besides() analysis.Figure {
	f := sample()
	f.Published, f.Failed = "published", []string{"failed: first: out of memory"}
	f.Panels[0].Published = []analysis.Curve{{Group: 1, Spots: []analysis.Spot{{X: 0.5, Y: 25, Source: "published: Table 1"}, {X: 0.6, Y: 12}}}}
	f.Panels[1].Published = []analysis.Curve{{Group: 0, Spots: []analysis.Spot{{X: analysis.AnyX, Y: 500, Low: 500, High: 500, Source: "published: Table 2"}}}}
	f.Panels[1].Limits = []float64{700}
	f.Panels[1].Gaps = []analysis.Gap{{Group: 0, X: 0.8}}
	return f
}

func drawn(t *testing.T, path string, f analysis.Figure) string {
	t.Helper()
	var out bytes.Buffer
	must.OK(t, Write(&out, path, f, Width(f)))
	return out.String()
}

func TestSVGShowsEverything(t *testing.T) {
	svg := drawn(t, "x.svg", sample())
	must.Has(t, svg, ">insert<", ">find<", ">first<", "second:a_b=&lt;1&gt;<", ">load factor<", ">throughput (Mop/s)<", "A title &amp; more",
		"hollow: operations failed", ">0.6<", "Arial")
	texts := strings.Count(svg, "<text ")
	must.Hold(t, texts == strings.Count(svg, `<text textLength="`), "%d texts, and not all have a width", texts)
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		must.OK(t, err)
	}
}

// Each group has its color in lines, and hollow markers and intervals change the picture.
func TestSVGHasCurvesMarksAndIntervals(t *testing.T) {
	svg := drawn(t, "x.svg", sample())
	for i := range 2 {
		r, g, b, _ := styleOf(i).color.RGBA()
		if color := fmt.Sprintf("stroke:#%02X%02X%02X", r>>8, g>>8, b>>8); strings.Count(svg, color) < 10 {
			t.Errorf("%d times %s", strings.Count(svg, color), color)
		}
	}
	filled, narrow := sample(), sample()
	filled.Panels[0].Curves[1].Spots[2].Mark = ""
	white := "fill:#FFFFFF"
	must.Hold(t, strings.Count(svg, white) == strings.Count(drawn(t, "x.svg", filled), white)+1, "the hollow marker is not white")
	s := &narrow.Panels[0].Curves[0].Spots[0]
	s.Low, s.High = s.Y, s.Y
	lines := strings.Count(svg, "<path") - strings.Count(drawn(t, "x.svg", narrow), "<path")
	must.Hold(t, lines == 3, "an interval has %d lines", lines)
}

// Numbers of others are gray and come before the curves, so that they are below these.
func TestSVGHasNumbersOfOthers(t *testing.T) {
	svg := drawn(t, "x.svg", besides())
	must.Has(t, svg, ">published<", "failed: first: out of memory")
	gray, curve := strings.Index(svg, "fill:#D7D7D7"), strings.Index(svg, "fill:#0072B2")
	must.Hold(t, gray >= 0 && gray <= curve, "gray at %d, a curve at %d", gray, curve)
	if n := strings.Count(svg, "fill:#D7D7D7"); n != 4 {
		t.Errorf("%d gray markers: two of a curve, one of a level, one of the legend", n)
	}
	without := besides()
	without.Panels[1].Gaps = nil
	must.Hold(t, strings.Count(svg, "<path") > strings.Count(drawn(t, "x.svg", without), "<path"), "no cross where a scheme failed")
	for i, x := range []float64{0.5, 0.7, 0.5} {
		if n := below([]analysis.Gap{{Group: 0, X: 0.5}, {Group: 1, X: 0.7}}[:min(i, 2)], x); n != i/2 {
			t.Errorf("cross %d stands on %d others", i, n)
		}
	}
}

func TestEqualFiguresAreEqualBytes(t *testing.T) {
	for _, extension := range Extensions {
		first, second := drawn(t, "x"+extension, sample()), drawn(t, "x"+extension, sample())
		must.Hold(t, first == second && len(first) >= 1000, "%s: %d and %d bytes, or other ones", extension, len(first), len(second))
	}
}

func TestStylesDiffer(t *testing.T) {
	seen := map[string]bool{}
	for i := range 64 {
		seen[fmt.Sprint(styleOf(i))] = true
	}
	must.Match(t, len(seen), 64)
	const curves = 16 // as many schemes as ship, and a reference
	for i := range curves {
		for k := range i {
			d := distance(styleOf(i).color, styleOf(k).color)
			must.Hold(t, d >= 40, "curves %d and %d differ by %.0f of 255", k+1, i+1, d)
		}
	}
}

func distance(a, b color.Color) float64 {
	r, g, u, _ := a.RGBA()
	x, y, z, _ := b.RGBA()
	return math.Hypot(math.Hypot(float64(r>>8)-float64(x>>8), float64(g>>8)-float64(y>>8)), float64(u>>8)-float64(z>>8))
}

// A page has a variable for every color but black, which is that of its text.
func TestPagesHaveTheColors(t *testing.T) {
	css := must.Get(os.ReadFile("../report/style.css"))(t)
	for i, c := range colors {
		r, g, b, _ := c.RGBA()
		want := fmt.Sprintf("--curve-%d: #%02x%02x%02x;", i, r>>8, g>>8, b>>8)
		must.Hold(t, c == (color.RGBA{0, 0, 0, 255}) || strings.Contains(string(css), want), "style.css lacks %s", want)
	}
}

// Any figure can be drawn: one mark, many groups, bars, logarithms, zeros.
func TestOddFiguresAreDrawn(t *testing.T) {
	one := analysis.Figure{Groups: []string{"a"}, Panels: []analysis.Panel{{Curves: []analysis.Curve{{Spots: []analysis.Spot{{}}}}}}}
	logs := sample()
	logs.X.Log, logs.Y.Log = true, true
	logs.Panels[0].Curves[0].Spots[0].Low = 0
	bars := sample()
	bars.X.Categories, bars.X.Bars = []string{strings.Repeat("long ", 20), "b"}, true
	many := sample()
	for i := range 40 {
		many.Groups = append(many.Groups, fmt.Sprint("group ", i))
		many.Panels = append(many.Panels, many.Panels[0])
	}
	flat := sample()
	for _, c := range flat.Panels[0].Curves {
		for i := range c.Spots {
			c.Spots[i] = analysis.Spot{X: 1}
		}
	}
	lids := besides()
	lids.X.Categories, lids.X.Bars, lids.Panels[1].Published = []string{"a", "b"}, true, nil
	others := besides()
	others.X.Log, others.Y.Log = true, true
	for _, f := range []analysis.Figure{one, logs, bars, many, flat, lids, others} {
		svg := drawn(t, "x.svg", f)
		must.Hold(t, !strings.Contains(svg, "NaN") && !strings.Contains(svg, "Inf"), "a coordinate is no number")
	}
}

func TestTables(t *testing.T) {
	for format, write := range Tables {
		var out bytes.Buffer
		must.OK(t, write(&out, []analysis.Figure{besides()}))
		must.Golden(t, "testdata/table."+format, out.String())
	}
}

// A label beside a logarithmic axis takes no room above it.
func TestLogarithmsKeepTheHeight(t *testing.T) {
	f := sample()
	f.Y.Log = true
	f.Panels[0].Curves[0].Spots[0].Y = 10_000
	c := draw.New(vgsvg.New(300, 150))
	p := newPanel(f, f.Panels[0])
	room := c.Max.Y - p.DataCanvas(c).Max.Y
	must.Hold(t, room <= 20, "%.0f points above the panel", float64(room))
}

func TestTicks(t *testing.T) {
	labels := func(list ticks) string {
		var texts []string
		for _, tick := range list {
			if tick.Label != "" {
				texts = append(texts, tick.Label)
			}
		}
		return strings.Join(texts, " ")
	}
	for have, want := range map[string]string{
		labels(evenly(0, 1, 5, false)):                              "0 0.2 0.4 0.6 0.8 1.0",
		labels(evenly(0.49, 0.96, 5, false)):                        "0.5 0.6 0.7 0.8 0.9",
		labels(evenly(0.5, 12.5, 5, true)):                          "5 10",
		labels(evenly(0.5, 4.2, 5, true)):                           "1 2 3 4",
		labels(evenly(0, 4e6, 4, false)):                            "0 1M 2M 3M 4M",
		labels(byPowers(0.8, 120, nil)):                             "1 2 5 10 20 50 100",
		labels(byPowers(12, 70, nil)):                               "20 30 50 70",
		labels(byPowers(12, 31, nil)):                               "15 20 25 30",
		labels(byPowers(1, 1e6, nil)):                               "1 10 100 1000 10K 100K 1M",
		labels(byPowers(1<<14, 1<<24, []float64{1 << 14, 1 << 24})): "16Ki 128Ki 1Mi 8Mi",
	} {
		must.Match(t, have, want)
	}
}

// Long names below a panel are turned, short ones are not.
func TestNamesBelowPanels(t *testing.T) {
	f := sample()
	f.X.Categories = []string{"k4v4", "k4v8", "k8v8", "k8v16", "k8v32", "k8v64"}
	for panels, want := range map[int]bool{1: false, 8: true} {
		f.Panels = slices.Repeat(f.Panels[:1], panels)
		l := newLayout(f, Page*vg.Centimeter)
		must.Hold(t, l.turned() == want, "%d panels, %d columns: turned %v", panels, l.columns, l.turned())
	}
}

// A legend has no wider columns than its names need.
func TestLegendsFit(t *testing.T) {
	short := legendOf(analysis.Figure{Groups: []string{"a", "b", "c", "a longer name than the others", "d", "e"}}, Column*vg.Centimeter)
	must.Hold(t, short.rows() == 2 && short.width() <= Column*vg.Centimeter, "%d rows, %v wide", short.rows(), short.width())
}

// Inline pictures have a panel each, the colors of the page, and the numbers of each mark.
func TestInline(t *testing.T) {
	f := sample()
	f.Published = "published"
	f.Panels[0].Published = []analysis.Curve{{Spots: []analysis.Spot{{X: 0.5, Y: 20, Source: "published: Table 3"}}}}
	bars := f
	bars.X.Categories, bars.X.Bars = []string{"a", "b"}, true
	for _, f := range []analysis.Figure{f, bars} {
		panels := lists.Map(Inline(f), func(svg template.HTML) string { return string(svg) })
		must.Need(t, len(panels) == 2, "%d panels", len(panels))
		list := append(lists.Map(Samples(f), func(s Sample) string { return string(s.SVG) }), panels...)
		must.Hold(t, len(list) == 2+len(f.Groups)+1, "%d pictures", len(list))
		for _, svg := range list {
			err := xml.Unmarshal([]byte(svg), new(struct{}))
			must.Hold(t, err == nil, "%v\n%s", err, svg)
			texts := strings.Count(svg, "<text ")
			must.Hold(t, texts == strings.Count(svg, `<text textLength="`), "%d texts, and not all have a width\n%s", texts, svg)
			fixed := regexp.MustCompile(`(fill|stroke):#\w+|font-family`).FindString(svg)
			must.Hold(t, fixed == "", "the page cannot change %s", fixed)
		}
		must.Has(t, panels[0], "var(--curve-0)", "var(--curve-1)", "var(--paper)", "var(--grid)", "20.0 throughput (Mop/s); published: Table 3</title>", ": 10.0 ± 1.0 throughput", "hollow: operations failed",
			"second:a_b=&lt;1&gt;")
		n := strings.Count(panels[0], `class="hint"`)
		must.Hold(t, n == 7, "%d marks have numbers", n)
	}
}
