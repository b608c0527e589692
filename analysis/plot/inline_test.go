package plot

import (
	"encoding/xml"
	"regexp"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/analysis"
)

// Inline pictures have a panel each, the colors of the page, and the numbers of each mark.
func TestInline(t *testing.T) {
	f := sample()
	f.Published = "published"
	f.Panels[0].Published = []analysis.Curve{{Spots: []analysis.Spot{{X: 0.5, Y: 20, Source: "published: Table 3"}}}}
	bars := f
	bars.X.Categories, bars.X.Bars = []string{"a", "b"}, true
	for _, f := range []analysis.Figure{f, bars} {
		panels := Inline(f)
		if len(panels) != 2 {
			t.Fatalf("%d panels", len(panels))
		}
		list := panels
		for _, s := range Samples(f) {
			list = append(list, s.SVG)
		}
		if len(list) != 2+len(f.Groups)+1 {
			t.Errorf("%d pictures", len(list))
		}
		for _, svg := range list {
			if err := xml.Unmarshal([]byte(svg), new(struct{})); err != nil {
				t.Errorf("%v\n%s", err, svg)
			}
			if texts := strings.Count(svg, "<text "); texts != strings.Count(svg, `<text textLength="`) {
				t.Errorf("%d texts, and not all have a width\n%s", texts, svg)
			}
			if fixed := regexp.MustCompile(`(fill|stroke):#\w+|font-family`).FindString(svg); fixed != "" {
				t.Errorf("the page cannot change %s", fixed)
			}
		}
		for _, want := range []string{"var(--curve-0)", "var(--curve-1)", "var(--paper)", "var(--grid)", "20.0 throughput (Mop/s); published: Table 3</title>", ": 10.0 ± 1.0 throughput", "hollow: operations failed",
			"second:a_b=&lt;1&gt;"} {
			if !strings.Contains(panels[0], want) {
				t.Errorf("no %s", want)
			}
		}
		if n := strings.Count(panels[0], `class="hint"`); n != 7 {
			t.Errorf("%d marks have numbers", n)
		}
	}
}
