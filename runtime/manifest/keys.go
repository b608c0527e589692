package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
	"github.com/hashzoo/hashzoo/runtime/tomlfile"
)

// keys are all keys of scheme.toml, with their names, types and purposes; docs/plugins.md lists them. A slice
// of structs is a table of tables with names that the author chooses, in the order of the file. Values must
// match what their tags say that they take (patterns).
type keys struct {
	Name      string   `toml:"name" takes:"small letters and digits" required:"yes" help:"a letter first (a digit in schemes that ship); also the header's"`
	Title     string   `toml:"title" required:"yes" help:"one line that says what it is"`
	About     string   `toml:"about" required:"yes" help:"what it is good for, and what not"`
	Paper     string   `toml:"paper" required:"yes" help:"where it was published"`
	Kind      string   `toml:"kind" oneof:"kernels, reference" help:"reference: a library's tables (docs/references.md); default kernels"`
	Device    string   `toml:"device" oneof:"cpu, gpu" help:"of references: where the tables are; default cpu. For a GPU, nvcc compiles NAME.h"`
	Libraries []string `toml:"libraries" takes:"a list of libraries" help:"of references: what is linked, such as tbb"`
	Class     string   `toml:"class" takes:"the name of a class template in namespace hz" required:"yes" help:"in NAME.h: its arguments are the pair, then the variant parameters"`
	MaxLoad   float64  `toml:"max_load" takes:"a number" help:"that nearly all tables reach, if host.h has no max_load"`
	Excluded  []string `toml:"excluded" takes:"a list of settings" help:"variants that do not exist, such as bucket=1,placement=first"`
	Hashes    int64    `toml:"hashes" help:"hash functions, if no parameter says so"`
	Kernels   []string `toml:"kernels" takes:"a list of words" help:"kernels that only the host side launches, each a function of the class (HZ_OWN_OP of drive.h)"`
	Go        bool     `toml:"go" help:"the kernels are in Go, without a class; only of a reference that ships"`
	Gauges    []string `toml:"gauges" takes:"a list of gauges" help:"shared ones: bucket fill and slots, of an array of slots in buckets; tickets and longest walk, of a board of tickets"`

	Can struct {
		Ops         []string `toml:"ops" required:"yes" takes:"a list of operations" help:"each needs its function in the class, or, as flush and resize, in host.h"`
		Concurrent  []string `toml:"concurrent" takes:"a list of operations" help:"those that may share a launch; the class lists them in traits.mixed"`
		Pairs       []string `toml:"pairs" required:"yes" takes:"a list of pairs" help:"bytes of a key and a value, such as k4v4"`
		PairsWhy    string   `toml:"pairs_why" help:"why it has no other pairs, for errors"`
		WideAtomics []string `toml:"wide_atomics" takes:"a list of settings" help:"variants that swap pairs of 8+8 bytes by 128-bit atomics, which need sm_90; default all"`
		Stable      bool     `toml:"stable" help:"a pair stays where it was put"`
		Moves       []string `toml:"moves" takes:"a list of settings" help:"parameters with which pairs of a stable scheme move, such as resize=auto"`
		HostMemory  bool     `toml:"host_memory" help:"its table may lie there"`
		Duplicates  bool     `toml:"duplicates" help:"a key may be there more than once"`
	} `toml:"can"`
	Without map[string][]string `toml:"without" key:"OPERATION" takes:"a list of settings" help:"parameters without the operation, or, of mix, with which none may share a launch"`
	Params  []*param            `toml:"param"`
	Own     []*gauge            `toml:"gauge"`
	Fills   []*fill             `toml:"fill"`
}

type param struct {
	Name    string
	Role    string   `toml:"role" oneof:"variant, argument, hash_count, hash_family, host" help:"who reads it: the compiler; the kernels, from Table.Arg in this order; the hash functions; the host side. Without a role, it is the shared parameter of that name"`
	Type    string   `toml:"type" oneof:"integer, choice" help:"of its values"`
	Range   []int64  `toml:"range" takes:"the least and the most" help:"of integers, the values allowed"`
	Values  []int64  `toml:"values" takes:"a list of integers" help:"of integers, the values allowed"`
	Choices []string `toml:"choices" takes:"a list of words" help:"of a choice"`
	Default any      `toml:"default" takes:"a value of its type" help:"if none is given"`
	Help    string   `toml:"help" help:"one line about it"`
	Letter  string   `toml:"letter" help:"of an integer variant: its letter in kernel names"`
	Enum    string   `toml:"enum" help:"of a choice variant: the enum in namespace hz with its words"`
	Only    []string `toml:"only" takes:"a list of pairs" help:"of a variant: pairs compiled with each value; others have the last alone"`
	Auto    bool     `toml:"auto" help:"of an argument: 0 stands for a value that host.h computes"`
}

