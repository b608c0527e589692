package cli

import (
	"cmp"
	"context"
	_ "embed" // the text of docs/schemes.md
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/export"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/engine"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	_ "github.com/hashzoo/hashzoo/runtime/zoo" // the schemes that ship
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
	"github.com/hashzoo/hashzoo/workloads/survey"
)

func newSchemesCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "schemes", ValidArgsFunction: firstOnly(func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		env.loadSilently()
		return completeNames(""), cobra.ShellCompDirectiveNoFileComp
	})}
	env.listing(command, func(args []string) (any, func() error, error) {
		if len(args) == 0 {
			all := lists.Map(slices.Concat(schemes.All(), schemes.References()), describeScheme)
			return all, func() error { return printSchemes(env, all) }, nil
		}
		one, err := schemes.Find(args[0])
		if err != nil {
			return nil, nil, err
		}
		info := describeScheme(one)
		return []schemeInfo{info}, func() error { return printScheme(env, info) }, nil
	})
	env.usesSchemes(command)
	return command
}

func printSchemes(env *Env, all []schemeInfo) error {
	table := results.TableOf("scheme | title | #fills to", all, func(s schemeInfo) []string {
		return []string{s.Name, s.Title, fmt.Sprintf("%.2f", s.MaxLoad)}
	})
	references := lists.Map(schemes.References(), func(s *schemes.Scheme) string { return s.Name })
	_ = table.Print(env.Out)
	fmt.Fprintln(env.Out)
	return operations(all).Print(env.Out, "hashzoo schemes NAME says more about one: its parameters, and which operations may share a launch.",
		"References ("+strings.Join(references, ", ")+") are tables of libraries, and take part only where they are named.")
}

// operations has a line for all operations that the same schemes have.
func operations(all []schemeInfo) results.Table {
	with := func(op string) string { return having(op, all) }
	ops := lists.Filter(kernels.Ops, func(op string) bool { return with(op) != "" })
	return results.TableOf("operations | schemes", lists.Groups(ops, with), func(ops []string) []string {
		return []string{strings.Join(ops, " "), with(ops[0])}
	})
}

// having names the schemes that have an operation, or the few that lack it; nothing if no scheme has it.
func having(op string, all []schemeInfo) string {
	has := func(s schemeInfo) bool { return slices.Contains(s.Operations, op) }
	name := func(s schemeInfo) string { return s.Name }
	with, without := lists.Map(lists.Filter(all, has), name), lists.Map(slices.DeleteFunc(slices.Clone(all), has), name)
	switch {
	case len(without) == 0:
		return "all"
	case len(without) < len(with)/2:
		return "all but " + strings.Join(without, " ")
	}
	return strings.Join(with, " ")
}

func mixing(c schemes.Capabilities) string {
	keyed := slices.DeleteFunc(slices.Clone(c.Ops), func(op string) bool { return !slices.Contains(engine.Keyed, op) })
	switch {
	case len(c.Concurrent) == 0:
		return "in phases"
	case len(c.Concurrent) == len(keyed):
		return "concurrently"
	}
	return "concurrently (" + strings.Join(c.Concurrent, ", ") + "), others in phases"
}

func printScheme(env *Env, s schemeInfo) error {
	const readable = 90 // the width of texts
	params := results.TableOf("parameter | takes | default | what it is", s.Params, func(p paramInfo) []string {
		return []string{p.Name, p.Allowed, p.Default, p.Help}
	})
	gauges := results.TableOf("gauge | unit | what it shows", s.Gauges, func(g schemes.Gauge) []string { return []string{g.Name, g.Unit, g.Help} })
	params.Wrap, gauges.Wrap = readable, readable
	fills := lists.Either(s.Reference, "A reference: the table of a library, for "+s.RunsOn+", which grows by itself and takes part only where it is named.",
		fmt.Sprintf("Fills to a load factor of %.2f with the default parameters.", s.MaxLoad))
	print := func(paragraphs ...string) {
		for _, text := range paragraphs {
			fmt.Fprintln(env.text(), wrap(text, readable))
		}
	}
	print(s.Name+": "+s.Title, "", s.About, "", "Paper: "+s.Paper, "")
	_ = params.Print(env.Out)
	print("", "Operations: "+strings.Join(s.Operations, ", ")+"; mixed batches run "+s.Mixed+".",
		"Pairs: "+strings.Join(s.Pairs, ", ")+". "+properties(s), fills, "")
	_ = gauges.Print(env.Out)
	if s.Variants == nil {
		return nil
	}
	print("")
	var lacks []string // which kernels this program lacks
	if slices.ContainsFunc(s.Variants, func(v variantInfo) bool { return !v.CPU }) {
		lacks = append(lacks, "Others are compiled when a run needs them, in about a second each.")
	}
	if len(kernels.PTXNames()) == 0 {
		lacks = append(lacks, "This build has no kernels for cuda: hashzoo devices says why.")
	}
	return variantTable(s.Variants).Print(env.Out, lacks...)
}

