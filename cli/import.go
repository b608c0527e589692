package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/hashzoo/hashzoo/runtime/device"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/runtime/results"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/record"
	"github.com/hashzoo/hashzoo/workloads/trace"
)

const importLong = `Make a recording of a trace: CSV, TSV, NDJSON, Parquet or Arrow, whose columns the flags
name; libCacheSim's oracleGeneral, 24 bytes per request; or Twitter's cache traces.
--batch rows form a batch, whose operations run at once. The recording has no results.

Keys that are texts become the low bytes of their XXH3-64; the import counts those that
share a number. Operations may have the names get, set, add, delete and so on; --verbs
explains others. Without a column for them, all are --default-op.`

const importExample = `  hashzoo recording import trace.csv t.rec --key user --op action --time at --unit ms --n 1M
  hashzoo recording import w.oracleGeneral w.rec --pair k8v8 --n 10M
  hashzoo recording import cluster.csv c.rec --format twitter --pair k8v8 --n 5M`

// importCommand holds the flags as given.
type importCommand struct {
	*Env
	opt                                      trace.Options
	pair, n, batch, rows, verbs, scheme, per string
	load                                     float64
}

func newRecordingImport(env *Env) *cobra.Command {
	i := &importCommand{Env: env}
	command := &cobra.Command{Use: "import TRACE RECORDING", Short: "make a recording of a trace", Long: importLong, Example: importExample,
		Args: exactly("TRACE", "RECORDING")}
	env.usesSchemes(command, "device", "threads")
	f := command.Flags()
	f.StringVar(&i.opt.Format, "format", "", "format of the file: "+strings.Join(trace.Formats(), ", ")+" (default: by the file extension)")
	f.StringVar(&i.opt.Key, "key", "", "the `column` of keys; in a file without column names its number, from 1 on")
	f.StringVar(&i.opt.Op, "op", "", "the `column` of operations")
	f.StringVar(&i.opt.Value, "value", "", "the `column` of values, whole numbers (default: the row number)")
	f.StringVar(&i.opt.Time, "time", "", "the `column` of times, for replays at the recorded pace")
	f.StringVar(&i.per, "unit", "s", "unit of the times: s, ms, us or ns")
	f.BoolVar(&i.opt.Numbered, "numbered", false, "the CSV file has no header line")
	f.BoolVar(&i.opt.Text, "text", false, "treat keys that are whole numbers as texts, too")
	f.StringVar(&i.opt.Default, "default-op", "upsert", "the `operation` of rows without one")
	f.StringVar(&i.verbs, "verbs", "", "names of operations in the trace: `touch=find,fill=insert`")
	f.StringVar(&i.rows, "rows", "0", "how many rows to read, a `number`; 0 is all")
	f.StringVar(&i.batch, "batch", "1M", "rows in a batch, a `number`")
	f.StringVar(&i.pair, "pair", "k4v4", "bytes of a key and a value, a `pair` such as k8v8")
	f.StringVar(&i.n, "n", "", "pairs that the table must hold, a `number`")
	f.Float64Var(&i.load, "load", 0.8, "at this load factor")
	f.StringVar(&i.scheme, "scheme", "", "the `scheme` that replays use by default (default: the first one with all operations)")
	command.RunE = i.run
	return command
}

func (i *importCommand) run(_ *cobra.Command, args []string) error {
	opt, err := i.options(args[0])
	if err != nil {
		return misused(err)
	}
	file, err := os.Open(args[0])
	if err != nil {
		return usage(fmt.Errorf("trace: %w", err))
	}
	defer file.Close()
	reader, err := trace.Open(args[0], file, i.opt)
	if err != nil {
		return usage(err)
	}
	defer reader.Close()
	return i.withDevice(func(dev device.Device) error {
		batches, err := record.Import(dev, reader, args[1], opt)
		if err != nil {
			return usage(err)
		}
		fmt.Fprintf(i.Out, "recording: %s, %d rows in %d batches\n", args[1], reader.Rows(), batches)
		for _, remark := range reader.Remarks() {
			fmt.Fprintln(i.Out, results.Plain(remark))
		}
		return nil
	})
}

// units are the units of times.
var units = map[string]time.Duration{"s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": time.Nanosecond}

