package choose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// Request turns a request for a run into one for a search.
func (w Wish) Request(r session.Request) (session.Request, error) {
	for op := range w.Maximize {
		if err := nearest.Check("operation", op, kernels.OpsOf(kernels.OnKeys, kernels.OnSlots, kernels.Mixed)); err != nil {
			return r, fmt.Errorf("--maximize: %w", err)
		}
	}
	c := Chooser{Wish: w}
	if record.Is(r.Script) {
		c.Command = func(scheme string) string { return commandLine("replay", r, "--schemes", scheme) }
	} else {
		script, err := session.Script(r.Script, r.Limits, r.Set...)
		if err != nil {
			return r, err
		}
		given, err := script.ParseOptions(r.Set)
		if err != nil {
			return r, err
		}
		for _, o := range script.Options {
			value, ok := given[o.Name]
			if !ok {
				value = o.Default
			}
			if x, isNumber := value.(float64); isNumber && o.Name != schemes.LoadParam {
				c.Knobs = append(c.Knobs, Knob{o.Name, x, func(x float64) bool { _, err := o.Parse(run.Text(x)); return err == nil }})
			}
		}
		c.Command = func(scheme string) string {
			return commandLine("run", r, append([]string{"--schemes", scheme}, oneLoad(script.Axes, r.Axis)...)...)
		}
	}
	if len(r.Schemes) == 0 {
		r.Schemes = []string{"all"}
	}
	r.LeaveOut, r.Figures, r.Run = true, true, c.Run
	return r, nil
}

// oneLoad takes a single value of the axis load, which the scheme's own load factor replaces.
func oneLoad(axes []run.Axis, given []string) []string {
	i := slices.IndexFunc(axes, func(a run.Axis) bool { return a.Name == schemes.LoadParam })
	if i < 0 || slices.ContainsFunc(given, func(g string) bool { return strings.HasPrefix(g, schemes.LoadParam+"=") }) {
		return nil
	}
	return []string{"--axis", schemes.LoadParam + "=" + run.Text(axes[i].Values[0])}
}

// commandLine is a command that runs what a request asks for.
func commandLine(command string, r session.Request, more ...string) string {
	if r.Pair != (schemes.Pair{}) {
		more = append([]string{"--pair", r.Pair.String()}, more...)
	}
	return strings.Join(lists.Map(r.Choice.Words(command, more...), analysis.Shell), " ")
}
