// Package docs_test runs the guides: every command in a block of README.md and docs/*.md, in
// the order of the page, and the scripts that the page shows.
package docs_test

import (
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hashzoo/hashzoo/cli"
	"github.com/hashzoo/hashzoo/runtime/bounded"
	"github.com/hashzoo/hashzoo/runtime/must"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hashzoo": func() { os.Exit(cli.Main()) }})
}

// generated pages contain no commands to run.
var generated = []string{"schemes.md"}

// block is a fenced block: the first word after the fence is its kind, the rest its label.
type block struct{ kind, label, text string }

var (
	fenced = regexp.MustCompile("(?ms)^```(\\w*)([^\n]*)\n(.*?)^```$|^<!-- test: ([^\n]*) -->$")
	stray  = regexp.MustCompile(`(?m)^ {4,}(?:bin/)?hashzoo .*$`)
)

// blocks returns the blocks of a page. A comment <!-- test: COMMAND --> is a command that only
// the test needs.
func blocks(page string) (list []block) {
	for _, m := range fenced.FindAllStringSubmatch(page, -1) {
		if m[4] != "" {
			list = append(list, block{kind: "sh", text: m[4]})
		} else {
			list = append(list, block{m[1], strings.TrimSpace(m[2]), m[3]})
		}
	}
	return list
}

// TestGuides runs each page in a folder of its own:
//
//   - a sh block is run by bash; "sh by hand" is not: it needs a terminal or takes minutes
//   - a block with a file name, such as "lua group.lua", is that file
//   - a block "cpp part of robinhood/robinhood.h" has lines of a file that exists already
//   - a text block after a sh block shows lines that it prints, whatever their numbers are
//
// Sizes are a thousandth of those on the page, and a GPU is the CPU.
func TestGuides(t *testing.T) {
	repo := must.Get(filepath.Abs(".."))(t)
	t.Setenv("REPO", repo)
	for name, value := range map[string]string{"THREADS": "2", "REPEAT_WARMUP": "0", "REPEAT_LEAST": "1", "REPEAT_MOST": "1", "BENCH_N": "2000"} {
		t.Setenv("HASHZOO_"+name, value)
	}
	t.Run("pages", func(t *testing.T) { // returns when all pages, which run side by side, have ended
		for _, path := range pages(t) {
			if name := filepath.Base(path); !slices.Contains(generated, name) {
				t.Run(name, func(t *testing.T) { runPage(t, read(t, path)) })
			}
		}
	})
}

func runPage(t *testing.T, page string) {
	t.Parallel()
	for _, command := range stray.FindAllString(page, -1) {
		t.Errorf("a command outside of a sh block: %s", command)
	}
	folder, printed := t.TempDir(), ""
	for _, b := range blocks(page) {
		switch {
		case b.kind == "":
			t.Errorf("a block of no kind; text is one:\n%s", b.text)
		case b.label == "by hand": // what follows is not of the commands before it
			printed = ""
		case b.kind == "sh":
			printed = run(t, folder, small(b.text))
		case b.kind == "text" && printed != "":
			compare(t, b.text, printed)
		case strings.HasPrefix(b.label, "part of "):
			contains(t, filepath.Join(folder, strings.TrimPrefix(b.label, "part of ")), b.text)
		case b.label != "":
			must.OK(t, os.WriteFile(filepath.Join(folder, b.label), []byte(b.text), 0o644))
		}
	}
}

// contains checks that a file has these lines.
func contains(t *testing.T, path, lines string) {
	t.Helper()
	must.Hold(t, strings.Contains(read(t, path), lines), "%s does not contain\n%s", filepath.Base(path), lines)
}

var (
	millions   = regexp.MustCompile(`\b(\d+)M\b`)
	thousands  = regexp.MustCompile(`\b(\d+)00k\b`)
	quickstart = regexp.MustCompile(`run (quickstart --schemes [^\n]*--count|my\.lua --schemes bcht,linear)`)
	little     = strings.NewReplacer("choose quickstart", "choose quickstart --schemes 1cht", "choose cache", "choose cache --schemes assoc --set batches=10", // others take a minute to compile
		"check bcht: --quick", "check bcht: --quick --rung 11 --pair k4v4", "bucket=8 --quick", "bucket=8 --quick --part figures\nhashzoo plugin check robinhood bucket=8 --quick --part ladder --pair k4v4", // without the verbs
		"run groupby --set rows=1k", "run groupby --set rows=1k --axis groups=1,1k", "run sizes", "run sizes --set lookups=1k")
	built  = regexp.MustCompile(`plugin build robinhood\n(.*) (bucket=8)`)
	papers = regexp.MustCompile(`,bp2ht:room=buckets \\\n *--schemes iht:\S+`)

	long = regexp.MustCompile(`\b(\d{4,})\d{3}\b`)
)

