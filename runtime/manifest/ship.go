package manifest

import (
	"io/fs"
	"path"
	"sync"

	"github.com/hashzoo/hashzoo/runtime/host"
	"github.com/hashzoo/hashzoo/schemes"
)

// shipped are the declarations of the compiled-in schemes, by name.
var shipped = map[string]func() (*Declaration, error){}

// Ship adds a compiled-in scheme. It is declared when it is first used, and a mistake in its
// manifest panics then; a test proves them all.
func Ship(name string, functions Functions) {
	declare := sync.OnceValues(func() (*Declaration, error) {
		folder, err := fs.Sub(schemes.Folders, name)
		if err != nil {
			return nil, err
		}
		m, err := Read(folder, path.Join("schemes", name), functions)
		if err != nil {
			return nil, err
		}
		return m.Declare()
	})
	shipped[name] = declare
	schemes.Ship(name, func() *schemes.Scheme {
		d, err := declare()
		if err != nil {
			panic(err)
		}
		return d.Scheme
	})
}

// Shipped returns the declaration of a compiled-in scheme.
func Shipped(name string) (*Declaration, error) { return shipped[name]() }

// Files are those of the scheme's folder that the program carries.
func (d *Declaration) Files() fs.FS { return d.folder }

// InGo reports whether the manifest names Go code of its folder, which a plugin cannot have.
func (d *Declaration) InGo() bool {
	for _, name := range d.Manifest.Host {
		if _, shared := host.Operations[name]; !shared {
			return true
		}
	}
	return len(d.Go) > 0
}
