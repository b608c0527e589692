package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/scripts"
	"github.com/hashzoo/hashzoo/workloads/lua"
	"github.com/hashzoo/hashzoo/workloads/run"
	"github.com/hashzoo/hashzoo/workloads/session"
)

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
			text := s.Source
			if published {
				text = s.Published()
			}
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
