//go:build browser

package report_test

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/report"
	"github.com/hashzoo/hashzoo/runtime/must"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// These tests open pages in a browser: make report-check.

var pictures = flag.String("pictures", "", "write pictures of the page to this folder")

// saved is the path of a page of sides.
func saved(t *testing.T, sides []analysis.Side) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	must.OK(t, os.WriteFile(path, []byte(written(t, sides, report.Options{Title: "Three schemes", Compare: analysis.Options{Least: analysis.Least, Spread: analysis.Spread}})), 0o644))
	return path
}

// quiet checks that the browser had nothing to complain about, and asked for nothing but the page.
func (b *browser) quiet(path string) {
	b.t.Helper()
	must.Match(b.t, b.complaints, nil, "complaints")
	must.Match(b.t, slices.Compact(b.requests), []string{"file://" + path}, "requests")
	b.complaints, b.requests = nil, nil
}

func (b *browser) number(expression string) float64 {
	b.t.Helper()
	x := must.Get(strconv.ParseFloat(b.eval(expression), 64))(b.t)
	return x
}

// right checks that a page is as wide as the window, and that every text can be told from what is behind it.
func (b *browser) right(name string, width int) {
	b.t.Helper()
	b.eval("document.querySelectorAll('main > section').forEach(s => s.style.contentVisibility = 'visible')") // also what is far below
	must.Match(b.t, b.number("document.documentElement.scrollWidth"), float64(width), name, "points wide")
	must.Match(b.t, b.eval(brightness+contrast), "", name, "hard to read")
	if *pictures != "" {
		must.OK(b.t, os.MkdirAll(*pictures, 0o777), os.WriteFile(filepath.Join(*pictures, name+".png"), b.picture(), 0o644))
	}
}

// On every screen the page is as wide as the window, and every text can be told from what is behind it.
func TestPageLooksRight(t *testing.T) {
	path := saved(t, sides(t))
	b := start(t)
	for _, screen := range []struct {
		name, colors, medium string
		width                int
	}{{"light", "light", "screen", 1280}, {"dark", "dark", "screen", 1280}, {"narrow", "dark", "screen", 320}, {"middle", "light", "screen", 700}, {"print", "dark", "print", 718}} {
		b.look(screen.width, screen.colors, screen.medium)
		b.open(path)
		b.right(screen.name, screen.width)
		isDark := screen.colors == "dark" && screen.medium == "screen"
		if b.eval(brightness+"brightness(getComputedStyle(document.body).backgroundColor) < 0.1") != fmt.Sprint(isDark) {
			t.Errorf("%s has the wrong colors", screen.name)
		}
	}
	if pdf := b.paper(); !strings.HasPrefix(string(pdf), "%PDF") {
		t.Error("no PDF")
	} else if *pictures != "" {
		must.OK(t, os.WriteFile(filepath.Join(*pictures, "print.pdf"), pdf, 0o644))
	}
	b.quiet(path)
}

// brightness is that of a color, from 0 to 1, as the Web Content Accessibility Guidelines define it.
const brightness = `{
	var brightness = color => {
		const [r, g, b] = color.match(/[\d.]+/g).slice(0, 3).map(x => color.startsWith('color(') ? x : x / 255).map(x => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
}
`

// contrast lists texts whose contrast with what is behind them is below 4.5, the bound of these guidelines.
const contrast = `[...new Set(Array.from(document.querySelectorAll('body *'), e => {
	if (e.closest('script, svg, details:not([open])') || !Array.from(e.childNodes).some(n => n.nodeType === 3 && n.data.trim())) return '';
	let behind = e;
	while (behind && getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)') behind = behind.parentElement;
	const a = brightness(getComputedStyle(e).color) + 0.05, b = brightness(getComputedStyle(behind ?? document.body).backgroundColor) + 0.05;
	const ratio = Math.max(a, b) / Math.min(a, b);
	return ratio < 4.5 ? e.tagName + '.' + e.className + ' ' + ratio.toFixed(1) : '';
}))].filter(Boolean).join(', ')`

