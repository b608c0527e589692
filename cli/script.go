package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// loadScript reads the script that ships under a name, or that is in a file.
func loadScript(name string, limits lua.Limits) (*lua.Script, error) {
	if s, err := scripts.Find(name); err == nil {
		return lua.Inspect(s.Name+".lua", s.Source, s.Folder(), limits)
	}
	source, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, noScript(name)
	case err != nil:
		return nil, fmt.Errorf("script %w", err)
	}
	folder, err := os.OpenRoot(filepath.Dir(name))
	if err != nil {
		return nil, fmt.Errorf("script %w", err)
	}
	return lua.Inspect(name, string(source), folder.FS(), limits)
}

// noScript offers scripts that ship, or says where to look.
func noScript(name string) error {
	if near := nearest.Names(strings.TrimSuffix(name, ".lua"), scripts.Names()); len(near) > 0 {
		return nearest.Unknown("script", name, near)
	}
	return fmt.Errorf("unknown script %q: there is no such file, and none of that name ships; hashzoo scripts lists those that do", name)
}

// schemeList reads a,b:bucket=16,hashes=2,c.
func schemeList(texts []string) ([]schemes.Config, error) {
	var list []string
	for _, text := range texts {
		split, err := splitSchemes(text)
		if err != nil {
			return nil, err
		}
		list = append(list, split...)
	}
	if list == nil {
		list = schemes.Names()
	}
	var configs []schemes.Config
	for _, text := range list {
		config, err := schemes.Parse(text)
		if err != nil {
			return nil, err
		}
		configs = append(configs, config)
	}
	return configs, nil
}

// splitSchemes splits at commas, but a piece that is a setting belongs to the scheme
// before it.
func splitSchemes(text string) ([]string, error) {
	var list []string
	for _, piece := range strings.Split(text, ",") {
		last := len(list) - 1
		switch setting := strings.Contains(piece, "=") && !strings.Contains(piece, ":"); {
		case !setting:
			list = append(list, piece)
		case last < 0:
			return nil, fmt.Errorf("schemes are %q: the setting %s has no scheme before it", text, piece)
		case !strings.Contains(list[last], ":"):
			return nil, fmt.Errorf("schemes are %q: the first setting comes after a colon: %s:%s", text, list[last], piece)
		default:
			list[last] += "," + piece
		}
	}
	return list, nil
}

// scriptRun is a script with the values that the command line gives its options and
// axes.
type scriptRun struct {
	*lua.Script
	options map[string]any
	axes    []run.Axis
	points  []run.Point
}

func newScriptRun(ctx context.Context, name string, limits lua.Limits, options, axes []string) (s scriptRun, err error) {
	if s.Script, err = loadScript(name, limits); err != nil {
		return s, err
	}
	s.Script.Context = ctx
	if s.options, err = s.ParseOptions(options); err != nil {
		return s, err
	}
	if s.axes, err = run.Override(s.Axes, axes); err != nil {
		return s, err
	}
	s.points, err = run.Points(s.axes)
	return s, err
}

// provenance is the script as results keep it.
func (s scriptRun) provenance() *results.Script {
	options := map[string]string{}
	for _, o := range s.Options {
		value, given := s.options[o.Name]
		if !given {
			value = o.Default
		}
		options[o.Name] = run.Text(value)
	}
	return &results.Script{Name: s.Name, Source: s.Source, Options: options}
}

// header is the script as recordings keep it.
func (s scriptRun) header(seed uint64) record.Header {
	h := record.Header{Seed: seed, Script: record.Script{Name: s.Name, Source: s.Source}}
	values := s.provenance().Options
	for _, o := range s.Options {
		h.Options = append(h.Options, record.Option{Name: o.Name, Value: values[o.Name]})
	}
	return h
}

// scriptHelp lists what can be chosen about a script.
func (env *Env) scriptHelp(name string) error {
	if err := env.load(); err != nil {
		return err
	}
	s, err := loadScript(name, env.Settings.Lua)
	if err != nil {
		return err
	}
	if s.Title != "" {
		fmt.Fprintf(env.Out, "%s\n\n", results.Plain(s.Title))
	}
	fmt.Fprintf(env.Out, "Usage:\n  hashzoo run %s [flags]\n", name)
	options := results.Table{Columns: []results.Column{{Title: "option"}, {Title: "takes"}, {Title: "default"}, {Title: "what it is"}}}
	for _, o := range s.Options {
		options.Rows = append(options.Rows, []string{o.Name, o.Allowed(), run.Text(o.Default), o.Help})
	}
	axes := results.Table{Columns: []results.Column{{Title: "axis"}, {Title: "values"}}}
	for _, a := range s.Axes {
		axes.Rows = append(axes.Rows, []string{a.Name, valuesText(a.Values)})
	}
	if s.Count {
		fmt.Fprint(env.Out, "\nIts results are what instrumented kernels count: it runs as with --count.\n")
	}
	err = errors.Join(env.choices("Options, set by --set option=value", options), env.choices("Axes, changed by --axis axis=value,value", axes))
	fmt.Fprint(env.Out, "\nhashzoo run --help lists the flags.\n")
	return err
}

func (env *Env) choices(title string, table results.Table) error {
	if len(table.Rows) == 0 {
		return nil
	}
	fmt.Fprintf(env.Out, "\n%s:\n\n", title)
	return table.Print(env.Out)
}

// valuesText lists the values of an axis, of many the first and last ones.
func valuesText(values []any) string {
	var texts []string
	for _, v := range values {
		texts = append(texts, run.Text(v))
	}
	if n := len(texts); n > 12 {
		texts = append(append(texts[:5:5], "..."), texts[n-3:]...)
	}
	return strings.Join(texts, ", ")
}
