package cli

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/cli/settings"
	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/regular"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/trace"
)

// reading makes a command run f on the recordings that its first n arguments name.
func reading(command *cobra.Command, n int, f func(r []*record.Recording, args []string) error) *cobra.Command {
	partial := command.Flags().Bool("partial", false, "take a recording that was cut off as far as it goes")
	command.RunE = func(_ *cobra.Command, args []string) error {
		var list []*record.Recording
		for _, path := range args[:n] {
			r, err := record.Open(path, *partial)
			if err != nil {
				return usage(err)
			}
			defer r.Close()
			list = append(list, r)
		}
		return f(list, args)
	}
	return command
}

func newRecordingInfo(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "info"}
	return reading(command, 1, func(r []*record.Recording, _ []string) error {
		for _, line := range r[0].Info() {
			fmt.Fprintf(env.text(), "%-12s %s\n", line[0], line[1])
		}
		return nil
	})
}

func newRecordingVerify(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "verify"}
	env.uses(command, "device", "threads")
	return reading(command, 1, func(r []*record.Recording, args []string) error {
		return env.withDevice(func(dev device.Device) error {
			if err := r[0].Verify(dev); err != nil {
				return err
			}
			fmt.Fprintf(env.text(), "%s: %d batches have the recorded input\n", args[0], r[0].Batches)
			return nil
		})
	})
}

func (env *Env) withDevice(f func(device.Device) error) error {
	dev, err := env.open()
	if err != nil {
		return err
	}
	return errors.Join(f(dev), dev.Close())
}

func newRecordingShow(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "show"}
	from, to := uint64(1), uint64(1<<48)
	command.Flags().Var(settings.Integer(&from, 1, to), "from", "the first batch to list")
	command.Flags().Var(settings.Integer(&to, 1, to), "to", "the last batch to list")
	command.Flags().Lookup("to").DefValue = "the end"
	return reading(command, 1, func(r []*record.Recording, _ []string) error {
		if from > to {
			return misused(fmt.Errorf("--from is %d and --to is %d: the first batch must not come after the last", from, to))
		}
		table, err := r[0].Table(from, to)
		if err != nil {
			return err
		}
		return table.Print(env.Out)
	})
}

func newRecordingDiff(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "diff"}
	return reading(command, 2, func(r []*record.Recording, args []string) error {
		list, err := record.Diff(r[0], r[1])
		if err != nil {
			return err
		}
		if len(list) > 0 {
			return errors.Join(env.lines(list...), fmt.Errorf("%s and %s differ", args[0], args[1]))
		}
		return nil
	})
}

type importCommand struct {
	*Env
	from         trace.Options
	to           record.Imported
	scheme, unit string
}

func newRecordingImport(env *Env) *cobra.Command {
	i := &importCommand{Env: env, unit: "s", to: record.Imported{Batch: 1e6, Shape: schemes.Shape{Pair: schemes.Pair4, Load: 0.8}}}
	command := &cobra.Command{Use: "import", RunE: i.run}
	env.usesSchemes(command, "device", "threads")
	f := command.Flags()
	f.StringVar(&i.from.Format, "format", "", "format of the file: "+strings.Join(trace.Formats(), ", ")+" (default: by the file extension)")
	f.StringVar(&i.from.Key, "key", "", "the `column` of keys; in a file without column names its number, from 1 on; several such as src,dst share the bits of a key")
	f.StringVar(&i.from.Op, "op", "", "the `column` of operations")
	f.StringVar(&i.from.Value, "value", "", "the `column` of values, whole numbers or decimals (default: the row number)")
	f.StringVar(&i.from.Time, "time", "", "the `column` of times, for replays at the recorded pace")
	f.StringVar(&i.from.Count, "count", "", "the `column` of how often an operation is repeated")
	f.Var(settings.Word(&i.unit, "s", "ms", "us", "ns"), "unit", "unit of the times: s, ms, us or ns")
	f.BoolVar(&i.from.Numbered, "numbered", false, "the CSV file has no header line")
	f.StringVar(&i.from.Delimiter, "delimiter", "", "the `character` between the cells of a CSV file, or tab")
	f.StringVar(&i.from.Comment, "comment", "", "lines of a CSV file that begin with this `character` have no rows")
	f.Var(settings.Integer(&i.from.Decimals, 0, 18), "decimals", "digits after the point of values, which become whole numbers; 0 is as many as the first one has")
	f.BoolVar(&i.from.Text, "text", false, "treat keys that are whole numbers as texts, too")
	f.StringVar(&i.from.Default, "default-op", "upsert", "the `operation` of rows without one")
	f.StringToStringVar(&i.from.Verbs, "verbs", nil, "names of operations in the trace: `touch=find,fill=insert`")
	f.Lookup("verbs").DefValue = ""
	f.Var(settings.Integer(&i.from.Limit, 0, 1<<48), "rows", "how many rows to read; 0 is all")
	f.Var(settings.Integer(&i.to.Batch, 1, record.MaxImportBatch), "batch", "rows in a batch")
	f.Var(settings.Pair(&i.to.Shape.Pair), "pair", "bytes of a key and a value, a `pair` such as k8v8")
	f.Var(settings.Integer(&i.to.Shape.N, 1, 1<<48), "n", "pairs that the table must hold")
	f.Var(settings.Number(&i.to.Shape.Load, 0.01, 1), "load", "at this load factor")
	f.StringVar(&i.scheme, "scheme", "", "the `scheme` that replays use by default (default: the first one with all operations)")
	return command
}

