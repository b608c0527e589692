package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/session"
)

const benchLong = `Run the standard measurement: build tables to a load factor, then look up keys of which
all, half and none are present. Schemes take turns run by run and get the same input.
Without schemes, it measures every scheme of the zoo that has such pairs, with its
defaults, and names those that lack them.

Rates are of completed operations, by the device's own clock, in the median run.
hashzoo scripts show standard prints the script that this command runs.`

const benchExample = `  hashzoo bench
  hashzoo bench FIRST CONFIG --load 0.8 --n 20M
  hashzoo bench LAST --device cuda:0 --n 50M --count --json results.json`

// benchOptions are the settings that are options of the script, by their names there.
var benchOptions = map[string]string{"n": "bench.n", "pair": "bench.pair", "placement": "bench.placement", "present": "bench.present"}

func newBenchCommand(env *Env) *cobra.Command {
	r := newRunFlags(env)
	r.bench, r.heading = true, r.benchHeading
	var erase, mix bool
	command := &cobra.Command{
		Use:               "bench [SCHEME[:param=value,...] ...]",
		Short:             "measure the rates of schemes",
		Long:              benchLong,
		Example:           example(benchExample),
		ValidArgsFunction: env.completeSchemes,
		RunE: func(c *cobra.Command, args []string) error {
			q, err := r.complete("standard")
			if err != nil {
				return err
			}
			q.Choice.Schemes, q.Row = args, benchRow
			q.Set = []string{fmt.Sprint("erase=", erase), fmt.Sprint("mix=", mix)}
			for option, key := range benchOptions {
				q.Set = append(q.Set, option+"="+env.Settings.Text(key))
			}
			q.Axis = []string{"load=" + env.Settings.Text("bench.load")}
			err = r.run(c.Context(), q)
			if lack := schemes.Lacking(err); lack != nil { // without the line of the script
				return usage(lack)
			}
			return err
		},
	}
	env.usesSchemes(command, "device", "threads", "bench.n", "bench.load", "bench.present", "bench.pair", "bench.placement", "seed",
		"repeat.warmup", "repeat.least", "repeat.most", "repeat.noise", "repeat.max_time", "engine.batch_timeout")
	command.Flags().BoolVar(&erase, "erase", false, "also erase all pairs")
	command.Flags().BoolVar(&mix, "mix", false, "also find keys while others are inserted, on schemes that can do both at once")
	r.flags(command, "count", "verify", "quiet", "json", "ndjson")
	return command
}

// benchRow is a row as bench writes it: a point instead of a phase.
func benchRow(r results.Row) results.Row {
	var percent float64
	at := results.Point{"load_factor": r.Point["load"]}
	if n, _ := fmt.Sscanf(r.Phase, "find %g %%", &percent); n == 1 {
		at["present"] = percent / 100
	}
	r.Point, r.Phase, r.Batches = at, "", 0
	return r
}

func (r *runFlags) benchHeading(s *session.Session) string {
	row, where := s.Document.Rows[0], ""
	if r.Settings.Bench.Placement == "host" {
		where = " in host memory"
	}
	return fmt.Sprintf("%s, %d %s pairs%s, seed %d, input %.8s",
		deviceLine(s.Document.Run.Device), row.N, row.Pair, where, r.Settings.Seed, row.Input)
}