func properties(s schemeInfo) string {
	place := lists.Either(s.Stable, "Pairs stay in place", "Pairs move")
	if s.Stable && s.MovesWith != nil {
		place += ", except with " + strings.Join(s.MovesWith, " or ")
	}
	pairs := map[bool]string{true: "A key can have several pairs", false: "A key has one pair"}[s.Duplicates]
	memory := map[bool]string{true: "can be in host memory", false: "is in device memory"}[s.HostMemory]
	return place + ". " + pairs + ". The table " + memory + "."
}

// variantTable has a line for each variant, with the pairs that each backend takes.
func variantTable(variants []variantInfo) results.Table {
	same := lists.Groups(variants, func(v variantInfo) string { return v.Name })
	return results.TableOf("variant | compiled in for cpu | for cuda", same, func(same []variantInfo) []string {
		var cpu, cuda []string
		for _, v := range same {
			if v.CPU {
				cpu = append(cpu, v.Pair)
			}
			if v.CUDA != "" {
				cuda = append(cuda, v.Pair+" on "+v.CUDA+" and later")
			}
		}
		return []string{same[0].Name, strings.Join(cpu, " "), strings.Join(cuda, ", ")}
	})
}

func wrap(text string, width int) string {
	return ansi.Wordwrap(strings.Join(strings.Fields(text), " "), width, "")
}

// schemeInfo describes a scheme, as `schemes --json` prints it.
type schemeInfo struct {
	Name       string          `json:"name"`
	Title      string          `json:"title"`
	About      string          `json:"about"`
	Paper      string          `json:"paper"`
	Params     []paramInfo     `json:"parameters"`
	Operations []string        `json:"operations"`
	Mixed      string          `json:"mixed"`
	Pairs      []string        `json:"pairs"`
	Stable     bool            `json:"stable"`
	MovesWith  []string        `json:"moves_with,omitempty"`
	Reference  bool            `json:"reference,omitempty"`
	RunsOn     string          `json:"runs_on"`
	HostMemory bool            `json:"host_memory"`
	Duplicates bool            `json:"duplicates"`
	MaxLoad    float64         `json:"max_load"`
	Gauges     []schemes.Gauge `json:"gauges"`
	Variants   []variantInfo   `json:"variants"`
}

type paramInfo struct {
	Name    string `json:"name"`
	Allowed string `json:"allowed"`
	Default string `json:"default"`
	Help    string `json:"help"`
}

// variantInfo tells where the program has the kernels of a variant. Others are compiled when a table needs them.
type variantInfo struct {
	Name string `json:"name"`
	Pair string `json:"pair"`
	CPU  bool   `json:"cpu"`
	CUDA string `json:"cuda"` // the oldest GPUs; empty: it does not have them
}

func describeScheme(s *schemes.Scheme) schemeInfo {
	return schemeInfo{
		Name: s.Name, Title: s.Title, About: s.About, Paper: s.Paper, Pairs: lists.Map(s.Caps.Pairs, schemes.Pair.String),
		Operations: s.Caps.Ops, Mixed: mixing(s.Caps), Reference: s.Reference, RunsOn: s.Processors(), Stable: s.Caps.Stable, MovesWith: s.Moves, HostMemory: s.Caps.HostMemory,
		Duplicates: s.Caps.Duplicates, MaxLoad: s.MaxLoad(s.Defaults()), Gauges: s.Gauges, Variants: variants(s),
		Params: lists.Map(s.Params, func(p schemes.Param) paramInfo {
			return paramInfo{p.Name, p.Allowed(), p.Text(p.Default), p.Help}
		}),
	}
}

// variants lists the combinations of the parameters that select kernels.
func variants(s *schemes.Scheme) []variantInfo {
	if s.OnGPU {
		return nil // a library has kernels of its own
	}
	return slices.Concat(lists.Map(s.Variants(), func(c schemes.Config) []variantInfo {
		return lists.Map(c.Caps.Pairs, func(pair schemes.Pair) variantInfo { return compiled(c, pair) })
	})...)
}

// compiled tells for which backends the program has all kernels of a variant.
func compiled(c schemes.Config, pair schemes.Pair) variantInfo {
	v := variantInfo{Name: c.Variant(), Pair: pair.String(), CPU: true}
	cuda, oldest := true, 0
	for _, op := range c.Launched() {
		name := c.Kernel(pair, op, false)
		_, onCPU := kernels.FindHost(name)
		kernel, onCUDA := kernels.FindPTX(name)
		v.CPU, cuda, oldest = v.CPU && onCPU, cuda && onCUDA, max(oldest, kernel.Arch)
	}
	if cuda {
		v.CUDA = fmt.Sprintf("sm_%d", oldest)
	}
	return v
}

