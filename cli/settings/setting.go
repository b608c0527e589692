package settings

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hashzoo/hashzoo/runtime/number"
	"github.com/hashzoo/hashzoo/schemes"
	"github.com/hashzoo/hashzoo/workloads/run"
)

// Setting is one line of the table.
type Setting struct {
	Key     string // in config.toml, with its section
	Flag    string // on the command line
	Help    string
	Kind    string // the type of its values, in a word: integer
	Allowed string // the allowed values: an integer, 0 to 1024
	table   bool   // its value in config.toml is a table
	Adds    bool   // each use of the flag appends to the value

	fromTOML func(any) (string, bool) // writes a value of config.toml as text, if its type fits
	set      func(*Settings, string) error
	get      func(*Settings) string
}

// Variable returns the environment variable of the setting.
func (s Setting) Variable() string {
	return prefix + strings.ToUpper(strings.ReplaceAll(s.Key, ".", "_"))
}

// Check reports whether a text is a value of the setting.
func (s Setting) Check(text string) error { return s.set(&Settings{}, text) }

// define makes a setting for a field from its reader and writer.
func define[T any](key, flag, help, kind, allowed string, at func(*Settings) *T,
	fromTOML func(any) (string, bool), parse func(string) (T, bool), write func(T) string) Setting {
	s := Setting{Key: key, Flag: flag, Help: help, Kind: kind, Allowed: allowed, fromTOML: fromTOML}
	s.get = func(all *Settings) string { return write(*at(all)) }
	s.set = func(all *Settings, text string) error {
		value, ok := parse(text)
		if !ok {
			return fmt.Errorf("is %q: it takes %s", text, allowed)
		}
		*at(all) = value
		return nil
	}
	return s
}

func text(key, flag, help string, at func(*Settings) *string) Setting {
	parse := func(text string) (string, bool) { return text, text != "" }
	return define(key, flag, help, "text", "a text", at, asText, parse, func(v string) string { return v })
}

// choice is one of several words.
func choice(key, flag, help string, words []string, at func(*Settings) *string) Setting {
	parse := func(text string) (string, bool) { return text, slices.Contains(words, text) }
	return define(key, flag, help, "word", strings.Join(words, " or "), at, asText, parse, func(v string) string { return v })
}

// boolean is true or false.
func boolean(key, flag, help string, at func(*Settings) *bool) Setting {
	parse := func(text string) (bool, bool) { return text == "true", text == "true" || text == "false" }
	return define(key, flag, help, "boolean", "true or false", at, asBoolean, parse, strconv.FormatBool)
}

// bindings maps names of bindings to keys: a table in config.toml, elsewhere name=key key;name=key.
func bindings(key, flag, help string, at func(*Settings) *map[string][]string) Setting {
	parse := func(text string) (map[string][]string, bool) {
		all := map[string][]string{}
		for part := range strings.SplitSeq(text, ";") {
			name, list, ok := strings.Cut(part, "=")
			name = strings.TrimSpace(name)
			if all[name] != nil || text != "" && (!ok || name == "") {
				return nil, false
			}
			if text != "" {
				all[name] = append([]string{}, strings.Fields(list)...)
			}
		}
		return all, true
	}
	write := func(all map[string][]string) string {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(all)) {
			parts = append(parts, name+"="+strings.Join(all[name], " "))
		}
		return strings.Join(parts, ";")
	}
	allowed := "names with keys, each once, as in pause=p space;quit=q"
	s := define(key, flag, help, "bindings", allowed, at, asBindings, parse, write)
	s.table = true
	return s
}

// pair takes the key and value widths that some scheme has.
func pair(key, flag, help string, at func(*Settings) *schemes.Pair) Setting {
	known := map[string]schemes.Pair{}
	for _, scheme := range schemes.All() {
		for _, p := range scheme.Caps.Pairs {
			known[p.String()] = p
		}
	}
	parse := func(text string) (schemes.Pair, bool) { p, ok := known[text]; return p, ok }
	allowed := strings.Join(slices.Sorted(maps.Keys(known)), " or ")
	return define(key, flag, help, "pair", allowed, at, asText, parse, schemes.Pair.String)
}

func integer[T int | int64 | uint64](key, flag, help string, least, most T, at func(*Settings) *T) Setting {
	parse := func(text string) (T, bool) {
		v, ok := number.Integer(text)
		return T(v), ok && v >= int64(least) && v <= int64(most)
	}
	allowed := fmt.Sprintf("an integer, %d to %d", least, most)
	return define(key, flag, help, "integer", allowed, at, asInteger, parse, func(v T) string { return fmt.Sprint(v) })
}

