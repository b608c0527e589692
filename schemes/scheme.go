// Package schemes is the registry of hash-table schemes: what each is called,
// which parameters it takes, what it can do and how much memory it needs.
//
// A scheme is a kernel header (kernels/<name>.h), a source file that compiles its
// variants, and one Go file here with a declaration. Everything else - command
// line, help, engine, checks, scripts - reads the declarations; no list of schemes
// is kept anywhere and no other code names one.
package schemes

import (
	"fmt"
	"slices"
	"sort"

	"github.com/hashzoo/hashzoo/kernels"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

// Scheme is the declaration of a hash-table scheme.
type Scheme struct {
	Name  string // how users name it
	Title string // one line
	About string // a short paragraph: what it is good for, and what not
	Paper string // where it was published

	Params []Param
	Caps   Capabilities
	// Without lists the operations that the scheme lacks with some values of its
	// parameters, mix if none may share a batch; nil: none.
	Without func(Config) []string
	// Moves says whether pairs of a stable scheme move after all, with some choices of its
	// parameters; nil: with none.
	Moves  func(Config) bool
	Hashes uint32 // how many hash functions, if no parameter says so; 0 is 1

	// Size says what memory a table needs. It checks what no single
	// parameter's range can say.
	Size func(Config, Shape) (Layout, error)
	// MaxLoad is the highest load factor that the scheme fills to in nearly
	// all of its tables, given its parameters.
	MaxLoad func(Config) float64
	// Host has the operations that take more than the launch of the kernel of
	// their name: all operations on whole tables, and batches that may have to
	// make room, say.
	Host map[string]HostOp
	// Kernels are those that only the host side launches.
	Kernels []string
	// Setup makes a table that is all fills ready for use; nil: it is.
	Setup func(Table) error
	// Sweep is how many slots count and export have to look at; nil: as many as
	// the capacity.
	Sweep func(Config, kernels.Table) uint64

	// Rows are the buckets as vectors show them, each slot as 7=70, x or a dot (docs/checking.md);
	// nil: the region called slots, cut into equal buckets.
	Rows func(Table) ([][]string, error)

	Gauges []Gauge // what is worth watching of a table

	// What the scheme is held against (hashzoo check).
	Published []Figure
	Fills     []Fill

	// Shown are the vectors of a scheme that was loaded; those that the program has are in
	// testdata.
	Shown  string
	Plugin *Plugin // where the scheme is from, if it was loaded; nil: the program has it
}

// Plugin is where a scheme is from that was loaded.
type Plugin struct {
	Name     string `json:"name" doc:"the scheme"`
	Hash     string `json:"hash" doc:"digest of all that was loaded: the same one is the same plugin"`
	Compiler string `json:"compiler" doc:"what compiled it"`
	Folder   string `json:"folder" doc:"where it was loaded from"`
}

// Capabilities are what a scheme can do. An operation that is not listed is
// refused by name; nothing is emulated.
type Capabilities struct {
	Ops        []string // of kernels.Ops and TableOps
	Concurrent []string // those that may share a batch; all others run in phases of their own
	Pairs      []Pair   // key and value widths
	PairsWhy   string   // why not others, if there is a reason
	Stable     bool     // a pair stays where it was put
	HostMemory bool     // the table may lie in host memory
	Duplicates bool     // one key may be inserted more than once
}

// Has reports whether the scheme has an operation.
func (c Capabilities) Has(op string) bool { return slices.Contains(c.Ops, op) }

// TableOps are the operations on whole tables.
var TableOps = []string{"flush", "resize"}

// MixOp is the kernel that carries out a batch of the Concurrent operations.
const MixOp = "mix"

// Pair is a key width and a value width, in bytes. A value of no bytes means that
// a table holds keys only; one of more than 8 bytes is wide (kernels/pair.h).
type Pair struct{ Key, Value int }

// String is the pair's name in kernel names and on the command line.
func (p Pair) String() string { return fmt.Sprintf("k%dv%d", p.Key, p.Value) }

// Bytes is the size of a pair.
func (p Pair) Bytes() int { return p.Key + p.Value }

// EmptyKey and ErasedKey are the keys that tables keep for themselves.
func (p Pair) EmptyKey() uint64 { return ^uint64(0) >> (64 - 8*p.Key) }

// ErasedKey marks a slot whose pair was erased.
func (p Pair) ErasedKey() uint64 { return p.EmptyKey() - 1 }

// NoValue is what a find gives for a key that is not there.
func (p Pair) NoValue() uint64 { return ^uint64(0) >> (64 - 8*min(p.AnswerBytes(), 8)) }

// AnswerBytes is the size of what an operation gives: a value, or a number where
// there are no values.
func (p Pair) AnswerBytes() int {
	if p.Value == 0 {
		return 4
	}
	return p.Value
}

// The pairs of most schemes.
var (
	Pair4 = Pair{4, 4}
	Pair8 = Pair{8, 8}
)

var registry = map[string]*Scheme{}

// refused is why schemes are not there that were to be loaded.
var refused = map[string]error{}

// Register adds a scheme to the zoo. It panics on a declaration that contradicts
// itself, since that is a mistake of whoever wrote it and shows at every start.
func Register(s *Scheme) *Scheme {
	if err := Add(s); err != nil {
		panic(err)
	}
	return s
}

// Add is Register for a scheme of a plugin, whose mistakes are those of a user.
func Add(s *Scheme) error {
	if registry[s.Name] != nil {
		return fmt.Errorf("scheme %s is registered twice", s.Name)
	}
	if err := s.Consistent(); err != nil {
		return err
	}
	if err := s.plausible(); err != nil {
		return err
	}
	registry[s.Name] = s
	return nil
}

// Refuse remembers why a scheme could not be loaded, for who asks for it by name.
func Refuse(name string, why error) { refused[name] = why }

// Consistent says what in the declaration contradicts itself, whatever kernels there are.
func (s *Scheme) Consistent() error {
	for _, op := range s.Caps.Ops {
		if !slices.Contains(kernels.Ops, op) && !slices.Contains(TableOps, op) || op == MixOp {
			return fmt.Errorf("scheme %s declares the operation %s: not one of %v, %v", s.Name, op, kernels.Ops, TableOps)
		}
		if slices.Contains(TableOps, op) && s.Host[op] == nil {
			return fmt.Errorf("scheme %s declares the operation %s and has no host side for it", s.Name, op)
		}
	}
	if err := s.sharing(); err != nil {
		return err
	}
	for op := range s.Host {
		if !s.Caps.Has(op) && (op != MixOp || s.Caps.Concurrent == nil) {
			return fmt.Errorf("scheme %s has a host side for %s, which it does not have", s.Name, op)
		}
	}
	for _, p := range s.Params {
		if err := p.check(p.Default); err != nil {
			return fmt.Errorf("scheme %s: default of %w", s.Name, err)
		}
	}
	return s.gauged()
}

// sharing says what is wrong with the operations that may share a batch.
func (s *Scheme) sharing() error {
	if len(s.Caps.Concurrent) == 1 {
		return fmt.Errorf("scheme %s declares %s as concurrent, and nothing else", s.Name, s.Caps.Concurrent[0])
	}
	for _, op := range s.Caps.Concurrent {
		if !s.Caps.Has(op) {
			return fmt.Errorf("scheme %s declares %s as concurrent, which it does not have", s.Name, op)
		}
		if slices.Contains(TableOps, op) || slices.Contains(sweeps, op) {
			return fmt.Errorf("scheme %s declares %s as concurrent, which goes over the table", s.Name, op)
		}
	}
	return nil
}

// sweeps are the operations of kernels that look at all slots.
var sweeps = []string{"count", "export"}

// PluginHash is the digest of the plugin that the scheme is from, empty if it is none.
func (s *Scheme) PluginHash() string {
	if s.Plugin == nil {
		return ""
	}
	return s.Plugin.Hash
}

// Plugins lists those that were loaded, by the names of their schemes.
func Plugins() []Plugin {
	var list []Plugin
	for _, s := range All() {
		if s.Plugin != nil {
			list = append(list, *s.Plugin)
		}
	}
	return list
}

// All returns the schemes in the order of their names.
func All() []*Scheme {
	list := make([]*Scheme, 0, len(registry))
	for _, s := range registry {
		list = append(list, s)
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// Names returns the schemes' names in order.
func Names() []string {
	var names []string
	for _, s := range All() {
		names = append(names, s.Name)
	}
	return names
}

// With returns the names of the schemes that have an operation.
func With(op string) []string {
	var names []string
	for _, s := range All() {
		if s.Caps.Has(op) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Find returns the scheme of that name, or an error with the nearest names.
func Find(name string) (*Scheme, error) {
	if s, ok := registry[name]; ok {
		return s, nil
	}
	if why := refused[name]; why != nil {
		return nil, why
	}
	return nil, nearest.Unknown("scheme", name, Names())
}
