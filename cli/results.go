package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/plot"
	reports "github.com/hashzoo/hashzoo/analysis/report"
	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
)

type compareFlags struct {
	by, base, format string
	failOn           []string
	o                analysis.Options
}

func newCompareCommand(env *Env) *cobra.Command {
	c := compareFlags{by: "run", format: "table"}
	command := &cobra.Command{Use: "compare", RunE: func(_ *cobra.Command, args []string) error { return env.compare(args, c) }}
	f := command.Flags()
	f.Var(settings.Word(&c.by, "run", "scheme"), "by", "what to compare: the `sides` run or scheme")
	f.StringVar(&c.base, "base", "", "with --by scheme: the `scheme` to compare the others with (default: the first)")
	comparing(f, &c.o)
	f.Var(settings.Word(&c.format, analysis.Formats...), "format", "the `format`: "+strings.Join(analysis.Formats, ", "))
	f.StringArrayVar(&c.failOn, "fail-on", nil, "exit with 1 if there is such a `verdict`: unclear, slower, slower:5%")
	return command
}

func comparing(f *pflag.FlagSet, o *analysis.Options) {
	*o = analysis.Options{Least: analysis.Least, Spread: analysis.Spread}
	f.Var(settings.Percent(&o.Least), "least", "the smallest difference that matters")
	f.Var(settings.Percent(&o.Spread), "spread", "how much equal runs differ, if no side was repeated")
}

func (env *Env) compare(args []string, c compareFlags) error {
	conditions, err := c.conditions()
	if err != nil {
		return misused(err)
	}
	result, err := c.compare(args)
	if err != nil {
		return err
	}
	if err := result.Write(env.Out, c.format); err != nil {
		return err
	}
	for _, f := range conditions {
		if n := result.Count(f.kind, f.least); n > 0 {
			err = errors.Join(err, fmt.Errorf("%d of %d rows are %s", n, len(result.Rows), f))
		}
	}
	return err
}

func (c compareFlags) compare(args []string) (result analysis.Comparison, err error) {
	wanted := map[string]int{"run": 2, "scheme": 1}[c.by]
	switch {
	case len(args) != wanted && wanted == 2:
		return result, misused(errors.New("compare takes OLD and NEW; hint: --by scheme compares the schemes of one run"))
	case len(args) != wanted:
		return result, misused(errors.New("compare --by scheme takes one side; hint: separate several files by commas"))
	case c.base != "" && c.by == "run":
		return result, misused(errors.New("--base needs --by scheme"))
	}
	sides, err := sidesOf(args, analysis.ReadSide)
	if err != nil {
		return result, err
	}
	if c.by == "run" {
		return analysis.Compare(sides[0], sides[1], c.o), nil
	}
	result, err = analysis.BySchemes(sides[0], c.base, c.o)
	return result, usage(err)
}

func sidesOf(args []string, read func(string) (analysis.Side, error)) ([]analysis.Side, error) {
	sides, err := lists.TryMap(args, read)
	return sides, usage(err)
}

// failure is a condition of --fail-on.
type failure struct {
	kind  analysis.Kind
	least float64
}

func (f failure) String() string {
	return lists.Either(f.least == 0, f.kind.String(), fmt.Sprintf("%s by %s or more", f.kind, settings.Percent(&f.least)))
}

func (c compareFlags) conditions() ([]failure, error) {
	return lists.TryMap(c.failOn, func(text string) (f failure, err error) {
		word, least, bounded := strings.Cut(text, ":")
		if f.kind, err = analysis.ParseKind(word); err != nil {
			return f, fmt.Errorf("--fail-on: %w", err)
		}
		if err := settings.Percent(&f.least).Set(least); bounded && err != nil {
			return f, fmt.Errorf("--fail-on %s: its part %w", text, err)
		}
		return f, nil
	})
}

type plotFlags struct {
	out, table string
	where      []string
	relative   []string
	width      float64
	chosen     results.Plot
}

