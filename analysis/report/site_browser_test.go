//go:build browser

package report_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashzoo/hashzoo/runtime/must"
)

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