// gauge is one of the scheme's own gauges: bars that show bins, counted by a function of the class, or those that the
// host side adds.
type gauge struct {
	Name   string
	Help   string   `toml:"help" required:"yes" help:"one line about it"`
	Unit   string   `toml:"unit" help:"such as buckets, pairs"`
	Look   string   `toml:"look" takes:"small letters, digits and _" help:"a function of the class that counts items into bins (look.h); gauges may share it; without it, host.h reads the gauge"`
	Items  string   `toml:"items" oneof:"capacity, buckets" help:"what it goes over; default capacity"`
	Labels []string `toml:"labels" takes:"a list of texts" help:"a bar for each bin; without them the gauge is a number"`
	First  int64    `toml:"first" help:"the bin of the first bar; default 0"`
	Even   bool     `toml:"even" help:"inserts bring all bars to the same share of their bounds, as check tests"`
	Mean   bool     `toml:"mean" help:"its values are means, which do not add up over shards"`
}

// fill is a load factor that tables reach.
type fill struct {
	Name     string
	Settings texts   `toml:"settings" help:"parameters; the rest are defaults; a list is several fills"`
	Load     float64 `toml:"load" required:"yes" takes:"a number" help:"a load factor that tables reach, as check tests"`
	Least    int64   `toml:"least" takes:"0 to 100" help:"the seeds, of 100, whose tables reach it"`
}

type texts []string // or a single text

// takes describes what a key of a type accepts, unless its tag does.
var takes = map[reflect.Type]string{
	reflect.TypeFor[string](): "a text", reflect.TypeFor[int64](): "an integer",
	reflect.TypeFor[bool](): "true or false", reflect.TypeFor[texts](): "a text, or a list of texts", reflect.TypeFor[map[string]string](): "a name",
}

// patterns match texts that keys take, and each text of a list.
var patterns = map[string]*regexp.Regexp{
	"a text":                                       regexp.MustCompile(`\S`),
	"a list of texts":                              regexp.MustCompile(`\S`),
	"small letters and digits":                     goodName,
	"small letters, digits and _":                  goodWord,
	"a list of words":                              goodWord,
	"a list of settings":                           goodSettings,
	"a list of libraries":                          goodLibrary,
	"the name of a class template in namespace hz": goodClass,
}

// Field is a key of scheme.toml. NAME in it stands for a name that the author chooses.
type Field struct{ Key, Takes, Help string }

// Fields lists all keys of scheme.toml.
var Fields = func() (list []Field) {
	table := reflect.ValueOf(&keys{}).Elem()
	for _, f := range keysOf(table.Type()) {
		if named(f.Type) {
			entry(table.FieldByIndex(f.Index), "NAME")
		}
	}
	_ = each(table, "", func(key string, f reflect.StructField, _ reflect.Value) error {
		if inside := f.Tag.Get("key"); inside != "" {
			key += "." + inside
		}
		list = append(list, Field{key, takesOf(f), f.Tag.Get("help")})
		return nil
	})
	return list
}()

func takesOf(f reflect.StructField) string {
	return cmp.Or(f.Tag.Get("oneof"), f.Tag.Get("takes"), takes[f.Type], "a table")
}

// tagOf returns a tag of a table's key.
func tagOf[T any](key, tag string) string {
	return lists.Must(fieldOf(reflect.TypeFor[T](), key, key)).Tag.Get(tag)
}

var roles = strings.Split(tagOf[param]("role", "oneof"), ", ") // in the order of schemes.Role