func real(key, flag, help string, least, most float64, at func(*Settings) *float64) Setting {
	parse := func(text string) (float64, bool) { return parseNumber(text, least, most) }
	allowed := fmt.Sprintf("a number, %v to %v", least, most)
	return define(key, flag, help, "number", allowed, at, asNumber, parse, formatNumber)
}

func duration(key, flag, help string, least, most time.Duration, at func(*Settings) *time.Duration) Setting {
	parse := func(text string) (time.Duration, bool) {
		v, err := time.ParseDuration(text)
		return v, err == nil && v >= least && v <= most
	}
	allowed := fmt.Sprintf("a duration such as 30s or 2m, %s to %s", formatDuration(least), formatDuration(most))
	return define(key, flag, help, "duration", allowed, at, asText, parse, formatDuration)
}

// numbers is a list: 0.6,0.8 or 0.5:0.9:0.1 on the command line, an array in config.toml.
func numbers(key, flag, help string, least, most float64, at func(*Settings) *[]float64) Setting {
	parse := func(text string) (list []float64, ok bool) {
		values, err := run.ParseValues(text, 0.0)
		for _, v := range values {
			list = append(list, v.(float64))
		}
		outside := func(x float64) bool { return x < least || x > most }
		return list, err == nil && !slices.ContainsFunc(list, outside)
	}
	write := func(list []float64) string {
		var texts []string
		for _, v := range list {
			texts = append(texts, formatNumber(v))
		}
		return strings.Join(texts, ",")
	}
	allowed := fmt.Sprintf("numbers, %v to %v each, at least one", least, most)
	return define(key, flag, help, "numbers", allowed, at, asNumbers, parse, write)
}

// folders is a list: separated like PATH in a variable, an array in config.toml. Each flag adds one.
func folders(key, flag, help string, at func(*Settings) *[]string) Setting {
	parse := func(text string) ([]string, bool) { return filepath.SplitList(text), true }
	write := func(list []string) string { return strings.Join(list, string(filepath.ListSeparator)) }
	s := define(key, flag, help, "folder", "folders", at, asTexts, parse, write)
	s.Adds = true
	return s
}

func parseNumber(text string, least, most float64) (float64, bool) {
	v, ok := number.Parse(text)
	return v, ok && v >= least && v <= most
}

// formatDuration writes 2m where the time package writes 2m0s.
func formatDuration(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"0s", "0m"} {
		if short, ok := strings.CutSuffix(text, zero); ok && strings.ContainsAny(short[len(short)-1:], "hm") {
			text = short
		}
	}
	return text
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// asTexts joins a list of texts as in a variable.
func asTexts(v any) (string, bool) {
	list, ok := v.([]any)
	var texts []string
	for _, one := range list {
		text, is := one.(string)
		texts, ok = append(texts, text), ok && is && text != "" && !strings.ContainsRune(text, filepath.ListSeparator)
	}
	return strings.Join(texts, string(filepath.ListSeparator)), ok
}

func asText(v any) (string, bool) {
	text, ok := v.(string)
	return text, ok
}

func asInteger(v any) (string, bool) {
	n, ok := v.(int64)
	return strconv.FormatInt(n, 10), ok
}

func asBoolean(v any) (string, bool) {
	yes, ok := v.(bool)
	return strconv.FormatBool(yes), ok
}

// asBindings reads a table whose values are keys or lists of them.
func asBindings(v any) (string, bool) {
	table, ok := v.(map[string]any)
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(table)) {
		keys, isList := table[name].([]any)
		if one, isText := table[name].(string); isText {
			keys, isList = []any{one}, true
		}
		part := name + "="
		for _, key := range keys {
			text, isText := asText(key)
			isList = isList && isText && text != "" && !strings.ContainsAny(text, "; ")
			part += text + " "
		}
		parts, ok = append(parts, strings.TrimSpace(part)), ok && isList
	}
	return strings.Join(parts, ";"), ok
}

func asNumber(v any) (string, bool) {
	if x, ok := v.(float64); ok {
		return formatNumber(x), true
	}
	return asInteger(v)
}

func asNumbers(v any) (string, bool) {
	list, ok := v.([]any)
	var texts []string
	for _, item := range list {
		text, isNumber := asNumber(item)
		texts, ok = append(texts, text), ok && isNumber
	}
	return strings.Join(texts, ","), ok
}