func newExportCommand(env *Env) *cobra.Command {
	o := export.Options{Lang: export.Langs[0]}
	command := &cobra.Command{Use: "export", RunE: func(_ *cobra.Command, args []string) error {
		c, err := schemes.Parse(args[0])
		if err != nil {
			return usage(err)
		}
		b := results.ThisBuild()
		o.Version = cmp.Or(b.Revision, b.Version)
		done, err := export.Write(args[1], c, o)
		if err != nil {
			return usage(fmt.Errorf("export: %w", err))
		}
		left := lists.Map(done.Lacks, func(op string) string { return "not exported: " + op })
		return env.lines(append(append(done.Files, left...), "", "Next: "+done.Next+".")...)
	}}
	command.Flags().Var(settings.Word(&o.Lang, export.Langs...), "lang", "the `language`: cuda, a C++ header for nvcc, clang and g++; c, with a library of C functions as well; go and python, packages that use the CPU or a GPU")
	env.usesSchemes(command)
	return command
}

func newScriptsCommand(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "scripts"}
	command.AddCommand(newShowCommand(env))
	return env.listing(command, func([]string) (any, func() error, error) {
		data := lists.Map(scripts.All(), func(s scripts.Script) map[string]string {
			return map[string]string{"name": s.Name, "title": s.Title}
		})
		table := results.TableOf("script | what it does", scripts.All(), func(s scripts.Script) []string { return []string{s.Name, s.Title} })
		return data, env.page("", table, "hashzoo run NAME runs one, hashzoo run NAME --help lists its options, hashzoo scripts show NAME prints it."), nil
	})
}

func newShowCommand(env *Env) *cobra.Command {
	var published bool
	show := &cobra.Command{
		Use:               "show",
		ValidArgsFunction: firstOnly(completeScripts),
		RunE: func(_ *cobra.Command, args []string) error {
			s, err := scripts.Find(args[0])
			if err != nil {
				return usage(err)
			}
			text := lists.Either(published, s.Published(), s.Source)
			if text == "" {
				return usage(fmt.Errorf("script %s ships no published numbers", s.Name))
			}
			_, err = fmt.Fprint(env.Out, text)
			return err
		},
	}
	show.Flags().BoolVar(&published, "published", false, "print the paper's numbers that its plots show: the file NAME.published.csv beside it")
	return show
}

func (env *Env) scriptHelp(name string) error {
	if err := env.load(); err != nil {
		return err
	}
	s, err := session.Script(name, env.Settings.Lua)
	if err != nil {
		return err
	}
	if s.Title != "" {
		fmt.Fprintf(env.text(), "%s\n\n", s.Title)
	}
	fmt.Fprintf(env.text(), "Usage:\n  hashzoo run %s [flags]\n", name)
	if s.Count {
		fmt.Fprint(env.text(), "\nIts results are counts of instrumented kernels, so it always runs with --count.\n")
	}
	err = env.choices("Options, set by --set option=value", results.TableOf("option | takes | default | what it is", s.Options,
		func(o lua.Option) []string { return []string{o.Name, o.Allowed(), run.Text(o.Default), o.Help} }))
	err = cmp.Or(err, env.choices("Axes, changed by --axis axis=value,value", results.TableOf("axis | values", s.Axes,
		func(a run.Axis) []string { return []string{a.Name, valuesText(a.Values)} })))
	fmt.Fprint(env.text(), "\nhashzoo run --help lists the flags.\n")
	return err
}

func (env *Env) choices(title string, table results.Table) error {
	if len(table.Rows) > 0 {
		fmt.Fprintf(env.text(), "\n%s:\n\n", title)
	}
	return table.Print(env.Out)
}

// valuesText lists the values of an axis, or the first and last ones of many.
func valuesText(values []any) string {
	texts := lists.Map(values, run.Text)
	if n := len(texts); n > 12 {
		texts = append(append(texts[:5:5], "..."), texts[n-3:]...)
	}
	return strings.Join(texts, ", ")
}

func newSurveyCommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	command := &cobra.Command{Use: "survey", RunE: func(command *cobra.Command, args []string) error { return r.survey(command.Context(), args) }}
	env.usesSchemes(command, "device", "threads")
	r.changed = command.Flags().Changed
	return command
}

const surveyN = 1 << 17

//go:embed survey.txt
var surveyText string

func (r *runFlags) survey(ctx context.Context, args []string) error {
	list, err := session.Schemes(args)
	if err != nil {
		return usage(err)
	}
	return r.withDevice(func(dev device.Device) error {
		q, err := r.complete("")
		q.Opened, q.Seed = dev, 1
		rows, failed := lists.TryMap(list, func(config schemes.Config) (survey.Row, error) {
			return survey.Measure(ctx, q, config, surveyN, "0.8,0.9")
		})
		if err = cmp.Or(err, failed); err != nil {
			return err
		}
		_, err = fmt.Fprintf(r.text(), surveyText, surveyN, q.Seed, survey.Page(rows, []float64{0.8, 0.9}))
		return err
	})
}
