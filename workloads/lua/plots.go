package lua

import (
	"slices"

	glua "github.com/yuin/gopher-lua"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/runtime/sandbox"
	"github.com/hashzoo/hashzoo/workloads/run"
)

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