func newPlotCommand(env *Env) *cobra.Command {
	var p plotFlags
	command := &cobra.Command{Use: "plot", RunE: func(_ *cobra.Command, args []string) error { return env.plot(args, p) }}
	f := command.Flags()
	f.SortFlags = false
	f.StringVarP(&p.out, "output", "o", "", "the `file` to draw: .svg, .pdf or .png (default: an SVG here, called as the results)")
	tables := slices.Sorted(maps.Keys(plot.Tables))
	f.Var(settings.Word(&p.table, tables...), "table", "write the numbers as a table in this `format`: "+strings.Join(tables, ", "))
	f.StringVar(&p.chosen.X, "x", "", "what the horizontal axis shows: a `field`")
	f.StringVar(&p.chosen.Y, "y", "", "what the vertical axis shows: a `column`")
	f.StringSliceVar(&p.chosen.Group, "group", nil, "what has a curve of its own: `fields`, such as scheme,pair")
	f.StringArrayVar(&p.where, "where", nil, "only rows with one of these values: `field=value,value`")
	f.StringArrayVar(&p.relative, "relative", nil, "divide by the values of this `scheme` (then by field=value, such as how=rebuild), or none")
	f.StringVar(&p.chosen.Log, "log", "", "logarithmic `axes`: x, y, xy or none")
	f.StringVar(&p.chosen.Title, "title", "", "the `text` above the panels")
	f.StringVar(&p.chosen.XLabel, "xlabel", "", "the `text` at the horizontal axis")
	f.StringVar(&p.chosen.YLabel, "ylabel", "", "the `text` at the vertical axis")
	f.Var(settings.Number(&p.width, 4, 100), "width", "the width in cm (default: 8.5, a column of a paper; with several panels 17.8, the page)")
	return command
}

func (env *Env) plot(args []string, p plotFlags) error {
	if p.out == "" && p.table == "" {
		p.out = pictureOf(args[0])
	}
	if err := p.check(); err != nil {
		return misused(err)
	}
	sides, err := sidesOf(args, analysis.ReadParts)
	if err != nil {
		return err
	}
	figures, err := analysis.Figures(sides, p.chosen)
	if err != nil {
		return usage(err)
	}
	if p.table != "" {
		if err := plot.Tables[p.table](env.Out, figures); err != nil || p.out == "" {
			return err
		}
	}
	return env.draw(figures, p)
}

// pictureOf names the picture of results: r.svg in the current folder for results/r.json or results/r.json,s.json.
func pictureOf(name string) string {
	first, _, _ := strings.Cut(name, ",")
	base := filepath.Base(first)
	return cmp.Or(strings.Trim(strings.TrimSuffix(base, filepath.Ext(base)), "./"), "plot") + ".svg"
}

// check parses --where and --relative, and checks the name of the file.
func (p *plotFlags) check() (err error) {
	if p.out != "" {
		err = plot.CheckPath(p.out)
	}
	p.chosen.Where = map[string][]string{}
	for _, text := range p.where {
		name, values, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return fmt.Errorf("--where %q: write field=value, such as op=find", text)
		}
		list := strings.Split(values, ",")
		if len(list) > 1 {
			list = append(list, values) // a scheme with several parameters
		}
		p.chosen.Where[name] = append(p.chosen.Where[name], list...)
	}
	p.chosen.Relative = p.base()
	switch {
	case slices.Contains(p.relative, ""):
		err = errors.New("--relative is empty: it takes a scheme, or none")
	case p.chosen.Relative["scheme"] == "" && len(p.chosen.Relative) > 0:
		err = fmt.Errorf("--relative %s: name the scheme too, as in --relative SCHEME --relative %[1]s", p.relative[0])
	}
	return err
}

// base reads --relative: a scheme, which may have parameters, or field=value.
func (p *plotFlags) base() map[string]string {
	if p.relative == nil {
		return nil
	}
	base := map[string]string{}
	for _, text := range p.relative {
		switch name, value, ok := strings.Cut(text, "="); {
		case text == "none":
		case ok && !strings.Contains(name, ":"):
			base[name] = value
		default:
			base["scheme"] = text
		}
	}
	return base
}

