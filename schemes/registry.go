package schemes

import (
	"embed"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/hashzoo/hashzoo/runtime/lists"
	"github.com/hashzoo/hashzoo/runtime/nearest"
)

var (
	lock     sync.RWMutex
	registry = map[string]entry{}
	refused  = map[string]error{} // why plugins could not be loaded
)

// entry is a registered scheme.
type entry struct {
	declare   func() *Scheme
	reference bool
	loaded    *Scheme // nil if it was compiled in
}

// Ship adds a compiled-in scheme. It is declared at its first use.
func Ship(name string, reference bool, declare func() *Scheme) {
	if err := add(name, entry{sync.OnceValue(declare), reference, nil}); err != nil {
		panic(err)
	}
}

// Add adds a loaded scheme.
func Add(s *Scheme) error { return add(s.Name, entry{func() *Scheme { return s }, s.Reference, s}) }

func add(name string, e entry) error {
	lock.Lock()
	defer lock.Unlock()
	if registry[name].declare != nil {
		return fmt.Errorf("scheme %s is registered twice", name)
	}
	registry[name] = e
	return nil
}

// Refuse records why a scheme could not be loaded; Find returns that error.
func Refuse(name string, why error) {
	lock.Lock()
	defer lock.Unlock()
	refused[name] = why
}

// Names returns the schemes' names, sorted. References are not among them: they take part only where they are named.
func Names() []string { return registered(false) }

// All returns the schemes but references, sorted by name.
func All() []*Scheme { return lists.Map(Names(), known) }

// References returns the references, sorted by name.
func References() []*Scheme { return lists.Map(registered(true), known) }

func registered(references bool) (names []string) {
	lock.RLock()
	defer lock.RUnlock()
	for name, e := range registry {
		if e.reference == references {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func known(name string) *Scheme {
	lock.RLock()
	declare := registry[name].declare
	lock.RUnlock()
	if declare == nil {
		return nil
	}
	return declare()
}

// Where returns the names of the schemes for which a condition holds.
func Where(holds func(*Scheme) bool) []string {
	var names []string
	for _, s := range All() {
		if holds(s) {
			names = append(names, s.Name)
		}
	}
	return names
}

// With returns the names of the schemes that support an operation.
func With(op string) []string { return Where(func(s *Scheme) bool { return s.Caps.Has(op) }) }

// Plugins returns the loaded plugins, sorted by name.
func Plugins() []Plugin {
	lock.RLock()
	defer lock.RUnlock()
	var list []Plugin
	for _, e := range registry {
		if e.loaded != nil && e.loaded.Plugin != nil {
			list = append(list, *e.loaded.Plugin)
		}
	}
	slices.SortFunc(list, func(a, b Plugin) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Find returns the scheme with a name, or an error with the nearest names.
func Find(name string) (*Scheme, error) {
	if s := known(name); s != nil {
		return s, nil
	}
	lock.RLock()
	why, none := refused[name], len(registry) == 0
	lock.RUnlock()
	switch {
	case why != nil:
		return nil, why
	case none:
		return nil, errors.New("this program has no schemes: import _ \"github.com/hashzoo/hashzoo/runtime/zoo\"")
	}
	return nil, nearest.Unknown("scheme", name, append(Names(), registered(true)...))
}

// Folders has the files that declare the compiled-in schemes, in a folder for each.
// Packages of schemes do not embed them, so that editing them recompiles no kernel.
//
//go:embed */*.toml */*.h */*.txt */*.csv
var Folders embed.FS
