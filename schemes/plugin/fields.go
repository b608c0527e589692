package plugin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
	"github.com/hashzoo/hashzoo/schemes"
)

// Field is a key of scheme.toml. NAME in it stands for a name that the writer chooses.
type Field struct {
	Key, Takes, Help string

	set func(m *manifest, name string, value any) bool // false: of another type
}

// field makes one of a value in the manifest and of how such values are read.
func field[T any](key, takes, help string, read func(any) (T, bool), at func(*manifest, string) *T) Field {
	return Field{key, takes, help, func(m *manifest, name string, value any) bool {
		v, ok := read(value)
		if ok {
			*at(m, name) = v
		}
		return ok
	}}
}

func text(key, help string, at func(*manifest, string) *string) Field {
	return field(key, "a text", help, as[string], at)
}

func expression(key, help string, at func(*manifest, string) *string) Field {
	return field(key, "an expression", help, asExpression, at)
}

func yes(key, help string, at func(*manifest, string) *bool) Field {
	return field(key, "true or false", help, as[bool], at)
}

func words(key, takes, help string, at func(*manifest, string) *[]string) Field {
	return field(key, takes, help, asList[string], at)
}

// Fields are all keys of scheme.toml; docs/plugins.md lists them.
var Fields = []Field{
	text("name", "small letters and digits, a letter first; as the header and all that belongs to it are called",
		func(m *manifest, _ string) *string { return &m.name }),
	text("title", "a line that says what it is", func(m *manifest, _ string) *string { return &m.title }),
	text("about", "a paragraph: what it is good for, and what not", func(m *manifest, _ string) *string { return &m.about }),
	text("paper", "where it was published", func(m *manifest, _ string) *string { return &m.paper }),
	text("class", "the template in namespace hz of NAME.h: its arguments are the pair, then the variant parameters in their order",
		func(m *manifest, _ string) *string { return &m.class }),
	expression("max_load", "the load factor to which nearly all tables fill; of parameters",
		func(m *manifest, _ string) *string { return &m.maxLoad }),
	expression("compiled", "which variants are compiled, if not all; of parameters",
		func(m *manifest, _ string) *string { return &m.compiled }),
	field("hashes", "an integer", "how many hash functions, if no parameter says so", as[int64],
		func(m *manifest, _ string) *int64 { return &m.hashes }),
	words("kernels", "a list of names", "kernels that only the host side launches, each a function of the class (HZ_OWN_OP of drive.h)",
		func(m *manifest, _ string) *[]string { return &m.kernels }),

	words("can.ops", "a list of operations", "the operations; each needs its function in the class, flush and resize a host side",
		func(m *manifest, _ string) *[]string { return &m.ops }),
	words("can.concurrent", "a list of operations", "those that may share a batch; the class then has Mixed",
		func(m *manifest, _ string) *[]string { return &m.concurrent }),
	words("can.pairs", "a list of pairs", "bytes of a key and a value, such as k4v4",
		func(m *manifest, _ string) *[]string { return &m.pairs }),
	yes("can.stable", "a pair stays where it was put", func(m *manifest, _ string) *bool { return &m.caps.Stable }),
	expression("can.moves", "with which parameters pairs move although they are stable otherwise",
		func(m *manifest, _ string) *string { return &m.moves }),
	expression("without.NAME.when", "with which parameters the operation NAME of can.ops is not there, or, of mix, none may share a batch; "+
		"of variants alone, its kernels are not compiled", func(m *manifest, op string) *string { return &m.lacking(op).when }),
	yes("can.host_memory", "the table may lie in host memory", func(m *manifest, _ string) *bool { return &m.caps.HostMemory }),
	yes("can.duplicates", "a key may be inserted more than once", func(m *manifest, _ string) *bool { return &m.caps.Duplicates }),

	field("param.NAME.role", quoted(roles), "who reads it: variant, the compiler; argument, the kernels, from Table.Arg in this order; "+
		"hash_count and hash_family, the hash functions; host, the host side", as[string],
		func(m *manifest, name string) *string { return &m.param(name).role }),
	field("param.NAME.type", quoted(types), "what its values are", as[string],
		func(m *manifest, name string) *string { return &m.param(name).kind }),
	field("param.NAME.range", "the least and the most", "of integers, the values allowed", asList[int64],
		func(m *manifest, name string) *[]int64 { return &m.param(name).limits }),
	field("param.NAME.values", "a list of integers", "of integers, the values allowed if they are few", asList[int64],
		func(m *manifest, name string) *[]int64 { return &m.param(name).values }),
	words("param.NAME.choices", "a list of words", "of a choice, the words allowed",
		func(m *manifest, name string) *[]string { return &m.param(name).choices }),
	field("param.NAME.default", "a value of its type", "the value if none is given", func(v any) (any, bool) { return v, true },
		func(m *manifest, name string) *any { return &m.param(name).usual }),
	text("param.NAME.help", "a line about it", func(m *manifest, name string) *string { return &m.param(name).help }),
	text("param.NAME.letter", "of an integer variant, what stands before its value in kernel names",
		func(m *manifest, name string) *string { return &m.param(name).letter }),
	text("param.NAME.enum", "of a choice variant, the enum in namespace hz that has its words",
		func(m *manifest, name string) *string { return &m.param(name).enum }),
	expression("param.NAME.auto", "of an argument, the value that 0 stands for; of capacity, buckets and parameters",
		func(m *manifest, name string) *string { return &m.param(name).auto }),

	expression("size.buckets", "what hash functions range over; of n, load, slots and parameters",
		func(m *manifest, _ string) *string { return &m.buckets }),
	expression("size.capacity", "slots for pairs; of buckets too", func(m *manifest, _ string) *string { return &m.capacity }),
	expression("region.NAME.bytes", "memory that a table needs, in the order of Table.Region; of capacity and buckets too",
		func(m *manifest, name string) *string { return &m.region(name).bytes }),
	field("region.NAME.fill", "0 to 255", "the byte that it is filled with at first; 255 makes empty slots", as[int64],
		func(m *manifest, name string) *int64 { return &m.region(name).fill }),
	yes("region.NAME.table", "it lies in host memory if the table does", func(m *manifest, name string) *bool { return &m.region(name).table }),

	words("gauges", "a list of gauges", "bucket fill, slots: what hashzoo can read of every table whose first region is one array of slots in buckets",
		func(m *manifest, _ string) *[]string { return &m.slotGauges }),
	text("gauge.NAME.help", "a line about it", func(m *manifest, name string) *string { return &m.gauge(name).help }),
	text("gauge.NAME.unit", "of what the values are: buckets, pairs", func(m *manifest, name string) *string { return &m.gauge(name).unit }),
	text("gauge.NAME.look", "a function of the class, made a kernel, that goes over items of the table and counts into bins (look.h); gauges may share it",
		func(m *manifest, name string) *string { return &m.gauge(name).look }),
	expression("gauge.NAME.items", "over how many items it goes; of capacity, buckets and parameters; without it, capacity",
		func(m *manifest, name string) *string { return &m.gauge(name).items }),
	words("gauge.NAME.labels", "a list of texts", "a bar for each, which shows a bin; without them the gauge is a number",
		func(m *manifest, name string) *[]string { return &m.gauge(name).labels }),
	field("gauge.NAME.first", "an integer", "the bin of the first bar, 0 if it is not given", as[int64],
		func(m *manifest, name string) *int64 { return &m.gauge(name).first }),
	expression("gauge.NAME.most", "the most that a bar can be, if there is such a bound; of capacity, buckets and parameters",
		func(m *manifest, name string) *string { return &m.gauge(name).most }),

	field("fill.NAME.settings", "a text, or a list of texts", "parameters, such as bucket=8; the rest are defaults; of several it is said of each",
		asTexts, func(m *manifest, name string) *[]string { return &m.fill(name).settings }),
	expression("fill.NAME.load", "a load factor that tables reach, which check holds them to; of parameters",
		func(m *manifest, name string) *string { return &m.fill(name).load }),
	field("fill.NAME.least", "an integer", "of 100 seeds, so many at least", as[int64],
		func(m *manifest, name string) *int64 { return &m.fill(name).least }),

	field("figure.NAME.settings", "a text, or a list of texts", "as of fills", asTexts,
		func(m *manifest, name string) *[]string { return &m.figure(name).settings }),
	expression("figure.NAME.load", "the load factor to which a table is filled; of parameters",
		func(m *manifest, name string) *string { return &m.figure(name).load }),
	text("figure.NAME.op", "insert, while the table is filled, or find", func(m *manifest, name string) *string { return &m.figure(name).op }),
	field("figure.NAME.present", "0 to 100", "of finds, how many percent of the keys are there: those that were inserted last", asNumber,
		func(m *manifest, name string) *float64 { return &m.figure(name).present }),
	text("figure.NAME.counter", "what is counted: probes, evictions, or another counter", func(m *manifest, name string) *string { return &m.figure(name).counter }),
	expression("figure.NAME.per_op", "how often it is, for each operation, as was published; check holds the scheme to it; of parameters",
		func(m *manifest, name string) *string { return &m.figure(name).perOp }),
	field("figure.NAME.within", "a number", "how far off it may be, relative to that", asNumber,
		func(m *manifest, name string) *float64 { return &m.figure(name).within }),
}

