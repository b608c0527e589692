package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/bench"
)

var _ = register(newBenchCommand)

const benchLong = `The standard measurement: build tables to a load factor, then look keys up of
which all, half and none are there. Schemes take turns run by run and get the same
input. Without schemes, all of the zoo are measured that have such pairs, with their
defaults, and it says which have not.

Rates are of completed operations, by the device's own clock, in the median run.`

// benchExample shows how schemes are written, on the last one of the zoo.
func benchExample() string {
	first, last := schemes.All()[0], schemes.All()[len(schemes.All())-1]
	p := last.Params[0]
	other := last.Name + ":" + p.Name + "=" + p.Text(p.Default)
	return fmt.Sprintf("  hashzoo bench\n  hashzoo bench %s %s --load 0.8 --n 20M\n"+
		"  hashzoo bench %s --device cuda:0 --n 50M --count --json results.json", first.Name, other, last.Name)
}

func newBenchCommand(env *Env) *cobra.Command {
	b := benchCommand{Env: env, output: output{env: env}}
	command := &cobra.Command{
		Use:               "bench [SCHEME[:param=value,...] ...]",
		Short:             "measure schemes side by side",
		Long:              benchLong,
		Example:           benchExample(),
		ValidArgsFunction: env.completeSchemes,
		RunE:              b.run,
	}
	env.usesSchemes(command, "device", "threads", "bench.n", "bench.load", "bench.present", "bench.pair", "bench.placement", "seed",
		"repeat.warmup", "repeat.least", "repeat.most", "repeat.noise", "repeat.max_time", "engine.batch_timeout")
	command.Flags().BoolVar(&b.erase, "erase", false, "also erase all pairs")
	command.Flags().BoolVar(&b.mix, "mix", false, "also find keys while others are inserted, on schemes that do both at once")
	command.Flags().BoolVar(&b.count, "count", false, "count probes and the like too, with instrumented kernels in a run of their own")
	command.Flags().BoolVar(&b.verify, "verify", false, "check one run of everything against an oracle; takes memory and time")
	command.Flags().BoolVar(&b.quiet, "quiet", false, "show no progress")
	b.output.flags(command)
	return command
}

type benchCommand struct {
	*Env
	output
	count, verify, quiet, erase, mix bool

	without  []results.LeftOut
	progress *progress
}

func (b *benchCommand) run(command *cobra.Command, args []string) error {
	plan, err := b.plan(args)
	if err != nil {
		return usage(err)
	}
	dev, err := b.Env.open()
	if err != nil {
		return err
	}
	if err := b.output.open(dev, nil); err != nil {
		return err
	}
	for _, l := range b.without {
		if err := b.output.leftOut(l); err != nil {
			return err
		}
	}
	progress, end := newProgress(command.Context(), b.Env, b.quiet)
	b.progress = progress
	err = bench.Run(command.Context(), dev, plan, b)
	end()
	interrupted := err != nil && command.Context().Err() != nil
	if interrupted {
		err = errInterrupted
	}
	err = errors.Join(err, closeAfter(dev, err))
	err = errors.Join(err, b.print(), b.output.close(err, interrupted))
	b.output.printPaths()
	return err
}

// plan is what the arguments and settings ask for.
func (b *benchCommand) plan(args []string) (bench.Plan, error) {
	s := b.Settings
	plan := bench.Plan{
		N: s.Bench.N, Loads: s.Bench.Load, Present: s.Bench.Present, Pair: s.Bench.Pair, Host: s.Bench.Placement == "host", Seed: s.Seed,
		Repeat: s.Repeat, Timeout: s.BatchTimeout, Erase: b.erase, Mix: b.mix,
		Counted: b.count, Verify: b.verify,
	}
	for _, arg := range args {
		config, err := schemes.Parse(arg)
		if err != nil {
			return plan, err
		}
		plan.Schemes = append(plan.Schemes, config)
	}
	if len(args) == 0 {
		plan.Schemes, b.without = able(plan)
	}
	return plan, plan.Check()
}

// able are all schemes that have tables as they are asked for, and those that have not.
func able(plan bench.Plan) (list []schemes.Config, without []results.LeftOut) {
	for _, s := range schemes.All() {
		if lack := schemes.Lacking(plan.Possible(s.Defaults())); lack != nil {
			without = append(without, results.LeftOut{Scheme: s.Name, Reason: lack.What})
		} else {
			list = append(list, s.Defaults())
		}
	}
	return list, without
}

// Row and Now make the command a bench.Listener.
func (b *benchCommand) Row(r results.Row) error { return b.output.row(r) }

// Now shows what is being done.
func (b *benchCommand) Now(what string) { b.progress.say(what) }

func (b *benchCommand) print() error {
	rows := b.document.Rows
	if len(rows) == 0 || !b.output.table() {
		return nil
	}
	where := ""
	if b.Settings.Bench.Placement == "host" {
		where = " in host memory"
	}
	fmt.Fprintf(b.Env.Out, "%s, %d %s pairs%s, seed %d, input %.8s\n\n", b.device(), rows[0].N, rows[0].Pair,
		where, b.Settings.Seed, rows[0].Input)
	if err := bench.Table(rows).Print(b.Env.Out); err != nil {
		return err
	}
	var remarks []string
	for _, l := range b.without {
		remarks = append(remarks, l.Line())
	}
	for i, remark := range append(remarks, bench.Remarks(rows)...) {
		if i == 0 {
			fmt.Fprintln(b.Env.Out)
		}
		fmt.Fprintln(b.Env.Out, remark)
	}
	return nil
}
