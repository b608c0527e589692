package manifest

import (
	"io/fs"
	"path"
	"sync"

	"github.com/hashzoo/hashzoo/schemes"
)

// shipped are the declarations of the compiled-in schemes, by name.
var shipped = map[string]func() (*Declaration, error){}

// Ship adds a scheme that is compiled in. It is declared when it is first used, and a mistake
// in its manifest panics then; a test proves them all.
func Ship(name string, folder fs.FS, functions Functions) {
	declare := sync.OnceValues(func() (*Declaration, error) {
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

// InGo reports whether the manifest names functions in the Go of its folder.
func (d *Declaration) InGo() bool { return len(d.Go) > 0 || len(d.functions.Host) > 0 }