// all finds the table of all rows.
const all = `var table = Array.from(document.querySelectorAll('section')).find(s => s.textContent.includes('All rows') && s.querySelector('h2').textContent === 'All rows').querySelector('table');
var column = title => Array.from(table.tHead.rows[0].cells).findIndex(c => c.textContent.trim() === title);
var texts = title => Array.from(table.tBodies[0].rows).filter(r => !r.hidden).map(r => r.cells[column(title)].textContent.trim());
var click = title => table.tHead.rows[0].cells[column(title)].querySelector('button').click();
`

// A click on a title sorts, another one the other way round, with marked rows last both times.
func TestSortingAndFiltering(t *testing.T) {
	list := sides(t)[:1]
	path := saved(t, list)
	b := start(t)
	b.open(path)
	var rates []float64
	var last []string
	for _, m := range list[0].Measured() {
		if m.Mark == "" {
			rates = append(rates, m.Rate)
		} else {
			last = append(last, results.RateText(m.Rate))
		}
	}
	slices.Sort(rates)
	for _, order := range []string{"ascending", "descending"} {
		var want []string
		for _, rate := range rates {
			want = append(want, results.RateText(rate))
		}
		b.eval(all + "click('rate Mop/s')")
		if have := b.eval(all + "texts('rate Mop/s').join(' ')"); have != strings.Join(append(want, last...), " ") {
			t.Errorf("%s: %s, want %s, then %s", order, have, want, last)
		}
		if have := b.eval(all + "table.tHead.rows[0].cells[column('rate Mop/s')].getAttribute('aria-sort')"); have != order {
			t.Errorf("it says %s", have)
		}
		slices.Reverse(rates)
	}
	b.eval(all + "click('scheme')")
	if have := strings.Fields(b.eval(all + "texts('scheme').join(' ')")); !slices.IsSorted(have) {
		t.Errorf("by scheme: %s", have)
	}
	b.eval(all + "var field = table.closest('section').querySelector('input'); field.value = 'BCHT steady'; field.dispatchEvent(new Event('input'))")
	if have := b.eval(all + "texts('scheme').join(' ') + ' ' + texts('load').sort().join(' ')"); have != "bcht bcht 0.5 0.9" {
		t.Errorf("filtered: %s", have)
	}
	b.quiet(path)
}

// A button saves the file that the page was made of.
func TestSaving(t *testing.T) {
	list := sides(t)
	path := saved(t, list)
	b := start(t)
	b.open(path)
	sum := b.eval(`new Promise(done => {
		URL.createObjectURL = async blob => {
			const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
			done(Array.from(new Uint8Array(digest), x => x.toString(16).padStart(2, '0')).join(''));
		};
		HTMLAnchorElement.prototype.click = () => {};
		document.querySelectorAll('button.save')[1].click();
	})`)
	want := sha256.Sum256(list[1].Files[0].Text)
	must.Hold(t, sum == hex.EncodeToString(want[:]), "saved a file with digest %s, want %x", sum, want)
	b.quiet(path)
}

// Hostile names run nothing and change nothing.
func TestHostileTextsInABrowser(t *testing.T) {
	path := saved(t, hostile(t))
	b := start(t)
	b.look(1280, "light", "screen")
	b.open(path)
	device := b.eval("document.querySelector('.run dd').textContent")
	must.Hold(t, strings.Contains(device, "</script>"), "a device is %q", device)
	title := b.eval("document.title")
	must.Hold(t, title == "Three schemes", "the title is %q", title)
	n := b.eval("document.images.length + document.scripts.length - document.querySelectorAll('script[data-name]').length")
	must.Hold(t, n == "1", "%s images and scripts", n)
	b.quiet(path)
}

