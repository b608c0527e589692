package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/analysis/plot"
	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/runtime/results"
)

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
	f.Var(settings.Word(&p.table, plot.Tables...), "table", "write the numbers as a table in this `format`: "+strings.Join(plot.Tables, ", "))
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
		if err := plot.WriteTable(env.Out, p.table, figures); err != nil || p.out == "" {
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
		path := p.out
		if len(figures) > 1 {
			path = numbered(path, i+1)
		}
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
