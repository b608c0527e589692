// Package report writes results as a single HTML page, which loads nothing and contains the result files.
package report

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	numbers "github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
)

// Options of a report.
type Options struct {
	Title   string // instead of what was run
	Name    string // of the file, for the command that extracts the results
	Compare analysis.Options
}

//go:embed *.html *.css *.js
var sources embed.FS

var layout = template.Must(template.New("page.html").Funcs(template.FuncMap{"page": pageOf, "starts": strings.HasPrefix}).ParseFS(sources, "*.html"))

// head begins every page.
type head struct {
	Title, Generator string
	Policy           string // what the browser may load
	Style            template.CSS
}

// page is the data of the template.
type page struct {
	head
	Lead        string
	Script      template.JS
	Troubles    []string
	Runs        []runOf
	Comparisons []comparison
	Charts      []figure
	Results     grid
	Remarks     []string
	Reported    grid
	Latency     []figure
	Responses   grid
	Batches     []figure
	Counters    grid
	Gauges      []gaugesAt
	Conditions  []conditions
	Inputs      grid
	Sources     []source
	Data        []attachment
	Extract     string
}

// Write writes the page. Each further side is compared with the first one.
func Write(w io.Writer, given []analysis.Side, o Options) error {
	sides := named(given)
	rows := measure(sides)
	p := page{Lead: lead(sides, rows), Script: template.JS(read("script.js") + read("save.js"))}
	p.head = head{Title: cmp.Or(o.Title, title(sides)), Generator: "hashzoo report", Style: template.CSS(read("style.css"))}
	digest := sha256.Sum256([]byte(p.Script))
	p.Policy = fmt.Sprintf("default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-%s'", base64.StdEncoding.EncodeToString(digest[:]))
	p.Troubles, p.Runs = troubles(sides), lists.Map(sides, newRun)
	p.Comparisons = compare(sides, o.Compare)
	for i := range p.Comparisons {
		p.Comparisons[i].Command = "hashzoo compare " + analysis.Shell(given[0].Name) + " " + analysis.Shell(given[i+1].Name)
	}
	p.Charts, p.Batches = drawn(sides, results.Plot{}), batches(sides, rows)
	p.Results, p.Remarks, p.Inputs = rates(rows), remarks(sides, rows), inputs(rows)
	p.Responses, p.Counters, p.Reported = responses(rows), counters(rows), reported(sides)
	if len(p.Responses.Rows) > 0 {
		p.Latency = slices.Concat(drawn(sides, results.Plot{Y: "response_ms"}), drawn(sides, results.Plot{Y: "response_p99_ms"}))
	}
	p.Gauges, p.Conditions, p.Sources = gauges(sides), conditionsOf(sides), sourcesOf(sides)
	p.Data = attach(sides)
	p.Extract = "hashzoo report --extract " + analysis.Shell(cmp.Or(o.Name, "report.html")) + " results"
	return layout.Execute(results.Clean{Writer: w}, p)
}

// named gives sides short names: without the folders that all are in, and of several files the first one.
func named(given []analysis.Side) []analysis.Side {
	firsts := short(lists.Map(given, func(s analysis.Side) string {
		first, _, _ := strings.Cut(s.Name, ",")
		return first
	}))
	sides := slices.Clone(given)
	for i := range sides {
		if sides[i].Name = firsts[i]; strings.Contains(given[i].Name, ",") {
			sides[i].Name += fmt.Sprintf(" and %d more", len(given[i].Files)-1)
		}
	}
	return sides
}

func read(name string) string { return string(lists.Must(sources.ReadFile(name))) } // it is embedded

// title names the script or the command, and the sides if there are several.
func title(sides []analysis.Side) string {
	works := lists.Map(analysis.Files(sides), func(f analysis.File) string { return work(f.Run) })
	name := strings.Join(lists.Unique(works), ", ")
	if len(sides) > 1 {
		name += ": " + strings.Join(lists.Map(sides, func(s analysis.Side) string { return s.Name }), " and ")
	}
	return name
}

// work is the command, or the script that it ran.
func work(run results.Run) string {
	name := "results"
	if len(run.Command) > 1 {
		name = run.Command[1]
	}
	if run.Script != nil && name == "run" {
		name = strings.TrimSuffix(run.Script.Name, ".lua")
	}
	return name
}