// small rewrites a command to run quickly on a CPU. The small tier uses at most a few thousand keys.
func small(command string) string {
	if testing.Short() {
		command = thousands.ReplaceAllString(command, "${1}k")
		command = quickstart.ReplaceAllString(command, "run ${1} --set n=2k")
		command = built.ReplaceAllString(command, "plugin build robinhood --only $2\n$1 $2") // cli/testdata/plugin.txtar builds all, for GPUs too
		command = papers.ReplaceAllString(command, "")                                       // two schemes of the paper
		command = little.Replace(command)
	}
	command = long.ReplaceAllString(millions.ReplaceAllString(command, "${1}k"), "$1")
	return strings.ReplaceAll(command, "--device cuda:0", "--device cpu")
}

// run runs shell commands and returns their output.
func run(t *testing.T, folder, lines string) string {
	t.Helper()
	command := bounded.Command(t, "bash", "-euo", "pipefail", "-c", lines)
	command.Dir = folder
	out, err := command.CombinedOutput()
	must.Need(t, err == nil, "%s%v\n%s", lines, err, out)
	return string(out)
}

// compare checks that every line on the page was printed, possibly with other numbers. Lines
// that name a machine are skipped; three dots stand for anything.
func compare(t *testing.T, shown, printed string) {
	t.Helper()
	lines, missing := shape(printed), ""
	for _, line := range strings.Split(strings.Trim(shown, "\n"), "\n") {
		want := regexp.MustCompile("(?m)^" + strings.ReplaceAll(regexp.QuoteMeta(shape(line)), `\.\.\.`, ".*") + "$")
		machine := strings.Contains(line, " SMs (") || strings.Contains(line, " threads (")
		if line != "" && !machine && !want.MatchString(lines) {
			missing += line + "\n"
		}
	}
	must.Hold(t, missing == "", "the page shows\n%sthe program prints\n%s", missing, printed)
}

var (
	number = regexp.MustCompile(`[0-9]+(\.[0-9]+)?\*?|\?|no figure\b`)
	spaces = regexp.MustCompile(` +`)
)

// shape is text without its numbers and the width of its columns.
func shape(text string) string {
	return spaces.ReplaceAllString(number.ReplaceAllString(text, "#"), " ")
}

// Every picture is shown by a page. TestLinks finds those that are shown, but not there.
func TestPictures(t *testing.T) {
	var all string
	for _, path := range pages(t) {
		all += read(t, path)
	}
	pictures, err := filepath.Glob("*.svg")
	must.Need(t, err == nil && len(pictures) != 0, "%v %v", err, pictures)
	for _, picture := range pictures {
		must.Hold(t, strings.Contains(all, picture+")"), "no page shows %s", picture)
		standsAlone(t, picture, read(t, picture))
	}
}

// outside matches what GitHub does not show, or what loads something: scripts, other documents, references out of a picture.
var outside = regexp.MustCompile(`(?i)<(script|foreignObject|image|iframe)|\son\w+=|href=.[^#]|url\([^#]|@import|src=`)

func standsAlone(t *testing.T, name, picture string) {
	t.Helper()
	if found := outside.FindString(picture); found != "" || len(picture) > 400_000 {
		t.Errorf("%s: %q, %d bytes", name, found, len(picture))
	}
	for d := xml.NewDecoder(strings.NewReader(picture)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

var (
	link    = regexp.MustCompile(`\]\(([^)#: ]*)(#[^)]*)?\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.*)$`)
	marks   = regexp.MustCompile(`[^\w -]`)
)

// Every link in a page leads to a file that exists, and to a heading of it.
func TestLinks(t *testing.T) {
	for _, path := range append(pages(t), "../ARCHITECTURE.md") {
		for _, m := range link.FindAllStringSubmatch(read(t, path), -1) {
			to := path
			if m[1] != "" {
				to = filepath.Join(filepath.Dir(path), m[1])
			}
			if _, err := os.Stat(to); err != nil {
				t.Errorf("%s: %v", path, err)
			} else if m[2] != "" && !slices.Contains(anchors(read(t, to)), m[2]) {
				t.Errorf("%s: %s has no heading %s", path, to, m[2])
			}
		}
	}
}

// pages are the paths of README.md and of all pages.
func pages(t *testing.T) []string {
	list := must.Get(filepath.Glob("*.md"))(t)
	return append(list, "../README.md")
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return string(text)
}

// anchors returns the headings of a page as links name them.
func anchors(page string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		list = append(list, "#"+strings.ReplaceAll(marks.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-"))
	}
	return list
}