// Thousands of rows open, sort and filter quickly.
func TestManyRows(t *testing.T) {
	list := sides(t)[:1]
	f := &list[0].Files[0]
	rows, summaries := f.Rows, f.Summaries
	f.Rows, f.Summaries = nil, nil
	for i := 0; len(f.Rows) < 2000; i++ {
		for _, row := range rows {
			row.Point = maps.Clone(row.Point)
			row.Point["size"] = float64(i)
			f.Rows = append(f.Rows, row)
		}
		for _, s := range summaries {
			s.Point = maps.Clone(s.Point)
			s.Point["size"] = float64(i)
			f.Summaries = append(f.Summaries, s)
		}
	}
	path := saved(t, list)
	info := must.Get(os.Stat(path))(t)
	b := start(t)
	b.look(1280, "light", "screen")
	b.open("/dev/null")
	b.requests, b.complaints = nil, nil
	took := b.open(path)
	timed := func(do string) float64 {
		return b.number(all + "var begin = performance.now(); " + do + "; table.offsetHeight; performance.now() - begin")
	}
	sorting := timed("click('rate Mop/s')")
	filtering := timed("var field = table.closest('section').querySelector('input'); field.value = 'bcht'; field.dispatchEvent(new Event('input'))")
	t.Logf("%d rows: %.1f MB, opened in %v, sorted in %.0f ms, filtered in %.0f ms", len(f.Rows), float64(info.Size())/1e6, took.Round(time.Millisecond), sorting, filtering)
	must.Hold(t, info.Size() <= 12e6 && took <= 20*time.Second && sorting <= 10_000 && filtering <= 10_000, "that is too much")
	b.quiet(path)
}

// within checks that the browser had nothing to complain about, and asked for nothing outside of a folder.
func (b *browser) within(folder string) {
	b.t.Helper()
	must.Match(b.t, b.complaints, nil, "complaints")
	outside := slices.DeleteFunc(slices.Clone(b.requests), func(url string) bool { return strings.HasPrefix(url, "file://"+folder+"/") || url == "data:," })
	if len(outside) > 0 || len(b.requests) == 0 {
		b.t.Errorf("%d requests, outside: %q", len(b.requests), outside)
	}
	b.complaints, b.requests = nil, nil
}

func TestSiteLooksRight(t *testing.T) {
	folder, pages := site(t, siteOf(suiteFile("Some CPU", ""), suiteFile("Big GPU", "1.0")))
	b := start(t)
	for _, screen := range []struct {
		name, colors, medium string
		width                int
	}{{"light", "light", "screen", 1280}, {"dark", "dark", "screen", 1280}, {"narrow", "dark", "screen", 400}, {"print", "light", "print", 718}} {
		b.look(screen.width, screen.colors, screen.medium)
		for name := range pages {
			if !strings.HasSuffix(name, ".html") {
				continue
			}
			b.open(filepath.Join(folder, name))
			b.right(fmt.Sprintf("site-%s-%s", strings.TrimSuffix(name, ".html"), screen.name), screen.width)
			must.Match(t, b.eval(unlabeled), "", name, screen.name, "without a label")
		}
	}
	b.within(folder)
}

// unlabeled lists what a screen reader could not name.
const unlabeled = `[...document.querySelectorAll('button, select, input, a, [role=img], [role=region], th')].filter(e =>
	!(e.getAttribute('aria-label') ?? '') && !e.textContent.trim() && !e.labels?.length).map(e => e.outerHTML.slice(0, 80)).join(', ') +
	[...document.querySelectorAll('th:not([scope])')].map(e => e.textContent).join(', ')`

// front opens the front page at an address, and returns how to see what it shows.
func front(t *testing.T, b *browser, folder, hash string) (shown func() string) {
	t.Helper()
	b.look(1280, "light", "screen")
	b.open(filepath.Join(folder, "rules.html")) // so that another hash is a new page
	b.open(filepath.Join(folder, "index.html") + hash)
	return func() string {
		return b.eval(`var section = document.querySelector('.machine:not([hidden])'), item = section.querySelector('.answers li:not([hidden])');
			[section.id, item.dataset.question, item.querySelector('a').textContent, section.querySelectorAll('.scatter circle').length,
			section.querySelectorAll('td.chosen').length, document.querySelectorAll('.machine:not([hidden])').length, location.hash].join(' ')`)
	}
}