// each calls f for every key of a table and its value, and stops at the first error.
func each(table reflect.Value, prefix string, f func(key string, field reflect.StructField, at reflect.Value) error) (err error) {
	for _, field := range keysOf(table.Type()) {
		switch key, at := prefix+field.Tag.Get("toml"), table.FieldByIndex(field.Index); {
		case field.Type.Kind() == reflect.Struct:
			err = each(at, key+".", f)
		case named(field.Type):
			for i := 0; i < at.Len() && err == nil; i++ {
				e := at.Index(i).Elem()
				err = each(e, key+"."+e.FieldByName("Name").String()+".", f)
			}
		default:
			err = f(key, field, at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// keysOf returns the fields that are keys.
func keysOf(t reflect.Type) []reflect.StructField {
	if known, ok := keysOfTypes.Load(t); ok {
		return known.([]reflect.StructField)
	}
	list := slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return f.Tag.Get("toml") == "" })
	keysOfTypes.Store(t, list)
	return list
}

var keysOfTypes sync.Map // reflection is slow, and every key of a manifest asks

// named reports whether a type is a list of named tables.
func named(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Pointer
}

// set stores one value of a file.
func (k *keys) set(key tomlfile.Key, value any) error {
	at, path, pattern := reflect.ValueOf(k).Elem(), key.Path, ""
	var f reflect.StructField
	for len(path) > 0 && at.Kind() == reflect.Struct {
		var err error
		if f, err = fieldOf(at.Type(), path[0], pattern+path[0]); err != nil {
			return err
		}
		at, path, pattern = at.FieldByIndex(f.Index), path[1:], pattern+path[0]+"."
		if named(f.Type) && len(path) > 0 {
			at, path, pattern = entry(at, path[0]), path[1:], pattern+"NAME."
		}
	}
	switch table, isTable := value.(map[string]any); {
	case isTable && len(table) == 0 && at.Kind() == reflect.Struct:
		return nil
	case len(path) == 1 && at.Kind() == reflect.Map && fits(f, value):
		if list := reflect.New(at.Type().Elem()).Elem(); assign(list, key, value) {
			at.SetMapIndex(reflect.ValueOf(path[0]), list)
			return nil
		}
	case len(path) == 0 && fits(f, value) && assign(at, key, value):
		return nil
	}
	given, _ := json.Marshal(value) // which has no inf and nan
	return fmt.Errorf("%s is %s: it takes %s", key, cmp.Or(string(given), fmt.Sprint(value)), takesOf(f))
}

// fits reports whether a value, if it has the type of its key, is what the key takes.
func fits(f reflect.StructField, value any) bool {
	switch value := value.(type) {
	case string:
		pattern, words := patterns[takesOf(f)], f.Tag.Get("oneof")
		return (pattern == nil || pattern.MatchString(value)) && (words == "" || slices.Contains(strings.Split(words, ", "), value))
	case int64:
		var least, most int64
		n, _ := fmt.Sscanf(takesOf(f), "%d to %d", &least, &most)
		return n < 2 || least <= value && value <= most
	case []any:
		return !slices.ContainsFunc(value, func(v any) bool { return !fits(f, v) })
	}
	return true
}

// fieldOf returns the field of a key; what it is called in Fields is for errors.
func fieldOf(t reflect.Type, name, pattern string) (reflect.StructField, error) {
	list := keysOf(t)
	if i := slices.IndexFunc(list, func(f reflect.StructField) bool { return f.Tag.Get("toml") == name }); i >= 0 {
		return list[i], nil
	}
	return reflect.StructField{}, nearest.Unknown("key", pattern, lists.Map(Fields, func(f Field) string { return f.Key }))
}

// entry returns the table with a name from a list, adding it if necessary.
func entry(list reflect.Value, name string) reflect.Value {
	for i := range list.Len() {
		if e := list.Index(i).Elem(); e.FieldByName("Name").String() == name {
			return e
		}
	}
	e := reflect.New(list.Type().Elem().Elem())
	e.Elem().FieldByName("Name").SetString(name)
	list.Set(reflect.Append(list, e))
	return e.Elem()
}

// assign stores a value if it has the type of its key.
func assign(to reflect.Value, key tomlfile.Key, value any) bool {
	if one, ok := value.(string); ok && to.Type() == reflect.TypeFor[texts]() {
		to.Set(reflect.ValueOf(texts{one}))
		return true
	}
	return key.Decode(to.Addr().Interface()) == nil
}

// overlay fills the missing fields of a parameter from another one.
func overlay(p *param, usual param) {
	if p.Values != nil {
		usual.Range = nil
	}
	to, from := reflect.ValueOf(p).Elem(), reflect.ValueOf(usual)
	for i := range to.NumField() {
		if to.Field(i).IsZero() {
			to.Field(i).Set(from.Field(i))
		}
	}
}
