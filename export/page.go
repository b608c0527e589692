package export

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/manifest"
	"github.com/hashzoo/hashzoo/schemes"
)

// page is what the files of an export are made of.
type page struct {
	Options
	Scheme, Title, Settings string
	File, Class, Guard      string
	Digest, Shared, License string
	Essay                   []string
	Pairs                   []schemes.Pair
	CName, CGuard           string         // what C functions are called
	CPairs                  []schemes.Pair // that C has: numbers
	CFirst                  schemes.Pair
	Driver                  bool              // the CPU or a GPU is chosen at run time
	Package                 string            // in Go
	PTX                     map[string]string // kernels for GPUs, by file
	TestLoad                float64
	Code                    string // all headers
	Config                  config
	Ops                     []operation
	Contains, Mixed         bool
	MixedNames              string
	Lacks                   []string

	First       schemes.Pair // whose types the example has
	FirstNumber bool
	TestPairs   []schemes.Pair // the pairs that the test goes through
	Sizes       []sized
	Vectors     []config
	VectorText  string
	Plain       bool // slots lie in buckets, one after the other
	Grows       bool

	Flush, Resize, Retrieves bool
}

// called is an operation on tables of a pair, as a C function.
type called struct {
	Page *page
	Pair schemes.Pair
	Op   operation
}

// config is a configuration as a struct in C++.
type config struct {
	Name, Settings string
	Type           string // of the kernels' class
	Host           string // its host side
	MaxLoad        float64
	Family         string
	Hashes         uint32
	Counted        string
	Params         string
	Args           []int64 // in the order of Table.Arg
	Driver         bool
	Variant        string // what the names of its kernels begin with
	Ops            []string
	Concurrent     []string
	Keyed          []string // operations on keys
	pairs          []schemes.Pair
	Pair           schemes.Pair // of vectors
}

// operation is an operation on keys as a method.
type operation struct {
	kernels.Operation
	Help, More, Answers string
	Found, Fails        bool
}

// sized is a table's size as this program computes it.
type sized struct {
	N, Capacity, Buckets uint64
	Load                 float64
	Pair                 schemes.Pair
}

func pageOf(c schemes.Config, o Options) (*page, error) {
	if c.Reference {
		return nil, fmt.Errorf("scheme %s is a reference, the table of a library: only schemes with kernels of their own are exported", c.Name)
	}
	e := exporter{m: manifest.Of(c.Scheme), c: c, p: &page{Options: o, Scheme: c.Name, Title: c.Title, Settings: c.String()}}
	return e.p, cmp.Or(e.sources(), e.operations(), e.texts(), e.ptx())
}

// exporter fills a page in.
type exporter struct {
	m      *manifest.Manifest
	c      schemes.Config
	p      *page
	shared []string // quoted names of the kernels of all schemes that it launches
}

var sharedKernel = regexp.MustCompile(`"hz_\w+"`)

// sources puts the headers together.
func (e *exporter) sources() error {
	p := e.p
	p.File, p.Class = e.m.Name+".h", e.m.Class
	p.Guard, p.Package = strings.ToUpper(p.Class), strings.ToLower(p.Class)
	p.CName = "hashzoo_" + e.m.Name
	p.CGuard = strings.ToUpper(p.CName)
	a := amalgam{read: e.c.Header}
	scheme, err := a.text(p.File)
	if err != nil {
		return err
	}
	for _, kernel := range e.m.Kernels {
		scheme += "\nHZ_OWN_OP(" + kernel + ")"
	}
	host, err := e.host(&a)
	if err != nil {
		return err
	}
	parts := []string{e.part("nvcc"), scheme, host}
	runtime := []string{"nvcc_end", "memory", "array", "op", "ref", "table", "host"}
	if p.Driver = p.Lang == goLang || p.Lang == pythonLang; p.Driver {
		runtime = slices.Insert(runtime, 2, "driver")
	}
	parts = append(parts, lists.Map(runtime, e.part)...)
	p.Code = include.ReplaceAllString(strings.Join(parts, "\n"), "")
	if p.Shared, err = sharedDigest(parts[3:]); err != nil {
		return err
	}
	p.Digest = digestOf(p.Code, p.Settings)[:16]
	return nil
}

// sharedDigest is a digest of what two exports must have in common to be in one program: all headers of package kernels,
// whichever of them a scheme includes, and the runtime.
func sharedDigest(runtime []string) (string, error) {
	names, err := fs.Glob(kernels.Headers, "*.h")
	for _, name := range names {
		text, failed := fs.ReadFile(kernels.Headers, name)
		runtime, err = append(runtime, string(text)), cmp.Or(err, failed)
	}
	return digestOf(runtime...)[:16], err
}

