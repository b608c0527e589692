package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

// scriptHelp lists the options and axes of a script.
func (env *Env) scriptHelp(name string) error {
	if err := env.load(); err != nil {
		return err
	}
	s, err := session.Script(name, env.Settings.Lua)
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
		fmt.Fprint(env.Out, "\nIts results are counts of instrumented kernels, so it always runs with --count.\n")
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

// valuesText lists the values of an axis, or the first and last ones of many.
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