// lead counts what was measured: 3 schemes, 24 rates, on cpu (Intel ...), 2 threads.
func lead(sides []analysis.Side, rows []measured) string {
	schemes := lists.Unique(lists.Map(rows, func(m measured) string { return m.Scheme }))
	models := lists.Unique(lists.Map(analysis.Files(sides), func(f analysis.File) string { return f.Run.Device.Model }))
	return fmt.Sprintf("%s, %s, %s", numbers.Count(len(schemes), "scheme"), numbers.Count(len(rows), "row"), strings.Join(models, " and "))
}

// troubles are the problems that a reader must know first.
func troubles(sides []analysis.Side) []string {
	list := lists.Filter(lists.Map(sides, analysis.Side.Trouble), func(trouble string) bool { return trouble != "" })
	left := slices.Concat(lists.Map(analysis.Files(sides), func(f analysis.File) []results.LeftOut { return f.LeftOut })...)
	return lists.Unique(append(list, lists.Map(left, results.LeftOut.Line)...))
}

// attachment is a result file inside the page.
type attachment struct {
	Name   string
	Size   int
	SHA256 string
	Text   string // compressed, in letters
}

// letters need no escaping in HTML.
var letters = base64.URLEncoding

// attach packs the files of all sides. A file that is given twice is packed once.
func attach(sides []analysis.Side) (list []attachment) {
	files, seen := analysis.Files(sides), map[string]bool{}
	for i, name := range short(lists.Map(files, func(f analysis.File) string { return f.Path })) {
		if !seen[name] {
			var packed bytes.Buffer
			z, _ := gzip.NewWriterLevel(&packed, gzip.BestCompression) // the level is right
			_, _ = z.Write(files[i].Text)                              // into memory
			_ = z.Close()
			digest := sha256.Sum256(files[i].Text)
			list = append(list, attachment{name, len(files[i].Text), hex.EncodeToString(digest[:]), letters.EncodeToString(packed.Bytes())})
		}
		seen[name] = true
	}
	return list
}

// short returns the paths without the folders that all have in common.
func short(paths []string) []string {
	parts := lists.Map(paths, func(path string) []string {
		if whole, err := filepath.Abs(path); err == nil {
			path = whole
		}
		return strings.Split(strings.TrimPrefix(filepath.ToSlash(path), "/"), "/")
	})
	common := len(parts[0]) - 1
	for _, p := range parts {
		n := 0
		for n < min(common, len(p)-1) && p[n] == parts[0][n] {
			n++
		}
		common = n
	}
	return lists.Map(parts, func(p []string) string { return strings.Join(p[common:], "/") })
}

var packed = regexp.MustCompile(`<script type="application/gzip" data-name="([^"]*)" data-sha256="([0-9a-f]*)">([^<]*)</script>`)

// most is the largest result file that is unpacked.
const most = 1 << 30

// Extract returns the result files of a page, byte for byte, with local paths.
func Extract(page []byte) (list []analysis.File, err error) {
	for _, m := range packed.FindAllSubmatch(page, -1) {
		e := analysis.File{Path: html.UnescapeString(string(m[1]))}
		if !filepath.IsLocal(filepath.FromSlash(e.Path)) {
			return nil, fmt.Errorf("it names a file outside of the folder: %q", e.Path)
		}
		if e.Text, err = unpack(m[3], string(m[2])); err != nil {
			return nil, fmt.Errorf("%s in it is damaged: %w", e.Path, err)
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, errors.New("no results in it: it takes a page of hashzoo report")
	}
	return list, nil
}

func unpack(text []byte, digest string) ([]byte, error) {
	z, err := gzip.NewReader(base64.NewDecoder(letters, bytes.NewReader(text)))
	if err != nil {
		return nil, err
	}
	all, err := io.ReadAll(io.LimitReader(z, most+1))
	if err != nil {
		return nil, err
	}
	if sum := sha256.Sum256(all); hex.EncodeToString(sum[:]) != digest {
		return nil, errors.New("its digest differs")
	}
	return all, nil
}