// host puts the host side together.
func (e *exporter) host(a *amalgam) (string, error) {
	const shared = "host_retrieve.h"
	text, err := a.text(shared)
	if err == nil && e.m.HasHost() {
		own, wrong := a.text(manifest.Host)
		text, err = text+"\n"+own, wrong
	}
	e.shared = sharedKernel.FindAllString(text, -1)
	return text, err
}

func (e *exporter) part(name string) string {
	return string(lists.Must(files.ReadFile("files/runtime/" + name + ".h")))
}

// operations decides what is exported.
func (e *exporter) operations() error {
	p := e.p
	p.Pairs = e.pairs(e.c)
	p.Config = e.config(p.Class+"Config", e.c)
	for _, name := range e.c.Caps.Ops {
		switch op := kernels.Op(name); op.Kind {
		case kernels.OnKeys:
			p.Ops = append(p.Ops, method(op))
			p.Contains = p.Contains || op.Answer == kernels.OneValue
			p.Retrieves = p.Retrieves || op.Answer == kernels.Rows
		case kernels.OnTable:
			p.Flush, p.Resize = p.Flush || !op.Value, p.Resize || op.Value
		}
	}
	p.Mixed, p.MixedNames = len(e.c.Caps.Concurrent) > 0, strings.Join(e.c.Caps.Concurrent, ", ")
	return nil
}

func method(op kernels.Operation) operation {
	made := operation{Operation: op, Help: op.Help, Fails: op.HandsBack()}
	switch op.Answer {
	case kernels.OneValue:
		made.Answers, made.More = "answers", "; all ones where the key is not there"
	case kernels.Number:
		made.Answers, made.More = "numbers", ": numbers[i] is how many"
	case kernels.Values:
		made.Answers, made.Found, made.More = "numbers", true, ": numbers[i] is how many, and found has them"
	case kernels.Rows:
		made.Answers, made.Found, made.More = "numbers", true, ", in the order of the keys: numbers[i] is how many, and found has them"
	}
	return made
}

// pairs are the widths for which the kernels have exactly these parameters.
func (e *exporter) pairs(c schemes.Config) []schemes.Pair {
	return slices.DeleteFunc(slices.Clone(c.Caps.Pairs), func(p schemes.Pair) bool { return c.For(p).Variant() != c.Variant() || c.Takes(p) != nil })
}

// config describes a configuration in C++.
func (e *exporter) config(name string, c schemes.Config) config {
	block := c.Block(schemes.Layout{Capacity: 1, Buckets: 1}, 1, nil)
	keyed := slices.DeleteFunc(slices.Clone(c.Caps.Ops), func(op string) bool { return kernels.Op(op).Kind != kernels.OnKeys })
	arguments := lists.Filter(c.Params, func(p schemes.Param) bool { return p.Role == schemes.Arg })
	args := lists.Map(arguments, func(p schemes.Param) int64 { return c.Get(p.Name) })
	return config{
		Name: name, Settings: c.String(), Type: e.m.Type(c), Host: e.m.Side(), Params: e.m.ParamStruct(c), Args: args,
		MaxLoad: c.MaxLoad(c), Hashes: block.Hashes, Counted: "false", Ops: manifest.KnownOps(c.Caps.Ops, len(c.Caps.Concurrent) > 0), Concurrent: c.Caps.Concurrent, pairs: e.pairs(c),
		Family: map[uint32]string{kernels.Fast: "HZ_FAST", kernels.Universal: "HZ_UNIVERSAL"}[block.Family],
		Driver: e.p.Driver, Variant: "hz_" + c.Variant() + "_", Keyed: keyed,
	}
}

// texts are what is said about the scheme, and what its test compares with.
func (e *exporter) texts() error {
	essays, err := e.c.Essays()
	if err != nil {
		return err
	}
	e.p.License, e.p.Essay = string(lists.Must(files.ReadFile("files/LICENSE"))), essays[0].Lines
	e.p.VectorText, e.p.Plain = e.c.Vectors, e.c.Rows == nil
	e.p.Grows = e.c.Matches(e.c.Moves, nil)
	e.tested()
	return cmp.Or(e.sizes(), e.vectors())
}

// tested chooses the pairs that the test goes through: the first, 8+8 bytes, and one more.
func (e *exporter) tested() {
	e.p.CPairs = slices.DeleteFunc(slices.Clone(e.p.Pairs), func(p schemes.Pair) bool { return p.Value != 4 && p.Value != 8 })
	e.p.CFirst, e.p.TestLoad = e.p.CPairs[0], 0.9*e.c.MaxLoad(e.c)
	e.p.First, e.p.FirstNumber = e.p.Pairs[0], e.p.Pairs[0].Value > 0 && e.p.Pairs[0].Value <= 8
	others := 0
	for i, pair := range e.p.Pairs {
		wide := pair == schemes.Pair8
		if i > 0 && !wide {
			others++
		}
		if others < 2 || wide {
			e.p.TestPairs = append(e.p.TestPairs, pair)
		}
	}
}