// options converts the flags.
func (i *importCommand) options(name string) (opt record.Imported, err error) {
	var known bool
	if i.opt.Unit, known = units[i.per]; !known {
		return opt, fmt.Errorf("--unit is %q: it takes s, ms, us or ns", i.per)
	}
	if err := trace.CheckOp(i.opt.Default); err != nil {
		return opt, fmt.Errorf("--default-op: %w", err)
	}
	if i.opt.Verbs, err = readVerbs(i.verbs); err != nil {
		return opt, err
	}
	if i.n == "" {
		return opt, errors.New("--n is missing: it takes the number of pairs that the table must hold")
	}
	numbers := map[string]uint64{}
	for flag, text := range map[string]string{"n": i.n, "rows": i.rows, "batch": i.batch} {
		x, ok := number.Parse(text)
		if least := map[bool]float64{true: 0, false: 1}[flag == "rows"]; !ok || x < least || x > 1<<48 {
			return opt, fmt.Errorf("--%s is %q: it takes a whole number such as 1000 or 20M", flag, text)
		}
		numbers[flag] = uint64(x)
	}
	if numbers["batch"] > record.MaxImportBatch {
		return opt, fmt.Errorf("--batch is %s: it takes at most %d", i.batch, record.MaxImportBatch)
	}
	if !(i.load > 0 && i.load <= 1) {
		return opt, fmt.Errorf("--load is %g: it takes a number above 0, up to 1", i.load)
	}
	opt = record.Imported{Name: filepath.Base(name), Batch: int(numbers["batch"])}
	opt.Shape = schemes.Shape{N: numbers["n"], Load: i.load}
	opt.Scheme, opt.Shape.Pair, err = i.on()
	i.opt.KeyWidth, i.opt.ValueWidth, i.opt.Limit = opt.Shape.Pair.Key, opt.Shape.Pair.Value, numbers["rows"]
	return opt, err
}

func readVerbs(text string) (map[string]string, error) {
	verbs := map[string]string{}
	for _, setting := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' }) {
		verb, op, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, fmt.Errorf("--verbs is %q: it takes verb=operation, such as touch=find", setting)
		}
		if err := trace.CheckOp(op); err != nil {
			return nil, fmt.Errorf("--verbs: %w", err)
		}
		verbs[strings.ToLower(verb)] = op
	}
	return verbs, nil
}

// on returns the scheme and the pair of the table. The default scheme is the first one with
// the operations that most traces need.
func (i *importCommand) on() (schemes.Config, schemes.Pair, error) {
	var first *schemes.Scheme
	var pairs []string
	for _, s := range schemes.All() {
		for _, pair := range s.Caps.Pairs {
			if pairs = append(pairs, pair.String()); pair.String() != i.pair {
				continue
			}
			if i.scheme != "" {
				config, err := schemes.Parse(i.scheme)
				return config, pair, errors.Join(err, compiled(config, pair, err))
			}
			able := s.Caps.Has("upsert") && s.Caps.Has("find") && s.Caps.Has("erase") && s.Caps.Has("insert") && s.Caps.Has("update")
			if first == nil && able {
				first = s
			}
		}
	}
	if first == nil {
		slices.Sort(pairs)
		return schemes.Config{}, schemes.Pair{}, fmt.Errorf("--pair is %q: it takes %s", i.pair, strings.Join(slices.Compact(pairs), " or "))
	}
	at := slices.IndexFunc(first.Caps.Pairs, func(p schemes.Pair) bool { return p.String() == i.pair })
	return first.Defaults(), first.Caps.Pairs[at], nil
}

func compiled(config schemes.Config, pair schemes.Pair, err error) error {
	if err != nil {
		return nil
	}
	return config.CompiledFor(pair)
}

func newRecordingExport(env *Env) *cobra.Command {
	command := &cobra.Command{Use: "export RECORDING FILE", Short: "write the operations of a recording as a table",
		Long: "Write all operations of a recording as rows: batch, op, key, value. The format arrow\nis a materialized recording, which can be replayed.", Args: exactly("RECORDING", "FILE")}
	env.uses(command, "device", "threads")
	format := command.Flags().String("format", "", strings.Join(record.ExportFormats, ", ")+" (default: by the file extension)")
	return reading(command, func(r *record.Recording, args []string) error {
		if *format == "" {
			*format = strings.TrimPrefix(filepath.Ext(args[1]), ".")
		}
		if !slices.Contains(record.ExportFormats, *format) {
			return misused(fmt.Errorf("--format is %q: it takes %s", *format, strings.Join(record.ExportFormats, ", ")))
		}
		return env.withDevice(func(dev device.Device) error { return r.Export(dev, args[1], *format) })
	})
}
