package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hashzoo/hashzoo/analysis"
	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/runtime/lists"
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

func sidesOf(args []string, read func(string) (analysis.Side, error)) (sides []analysis.Side, err error) {
	for _, name := range args {
		side, err := read(name)
		if err != nil {
			return nil, usage(err)
		}
		sides = append(sides, side)
	}
	return sides, nil
}

// failure is a condition of --fail-on.
type failure struct {
	kind  analysis.Kind
	least float64
}

func (f failure) String() string {
	return lists.Either(f.least == 0, f.kind.String(), fmt.Sprintf("%s by %s or more", f.kind, settings.Percent(&f.least)))
}

func (c compareFlags) conditions() (list []failure, err error) {
	for _, text := range c.failOn {
		word, least, bounded := strings.Cut(text, ":")
		f := failure{}
		if f.kind, err = analysis.ParseKind(word); err != nil {
			return nil, fmt.Errorf("--fail-on: %w", err)
		}
		if bounded {
			if err := settings.Percent(&f.least).Set(least); err != nil {
				return nil, fmt.Errorf("--fail-on %s: its part %w", text, err)
			}
		}
		list = append(list, f)
	}
	return list, nil
}