func (i *importCommand) run(_ *cobra.Command, args []string) error {
	if err := i.complete(args[0]); err != nil {
		return misused(err)
	}
	if regular.Same(args[0], args[1]) {
		return usage(fmt.Errorf("%s is the trace itself: the recording takes another file", args[1]))
	}
	file, err := regular.Open(args[0])
	if err != nil {
		return usage(fmt.Errorf("trace: %w", err))
	}
	defer file.Close()
	reader, err := trace.Open(args[0], file, i.from)
	if err != nil {
		return usage(err)
	}
	return i.withDevice(func(dev device.Device) error {
		batches, err := record.Import(dev, reader, args[1], i.to)
		if err != nil {
			return usage(err)
		}
		fmt.Fprintf(i.text(), "recording: %s, %d rows in %d batches\n", args[1], reader.Rows(), batches)
		return i.lines(reader.Remarks()...)
	})
}

// complete checks flags that depend on others or on plugins, and fills in the rest.
func (i *importCommand) complete(name string) (err error) {
	if i.to.Shape.N == 0 {
		return errors.New("--n is missing: it takes the number of pairs that the table must hold")
	}
	if err := trace.CheckOp(i.from.Default); err != nil {
		return fmt.Errorf("--default-op: %w", err)
	}
	verbs := map[string]string{}
	for verb, op := range i.from.Verbs {
		if err := trace.CheckOp(op); err != nil {
			return fmt.Errorf("--verbs: %w", err)
		}
		verbs[strings.ToLower(verb)] = op
	}
	i.from.Verbs, i.to.Name = verbs, filepath.Base(name)
	i.from.Unit, _ = time.ParseDuration("1" + i.unit)
	i.to.Scheme, err = i.on()
	i.from.KeyWidth, i.from.ValueWidth = i.to.Shape.Pair.Key, i.to.Shape.Pair.Value
	return err
}

// on returns the scheme for replays: by default the first one with most of the operations of traces.
func (i *importCommand) on() (schemes.Config, error) {
	pair := i.to.Shape.Pair
	if i.scheme != "" {
		config, err := schemes.Parse(i.scheme)
		if err == nil {
			err = config.CompiledFor(pair)
		}
		return config, err
	}
	able := lists.Filter(schemes.All(), func(s *schemes.Scheme) bool { return slices.Contains(s.Caps.Pairs, pair) })
	if len(able) == 0 {
		return schemes.Config{}, fmt.Errorf("--pair %s: no scheme has such pairs", pair)
	}
	has := func(s *schemes.Scheme) int {
		return len(lists.Filter(kernels.OpsThat(kernels.Operation.OnePair), s.Caps.Has))
	}
	return slices.MaxFunc(able, func(a, b *schemes.Scheme) int { return cmp.Compare(has(a), has(b)) }).Defaults(), nil
}

func newRecordingExport(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "export"}
	env.uses(command, "device", "threads")
	format := command.Flags().String("format", "", strings.Join(record.ExportFormats, ", ")+" (default: by the file extension)")
	return reading(command, 1, func(r []*record.Recording, args []string) error {
		*format = cmp.Or(*format, strings.TrimPrefix(filepath.Ext(args[1]), "."))
		if !slices.Contains(record.ExportFormats, *format) {
			hint := lists.Either(*format == "arrow", "; hint: parquet can be replayed, as arrow could", "")
			return misused(fmt.Errorf("--format is %q: it takes %s%s", *format, strings.Join(record.ExportFormats, ", "), hint))
		}
		if regular.Same(args[0], args[1]) {
			return usage(fmt.Errorf("%s is the recording itself: an export takes another file", args[1]))
		}
		return env.withDevice(func(dev device.Device) error { return r[0].Export(dev, args[1], *format) })
	})
}
