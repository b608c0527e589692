package settings

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Value is a variable that is set by texts of one kind. It is a pflag.Value.
type Value struct {
	Kind  string   // in a word: integer
	Words []string // the only texts that it takes, if it takes words
	read  func(text string) (set func(), err error)
	write func() string
}

// Check returns why a text is not a value.
func (v Value) Check(text string) error {
	_, err := v.read(text)
	return err
}

// Set parses a text.
func (v Value) Set(text string) error {
	set, err := v.read(text)
	if err == nil {
		set()
	}
	return err
}

// String returns the text of the current value.
func (v Value) String() string {
	if v.write == nil { // pflag compares with a zero value
		return ""
	}
	return v.write()
}

// Type returns the kind.
func (v Value) Type() string { return v.Kind }

func value[T any](at *T, kind, allowed string, parse func(string) (T, bool), write func(T) string) Value {
	return listed(at, kind, func() string { return allowed }, parse, write)
}

// listed is value for kinds whose allowed values take time to list.
func listed[T any](at *T, kind string, allowed func() string, parse func(string) (T, bool), write func(T) string) Value {
	read := func(text string) (func(), error) {
		parsed, ok := parse(text)
		if !ok {
			return nil, fmt.Errorf("is %q: it takes %s", text, allowed())
		}
		return func() { *at = parsed }, nil
	}
	return Value{Kind: kind, read: read, write: func() string { return write(*at) }}
}

func text(at *string) Value {
	return value(at, "text", "a text", func(s string) (string, bool) { return s, s != "" }, strings.Clone)
}

// Word takes one of several words.
func Word(at *string, words ...string) Value {
	parse := func(s string) (string, bool) { return s, slices.Contains(words, s) }
	v := value(at, "word", strings.Join(words, " or "), parse, strings.Clone)
	v.Words = words
	return v
}

func boolean(at *bool) Value {
	parse := func(s string) (bool, bool) { return s == "true", s == "true" || s == "false" }
	return value(at, "boolean", "true or false", parse, strconv.FormatBool)
}

// Integer takes whole numbers such as 1000 or 20M.
func Integer[T int | int64 | uint64](at *T, least, most T) Value {
	parse := func(s string) (T, bool) {
		n, ok := number.Integer(s)
		return T(n), ok && n >= int64(least) && n <= int64(most)
	}
	return value(at, "integer", fmt.Sprintf("an integer, %d to %d", least, most), parse, func(n T) string { return fmt.Sprint(n) })
}

func seed(at *uint64) Value {
	return value(at, "integer", number.Seeds, number.Seed, func(n uint64) string { return fmt.Sprint(n) })
}

// Number takes numbers with fractions.
func Number(at *float64, least, most float64) Value {
	parse := func(s string) (float64, bool) {
		x, ok := number.Parse(s)
		return x, ok && x >= least && x <= most
	}
	return value(at, "number", fmt.Sprintf("a number, %s to %s", run.Text(least), run.Text(most)), parse, func(x float64) string { return run.Text(x) })
}

// Percent takes a part of something: 2% or 0.02.
func Percent(at *float64) Value {
	parse := func(s string) (float64, bool) {
		digits, isPercent := strings.CutSuffix(s, "%")
		x, ok := number.Parse(digits)
		if isPercent {
			x /= 100
		}
		return x, ok && x >= 0 && x <= 1
	}
	write := func(x float64) string { return run.Text(100*x) + "%" }
	return value(at, "percent", "a part such as 2% or 0.02, up to 100%", parse, write)
}

// Numbers takes a list: 0.6,0.8 or 0.5:0.9:0.1 on the command line, an array in config.toml.
func Numbers(at *[]float64, least, most float64) Value {
	parse := func(s string) ([]float64, bool) {
		all, err := run.ParseValues(s, 0.0)
		list := lists.Map(all, func(v any) float64 { return v.(float64) })
		outside := func(x float64) bool { return x < least || x > most }
		return list, err == nil && !slices.ContainsFunc(list, outside)
	}
	write := func(list []float64) string {
		return strings.Join(lists.Map(list, func(x float64) string { return run.Text(x) }), ",")
	}
	return value(at, "numbers", fmt.Sprintf("numbers, %v to %v each, at least one", least, most), parse, write)
}

// Duration takes times such as 30s or 2m.
func Duration(at *time.Duration) Value { return DurationFrom(at, time.Millisecond) }

// DurationFrom takes times that are not shorter than one.
func DurationFrom(at *time.Duration, least time.Duration) Value {
	parse := func(s string) (time.Duration, bool) {
		d, err := time.ParseDuration(s)
		return d, err == nil && d >= least && d <= 24*time.Hour
	}
	return value(at, "duration", fmt.Sprintf("a duration such as 30s or 2m, %v to 24h", least), parse, shortDuration)
}

// Pair takes the key and value widths that some scheme has.
func Pair(at *schemes.Pair) Value {
	write := func(p schemes.Pair) string {
		if p == (schemes.Pair{}) {
			return "" // none is chosen
		}
		return p.String()
	}
	allowed := func() string { return strings.Join(schemes.PairNames(), " or ") }
	return listed(at, "pair", allowed, schemes.FindPair, write)
}

const folderSeparator = string(filepath.ListSeparator)

// folders is a list: separated like PATH in a variable, an array in config.toml; each flag adds one.
func folders(at *[]string) Value {
	parse := func(s string) ([]string, bool) { return filepath.SplitList(s), true }
	write := func(list []string) string { return strings.Join(list, folderSeparator) }
	return value(at, "folder", "folders", parse, write)
}

// bindings maps names of bindings to keys: a table in config.toml, elsewhere name=key key;name=key.
func bindings(at *map[string][]string) Value {
	parse := func(s string) (map[string][]string, bool) {
		all := map[string][]string{}
		for part := range strings.SplitSeq(s, ";") {
			name, keys, ok := strings.Cut(part, "=")
			name = strings.TrimSpace(name)
			switch {
			case s == "":
			case !ok || name == "" || all[name] != nil:
				return nil, false
			default:
				all[name] = append([]string{}, strings.Fields(keys)...)
			}
		}
		return all, true
	}
	write := func(all map[string][]string) string {
		text := func(name string) string { return name + "=" + strings.Join(all[name], " ") }
		return strings.Join(lists.Map(slices.Sorted(maps.Keys(all)), text), ";")
	}
	return value(at, "bindings", "names with keys, each once, as in pause=p space;quit=q", parse, write)
}

// shortDuration writes 2m where the time package writes 2m0s.
func shortDuration(d time.Duration) string {
	if d == 0 {
		return "" // none is set
	}
	return strings.NewReplacer("h0m0s", "h", "m0s", "m").Replace(d.String())
}

// fromTOML writes a value of config.toml as on the command line, with a separator between the items of a list.
func fromTOML(v any, separator string) string {
	switch v := v.(type) {
	case float64:
		return run.Text(v)
	case []any:
		return strings.Join(lists.Map(v, func(item any) string { return fromTOML(item, separator) }), separator)
	case map[string]any:
		binding := func(name string) string { return name + "=" + fromTOML(v[name], " ") }
		return strings.Join(lists.Map(slices.Sorted(maps.Keys(v)), binding), ";")
	}
	return fmt.Sprint(v)
}
