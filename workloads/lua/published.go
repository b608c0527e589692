package lua

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// published reads the numbers of a paper in the file NAME.published.csv beside the script, if it is there.
func (s *Script) published() ([]results.Published, error) {
	if s.folder == nil {
		return nil, nil
	}
	file := strings.TrimSuffix(filepath.Base(s.Name), ".lua") + results.PublishedExtension
	text, err := readSource(s.folder, file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	list, err := results.ParsePublished(text)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", file, err)
	}
	if err := s.checkPublished(list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list, nil
}

// checkPublished refuses fields that no row has, and rates that no plot can show.
func (s *Script) checkPublished(list []results.Published) error {
	axes := lists.Map(s.Axes, func(a run.Axis) string { return a.Name })
	options := lists.Map(s.Options, func(o Option) string { return o.Name })
	known := slices.Concat(analysis.Fields, axes, options)
	for _, p := range list {
		for _, name := range slices.Sorted(maps.Keys(p.Of)) {
			if !slices.Contains(known, name) {
				return nearest.Unknown("column", name, append([]string{"column", "value", "unit"}, known...))
			}
		}
		if err := s.shows(p); err != nil {
			return err
		}
	}
	return nil
}

// shows checks that a plot shows the number. Those of another machine are shown as ratios.
func (s *Script) shows(p results.Published) error {
	given := false
	for _, plot := range s.Plots {
		if plot.Y != p.Column {
			continue
		}
		scheme, relative := p.Times()
		if !p.OfAMachine() && !relative || p.OfAMachine() && plot.Relative != nil || relative && plot.Relative["scheme"] == scheme {
			return nil
		}
		given = true
	}
	if given {
		return fmt.Errorf("%s in %s: a plot of it needs relative, as in relative = \"NAME\", the scheme to divide by", p.Column, p.Unit)
	}
	return fmt.Errorf("column %q: no plot of the script has it as y", p.Column)
}

// readPlot reads { x = "load", y = "mops", where = { op = "find" } }.
func (h *host) readPlot(path string, v glua.LValue, p *results.Plot) error {
	plot := struct {
		*results.Plot
		Relative glua.LValue `lua:"relative"`
	}{Plot: p}
	f, err := sandbox.Decode(path, v, &plot)
	switch {
	case err != nil:
		return err
	case plot.X == "" || plot.Y == "":
		return sandbox.WrongField(path, ` needs x and y, as in { x = "load", y = "mops" }`)
	}
	if f.Has("relative") {
		p.Relative, err = base(f.At("relative"), plot.Relative)
	}
	if err == nil {
		err = h.checkFields(path, append([]string{p.X}, p.Group...))
	}
	return err
}

// checkFields refuses names that no row has. Parameters of schemes are known only when there are results.
func (h *host) checkFields(path string, names []string) error {
	known := append(lists.Map(h.declared.axes, func(a run.Axis) string { return a.Name }), analysis.Fields...)
	for _, name := range names {
		if !isName(name) {
			return sandbox.WrongField(path, " has %q, it takes a name such as %s", name, known[0])
		}
	}
	if x := names[0]; !slices.Contains(known, x) && !analysis.IsColumn(x) {
		return sandbox.WrongField(path+".x", ": %v", nearest.Unknown("field", x, known))
	}
	return nil
}

// base reads the name of a scheme, or { scheme = name, name = value }.
func base(path string, v glua.LValue) (map[string]string, error) {
	if name, ok := v.(glua.LString); ok && name != "" {
		return map[string]string{"scheme": string(name)}, nil
	}
	all := map[string]string{}
	err := sandbox.EachNamed(path, v, func(path, name string, v glua.LValue) error {
		value, err := sandbox.Text(path, v)
		all[name] = value
		return err
	})
	if err == nil && all["scheme"] == "" {
		err = sandbox.WrongField(path, ` needs a scheme, as in { scheme = "NAME", how = "insert" }`)
	}
	return all, err
}
