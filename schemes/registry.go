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
	registry = map[string]Entry{}
)

// Entry is a scheme of the registry: one that ships, a plugin, or one that could not be loaded.
type Entry struct {
	Reference bool
	Plugin    *Plugin                 // nil if it ships
	Declare   func() (*Scheme, error) // reads its manifest, when it is first used
	Refused   error                   // instead of Declare, why there is no such scheme
}

// Enter adds a scheme under a name that no other has.
func Enter(name string, e Entry) error {
	lock.Lock()
	defer lock.Unlock()
	if was, ok := registry[name]; ok && was.Refused == nil {
		return fmt.Errorf("scheme %s is registered twice", name)
	}
	if e.Refused == nil {
		e.Declare = sync.OnceValues(e.Declare)
	}
	registry[name] = e
	return nil
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
		if e.Refused == nil && e.Reference == references {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func known(name string) *Scheme { return lists.Must(Find(name)) }

// Where returns the names of the schemes for which a condition holds.
func Where(holds func(*Scheme) bool) []string {
	return lists.Map(lists.Filter(All(), holds), func(s *Scheme) string { return s.Name })
}

// With returns the names of the schemes that support an operation.
func With(op string) []string { return Where(func(s *Scheme) bool { return s.Caps.Has(op) }) }

// Plugins returns the loaded plugins, sorted by name.
func Plugins() (list []Plugin) {
	lock.RLock()
	defer lock.RUnlock()
	for _, e := range registry {
		if e.Plugin != nil {
			list = append(list, *e.Plugin)
		}
	}
	slices.SortFunc(list, func(a, b Plugin) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Find returns the scheme with a name, or an error with the nearest names.
func Find(name string) (*Scheme, error) {
	lock.RLock()
	e, ok := registry[name]
	none := len(registry) == 0
	lock.RUnlock()
	switch {
	case e.Refused != nil:
		return nil, e.Refused
	case ok:
		return e.Declare()
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