// shapes are the sizes that the exported test compares.
var shapes = []schemes.Shape{
	{N: 1, Load: 0.5}, {N: 12345, Load: 0.3}, {N: 1000, Load: 0.9}, {N: 1 << 20, Load: 0.5}, {N: 50_000_000, Load: 0.8},
	{N: 99_999_989, Load: 0.7},
}

func (e *exporter) sizes() error {
	for _, pair := range e.p.Pairs {
		for _, shape := range shapes {
			shape.Pair = pair
			l, err := e.c.Size(e.c, shape)
			if err != nil {
				return err
			}
			e.p.Sizes = append(e.p.Sizes, sized{shape.N, l.Capacity, l.Buckets, shape.Load, pair})
		}
	}
	return nil
}

// vectors are the configurations of the tables in the scheme's vectors.
func (e *exporter) vectors() error {
	var seen []string
	for line := range strings.Lines(e.c.Vectors) {
		words := strings.Fields(line)
		if len(words) < 3 || words[0] != "table" {
			continue
		}
		pair, _ := strings.CutPrefix(words[2], "pair=")
		if key := words[1] + " " + pair; !slices.Contains(seen, key) {
			seen = append(seen, key)
			if err := e.vector(words[1], pair, len(seen)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (e *exporter) vector(text, pair string, number int) error {
	_, settings, _ := strings.Cut(text, ":")
	c, err := e.c.Scheme.Configure(settings)
	if err != nil {
		return err
	}
	made := e.config(fmt.Sprintf("Vectors%d", number), c)
	made.Settings, made.Pair, made.Counted = text, schemes.Pairs()[pair], "!HZ_GPU"
	if slices.Contains(made.pairs, made.Pair) {
		e.p.Vectors = append(e.p.Vectors, made)
	}
	return nil
}

// guardOf is the condition under which tables of a pair are compiled.
func guardOf(p schemes.Pair) string {
	switch {
	case p == schemes.Pair8:
		return "!HZ_GPU || defined(HASHZOO_WIDE)"
	case p.Value == 0:
		return "!defined(__NVCC__)"
	}
	return ""
}

// typesOf are the C++ types of a pair.
func typesOf(p schemes.Pair) string {
	value := fmt.Sprintf("hz::Wide<%d>", p.Value)
	switch p.Value {
	case 0:
		value = "void"
	case 4, 8:
		value = fmt.Sprintf("uint%d_t", 8*p.Value)
	}
	return fmt.Sprintf("uint%d_t, %s", 8*p.Key, value)
}

// amalgam puts headers into one text, each where it is first included: once, or once in each branch of an #if.
type amalgam struct {
	read func(name string) (string, error)
	seen []string
}

var include = regexp.MustCompile(`(?m)^#include "(.*)"\n`)

// text returns a header and what it includes.
func (a *amalgam) text(name string) (string, error) {
	if slices.Contains(a.seen, name) {
		return "", nil
	}
	a.seen = append(a.seen, name)
	text, err := a.read(name)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return a.expanded(guarded(name, text))
}

// guarded replaces "#pragma once" by a guard of this text: exports of other schemes have the same header.
func guarded(name, text string) string {
	guard := "HZ_" + strings.ToUpper(strings.ReplaceAll(name, ".", "_")) + "_" + digestOf(text)[:8]
	if before, after, once := strings.Cut(text, "#pragma once\n"); once {
		return before + "#ifndef " + guard + "\n#define " + guard + "\n" + after + "\n#endif\n"
	}
	return text
}

// expanded replaces the lines that include headers.
func (a *amalgam) expanded(text string) (string, error) {
	var whole strings.Builder
	end := 0
	for _, at := range include.FindAllStringSubmatchIndex(text, -1) {
		before, common := text[:at[0]], a.seen
		inner, err := a.text(text[at[2]:at[3]])
		if err != nil {
			return "", err
		}
		// What only one branch includes, another may include too.
		if branch := strings.Count(before, "\n#if") - strings.Count(before, "\n#endif"); branch > 1 {
			a.seen = slices.Clone(common)
		}
		whole.WriteString(text[end:at[0]] + inner)
		end = at[1]
	}
	return whole.String() + text[end:], nil
}

// digestOf is a digest of files, in their order.
func digestOf(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d\n%s", len(text), text)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}