// Every control of the front page works, and a link carries what they select.
func TestSiteSelects(t *testing.T) {
	folder, _ := site(t, siteOf(suiteFile("Some CPU", ""), suiteFile("Big GPU", "1.0")))
	b := start(t)
	shown := front(t, b, folder, "")
	must.Match(t, shown(), "big-gpu join alpha 2 3 1 ")
	choose := func(id string) {
		b.eval(fmt.Sprintf("var s = document.getElementById('%s'); s.selectedIndex = 1; s.dispatchEvent(new Event('change', { bubbles: true })); new Promise(done => setTimeout(done, 100))", id))
	}
	choose("question")
	must.Match(t, shown(), "big-gpu grow gamma 0 3 1 #big-gpu/grow")
	choose("machine")
	have := shown()
	must.Hold(t, strings.HasSuffix(have, "/grow") && !strings.HasPrefix(have, "big"), "%v", have)
	b.eval("history.back(); new Promise(done => setTimeout(done, 300))")
	must.Match(t, shown(), "big-gpu grow gamma 0 3 1 #big-gpu/grow")
	shown = front(t, b, folder, "#big-gpu/grow")
	must.Match(t, shown(), "big-gpu grow gamma 0 3 1 #big-gpu/grow")
	shown = front(t, b, folder, "#nonsense/%zz")
	must.Match(t, shown(), "big-gpu join alpha 2 3 1 #nonsense/%zz")
	order := func() string {
		return b.eval("var rows = document.querySelector('.machine:not([hidden]) tbody').rows; Array.from(rows, r => r.cells[0].textContent).join(' ')")
	}
	for _, want := range []string{"beta:x=1 alpha gamma", "alpha beta:x=1 gamma"} {
		b.eval("document.querySelector('.machine:not([hidden]) thead').rows[0].cells[1].querySelector('button').click()")
		must.Match(t, order(), want)
	}
	must.Match(t, b.eval("document.querySelector('.machine:not([hidden]) thead').rows[0].cells[1].getAttribute('aria-sort')"), "descending")
	b.within(folder)
}

// Steps are played by buttons, by keys and by themselves.
func TestSitePlays(t *testing.T) {
	folder, _ := site(t, siteOf(suiteFile("Big GPU", "1.0")))
	b := start(t)
	b.open(filepath.Join(folder, "scheme-alpha.html"))
	b.eval("var play = document.querySelector('.play'), shown = () => play.querySelector('.stills li:not([hidden]) p').textContent + ', ' + play.querySelector('.keys span').textContent; var key = k => play.dispatchEvent(new KeyboardEvent('keydown', { key: k }))")
	for _, step := range []struct{ do, want string }{
		{"", "Before, 1 of 3"}, {"play.querySelectorAll('button')[2].click()", "reads bucket 0, 2 of 3"}, {"key('ArrowRight')", "goes in, 3 of 3"}, {"key('ArrowRight')", "goes in, 3 of 3"},
		{"key('ArrowLeft')", "reads bucket 0, 2 of 3"}, {"play.querySelectorAll('button')[0].click()", "Before, 1 of 3"}, {"play.querySelectorAll('button')[1].click()", "Before, 1 of 3"},
		{"await new Promise(done => setTimeout(done, 3000))", "goes in, 3 of 3"}, {"play.querySelectorAll('button')[1].click()", "Before, 1 of 3"}, {"play.querySelectorAll('button')[1].click()", "Before, 1 of 3"},
	} {
		must.Match(t, b.eval("(async () => { "+step.do+"; return shown() })()"), step.want)
	}
	must.Match(t, b.eval("play.querySelectorAll('button')[1].textContent"), "Play")
	b.within(folder)
}

// Attacks run nothing.
func TestHostileFilesInABrowser(t *testing.T) {
	b := start(t)
	for _, f := range spoiled(t) {
		folder, pages := site(t, siteOf(f))
		for name := range pages {
			if strings.HasSuffix(name, ".html") {
				b.open(filepath.Join(folder, name))
				n := b.eval("document.images.length + document.scripts.length")
				must.Hold(t, n == "1", "%s: %s images and scripts", name, n)
			}
		}
		b.within(folder)
	}
}