// draw writes a file for each figure, and prints its notes for a caption.
func (env *Env) draw(figures []analysis.Figure, p plotFlags) error {
	var lines []string
	for i, f := range figures {
		path := lists.Either(len(figures) > 1, regular.Beside(p.out, i+1), p.out)
		picture := func(out *regular.Output) error { return plot.Write(out, path, f, cmp.Or(p.width, plot.Width(f))) }
		if err := regular.Write(path, picture); err != nil {
			return err
		}
		lines = append(append(lines, "figure: "+path), lists.Map(f.Notes, func(note string) string { return "  " + note })...)
	}
	if p.table != "" { // which has standard output
		return nil
	}
	return env.lines(lines...)
}

type reportFlags struct {
	out, extract string
	o            reports.Options
}

func newReportCommand(env *Env) *cobra.Command {
	var r reportFlags
	command := &cobra.Command{
		Use:  "report",
		Args: func(_ *cobra.Command, args []string) error { return r.check(args) },
		RunE: func(_ *cobra.Command, args []string) error {
			if r.extract != "" {
				return env.extract(r.extract, args[0])
			}
			return env.report(args, r)
		},
	}
	f := command.Flags()
	f.SortFlags = false
	f.StringVarP(&r.out, "output", "o", "", "the `file` to write, such as report.html")
	f.StringVar(&r.o.Title, "title", "", "the `text` at the top")
	comparing(f, &r.o.Compare)
	f.StringVar(&r.extract, "extract", "", "write the results in this `page` to the folder that is given instead of RESULTS")
	_ = command.MarkFlagFilename("output", "html")
	_ = command.MarkFlagFilename("extract", "html")
	return command
}

func (r reportFlags) check(args []string) (err error) {
	switch {
	case r.extract != "" && len(args) != 1:
		err = fmt.Errorf("report --extract takes one folder: hashzoo report --extract %s results", r.extract)
	case r.extract != "" && r.out != "":
		err = errors.New("--extract and --output exclude each other: the folder says where to write")
	case r.extract == "" && len(args) == 0:
		err = errors.New("report: RESULTS is missing")
	case r.extract == "" && r.out == "":
		err = errors.New("report needs -o FILE, such as report.html")
	}
	if err != nil {
		return misused(err)
	}
	return nil
}

func (env *Env) report(args []string, r reportFlags) error {
	sides, err := sidesOf(args, analysis.ReadParts)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(analysis.Files(sides), func(f analysis.File) bool { return regular.Same(f.Path, r.out) }) {
		return misused(fmt.Errorf("-o %s is one of the results: choose another name", r.out))
	}
	r.o.Name = filepath.Base(r.out)
	if err := regular.Write(r.out, func(out *regular.Output) error { return reports.Write(out, sides, r.o) }); err != nil {
		return err
	}
	return env.lines("report: " + r.out)
}

// extract writes the results in a page. A file that exists already stays.
func (env *Env) extract(page, folder string) error {
	const mostPage = 1 << 30 // bytes
	text, err := regular.Read(page, mostPage)
	if err != nil {
		return usage(err)
	}
	files, err := reports.Extract(text)
	if err != nil {
		return usage(fmt.Errorf("%s: %w", page, err))
	}
	for i, f := range files {
		files[i].Path = filepath.Join(folder, filepath.FromSlash(f.Path))
		if _, err := os.Lstat(files[i].Path); !errors.Is(err, fs.ErrNotExist) {
			return usage(fmt.Errorf("%s exists already: choose another folder", files[i].Path))
		}
	}
	for _, f := range files {
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o777); err != nil {
			return err
		}
		if err := regular.WriteText(f.Path, string(f.Text)); err != nil {
			return err
		}
		if err := env.lines("results: " + f.Path); err != nil {
			return err
		}
	}
	return nil
}