func as[T any](v any) (T, bool) { t, ok := v.(T); return t, ok }

func asList[T any](v any) ([]T, bool) {
	list, ok := v.([]any)
	read := []T{}
	for _, v := range list {
		t, is := v.(T)
		read, ok = append(read, t), ok && is
	}
	return read, ok
}

func asNumber(v any) (float64, bool) {
	if n, ok := v.(int64); ok {
		return float64(n), true
	}
	return as[float64](v)
}

// asTexts also takes one text.
func asTexts(v any) ([]string, bool) {
	if one, ok := v.(string); ok {
		return []string{one}, true
	}
	return asList[string](v)
}

// asExpression also takes a number as it is.
func asExpression(v any) (string, bool) {
	if x, ok := asNumber(v); ok {
		return fmt.Sprint(x), true
	}
	return as[string](v)
}

// roles are the words of param.NAME.role.
var roles = []string{"variant", "argument", "hash_count", "hash_family", "host"}

var roleOf = map[string]schemes.Role{
	"variant": schemes.Variant, "argument": schemes.Arg, "hash_count": schemes.HashCount,
	"hash_family": schemes.HashFamily, "host": schemes.HostOnly,
}

// types are the words of param.NAME.type.
var types = []string{"integer", "choice"}

func quoted(words []string) string { return strings.Join(words, ", ") }

// read takes one value of the file.
func (m *manifest) read(key tomlfile.Key, value any) error {
	pattern, name := slices.Clone(key.Path), ""
	if len(pattern) == 3 {
		name, pattern[1] = pattern[1], "NAME"
	}
	var known []string
	for _, f := range Fields {
		if f.Key != strings.Join(pattern, ".") {
			known = append(known, f.Key)
			continue
		}
		m.lines[key.String()] = key.Line
		if !f.set(m, name, value) {
			return fmt.Errorf("%s is %v: it takes %s", key, value, f.Takes)
		}
		return nil
	}
	return nearest.Unknown("key", strings.Join(pattern, "."), known)
}

// pairs are those that kernels can be made for, by their names.
var pairs = func() map[string]schemes.Pair {
	header, err := kernels.Headers.ReadFile("pair.h")
	if err != nil {
		panic(err)
	}
	list := map[string]schemes.Pair{}
	for line := range strings.Lines(string(header)) {
		var p schemes.Pair
		if n, _ := fmt.Sscanf(line, "using k%dv%d =", &p.Key, &p.Value); n == 2 {
			list[p.String()] = p
		}
	}
	return list
}()
